/** Roles that are created, moved, deleted and restored, and taken over by their password. */
import assert from "node:assert/strict";
import { rights } from "../every_operation/request_catalogue.ts";
import { invite, type Manages } from "../helpers/person.ts";
import { buildHierarchy, relationTo, SANNE } from "./change_scene.ts";
import { checkLooks, confirmByPassword, endSessions, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

consoleTest("a role is moved in one change, and cannot be moved below itself", async (opened) => {
  const { page, url, admin } = opened;
  const { countryId, installerId, customerId } = await buildHierarchy(opened);
  const otherId = await admin.create(countryId, "Installer Y");
  await admin.put(`/v1/role/${installerId}/member?userEmail=${SANNE}`);
  await admin.put(`/v1/role/${otherId}/member?userEmail=femke@example.com`);
  await signIn(opened);
  await page.goto(`${url}/role/${customerId}?do=move`);
  const to = page.getByRole("combobox", { name: "To", exact: true });
  await to.fill("Site");
  await page.getByRole("option", { name: "Site" }).click();
  await page.getByText("That would close a circle").waitFor();
  await to.fill("Installer");
  await page.getByRole("option", { name: "Installer Y" }).click();
  await page.getByText("1 person loses role, view, and device management, on 2 roles in all.").waitFor();
  await page.getByText("1 person gains role, view, and device management, on 2 roles in all.").waitFor();
  await page.getByRole("listitem").filter({ hasText: "femke@example.com" }).waitFor();
  const picture = page.getByRole("group", { name: "Hierarchy" });
  await picture.getByRole("img", { name: /^Installer Y manages Customer: .*; would be new$/ }).waitFor();
  await picture.getByRole("link", { name: /^Installer X manages Customer: .*; would be deleted$/ }).waitFor();
  await page.getByRole("button", { name: "Move" }).click();
  await page.getByText("The role was moved.").waitFor();
  assert.equal((await relationTo(opened, customerId)).parentRoleId, otherId);
  // The log has a second row of it, which is not undone alone.
  await page.getByRole("status").getByRole("link", { name: "Undo" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("moved Customer below Installer Y").waitFor();
  await dialog.getByRole("button", { name: "Undo the change", disabled: false }).click();
  await page.getByText("The change was undone.").waitFor();
  assert.equal((await relationTo(opened, customerId)).parentRoleId, installerId);
  await page.goto(`${url}/changes?role=${customerId}`);
  const moved = page.getByRole("listitem").filter({ hasText: "moved Customer below Installer Y" });
  await moved.getByText("What belongs to it").click();
  const part = moved.getByRole("listitem").filter({ hasText: "took Customer away from Installer X" });
  await part.waitFor();
  assert.equal(await part.getByRole("link", { name: /^Undo/ }).count(), 0);
});

consoleTest(
  "deleting many roles asks for the name, and the notice restores them",
  async (opened) => {
    const { page, url, admin } = opened;
    const { countryId, installerId, customerId, siteId } = await buildHierarchy(opened);
    for (let i = 1; i <= 8; i++) await admin.create(siteId, `Room ${i}`);
    await admin.put(`/v1/role/${countryId}/manages?childRoleId=${customerId}`, rights("viewManagement"));
    await signIn(opened);
    await page.goto(`${url}/role/${customerId}`);
    await page.getByRole("link", { name: "Delete this role" }).click();
    await page.getByText("2 relations lead to Customer. It is deleted with the last of them.").waitFor();
    await checkLooks(page, "delete-role-parents");
    await page.getByRole("link", { name: "Netherlands manages Customer" }).last().click();
    await page.getByText("The members of Netherlands, and of roles above it, no longer see").waitFor();
    await page.getByRole("button", { name: "Delete the relation", disabled: false }).click();
    await page.getByText("The relation was deleted.").waitFor();

    await page.getByRole("link", { name: "Delete this role" }).click();
    await page.getByRole("heading", { name: "Delete Customer and 9 roles below it" }).waitFor();
    const submit = page.getByRole("button", { name: "Delete Customer and 9 roles below it" });
    const name = page.getByLabel("Name of the role");
    await page.getByText("You are asked for this because 10 things are deleted at once.").waitFor();
    assert.equal(await submit.isDisabled(), true);
    await name.fill("customer");
    await page.getByText("That is not the name of the role.").waitFor();
    assert.equal(await submit.isDisabled(), true);
    await name.fill("Customer");
    await submit.click();
    await page.getByRole("heading", { name: "Installer X", exact: true }).waitFor();
    assert.deepEqual(await admin.roleIds({ filter: { id: [customerId, siteId] } }), []);
    await page.getByText(/^Deleted: .*Customer.* and 9 roles below it\.$/).waitFor();
    await page.getByRole("status").getByRole("link", { name: "Restore" }).click();
    await page.getByRole("dialog", { name: "Restore what was deleted?" })
      .getByRole("button", { name: "Restore", disabled: false }).press("Enter");
    await page.getByText("The change was undone. Restored: 10 roles").waitFor();
    assert.deepEqual(await admin.roleIds({ filter: { id: [customerId, siteId] } }), [customerId, siteId]);
    assert.equal((await relationTo(opened, customerId)).parentRoleId, installerId);
  },
);

consoleTest("a role is created, and another one is put below it", async (opened) => {
  const { page, url, admin } = opened;
  const { countryId, installerId } = await buildHierarchy(opened);
  await signIn(opened);
  await page.goto(`${url}/role/${countryId}?do=create`);
  await page.getByLabel("Name").fill("Dealer");
  await page.getByLabel("ID in another system").fill(" crm-7 ");
  await page.getByText("Rights of the role above on it").waitFor();
  await page.getByRole("button", { name: "Create the role" }).click();
  await page.getByRole("heading", { name: "Dealer", exact: true }).waitFor();
  const [dealerId = 0] = await admin.roleIds({ filter: { externalId: ["crm-7"] } });
  await page.goto(`${url}/role/${countryId}?do=create`);
  await page.getByLabel("Name").fill("Twin");
  await page.getByLabel("ID in another system").fill("crm-7");
  await page.getByRole("button", { name: "Create the role" }).click();
  await page.getByText("has this ID already").waitFor();
  await page.goto(`${url}/role/${installerId}?do=add-parent`);
  // Once its role is loaded, the panel takes the focus, which closes the list.
  await page.waitForLoadState("networkidle");
  await page.getByRole("combobox", { name: "Managed by" }).fill("deal");
  await page.getByRole("option", { name: "Dealer" }).click();
  await page.getByText("No one gains or loses a right.").waitFor();
  await page.getByRole("checkbox", { name: "view management" }).check();
  await page.getByText("No one gains anything yet").waitFor();
  await page.getByRole("button", { name: "Add the relation" }).click();
  await page.getByText("The relation was added.").waitFor();
  const body = { filter: { childRoleId: [installerId] } };
  const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${dealerId}/manages/query`, body);
  assert.equal(manages.length, 1);
  await page.goto(`${url}/role/${installerId}?do=add-parent&rights=deviceManagement`);
  await page.getByRole("combobox", { name: "Managed by" }).fill("deal");
  await page.getByRole("option", { name: "Dealer" }).click();
  await page.getByText("There is such a relation already.").waitFor();
});

consoleTest(
  "a customer sets a password of their role, with which an installer takes them over",
  async (opened) => {
    const { page, url, admin, rootId, target } = opened;
    const { customerId } = await buildHierarchy(opened);
    const otherId = await admin.create(rootId, "Zonnedak Gent");
    await invite(target, admin, otherId, SANNE);
    await signIn(opened);
    await page.goto(`${url}/role/${customerId}`);
    await page.getByRole("link", { name: "Set or remove the password" }).click();
    await page.getByText("The role has no password.").waitFor();
    const secret = "pässword of the customer";
    await page.getByLabel("New password").fill(secret);
    await page.getByRole("checkbox", { name: "device management" }).check();
    await page.getByRole("button", { name: "Set the password" }).click();
    await confirmByPassword(opened);
    await page.getByText("The password of the role was set.").waitFor();

    await endSessions(target);
    await page.goto("about:blank");
    await signIn(opened, SANNE, `the first password of ${SANNE}`);
    await page.goto(`${url}/role/${otherId}?tab=relations`);
    await page.getByRole("link", { name: "Take over by password" }).click();
    await page.getByLabel("Number of the role").fill(String(customerId));
    await page.getByLabel("Password of the role").fill("not that password");
    await page.getByRole("checkbox", { name: "device management" }).check();
    const take = page.getByRole("button", { name: "Take the role over" });
    await take.click();
    await page.getByText("Those are not the number and password of a role").waitFor();
    await page.getByLabel("Password of the role").fill(secret);
    await take.click();
    await page.getByText("The role is below yours now.").waitFor();
    await page.getByRole("heading", { name: "Customer", exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/console/role/${customerId}`);
  },
);
