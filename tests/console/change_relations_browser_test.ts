/** Relations that are narrowed or deleted: who loses what, who keeps it, and what is left without a manager. */
import assert from "node:assert/strict";
import { rights } from "../every_operation/request_catalogue.ts";
import { invite, type Manages } from "../helpers/person.ts";
import { buildHierarchy, membersOf, relationTo, SANNE } from "./change_scene.ts";
import { checkLooks, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

consoleTest("narrowing a relation shows who loses what, and does exactly that", async (opened) => {
  const { page, url, admin } = opened;
  const { installerId, customerId } = await buildHierarchy(opened);
  await admin.put(`/v1/role/${installerId}/member?userEmail=${SANNE}`);
  await signIn(opened);
  const relation = await relationTo(opened, customerId);
  await page.goto(`${url}/role/${customerId}?do=relation&relation=${relation.id}`);
  await page.getByRole("heading", { name: "Installer X manages Customer" }).waitFor();
  const change = page.getByRole("button", { name: "Change the relation" });
  assert.equal(await change.isDisabled(), true);
  await page.getByRole("checkbox", { name: "device management" }).uncheck();
  const take = page.getByRole("button", { name: "Take device management away" });
  await page.getByText("2 people lose device management, on 2 roles. No one gains anything.").waitFor();
  await page.getByText("You lose device management yourself, on 2 roles.").waitFor();
  await page.getByRole("listitem").filter({ hasText: SANNE }).getByText("on 2 roles").waitFor();
  const picture = page.getByRole("group", { name: "Hierarchy" });
  await picture.getByRole("link", { name: /^Site: .*; would lose device management/ }).waitFor();
  await picture.getByRole("link", { name: /^Customer: .*; would lose device management/ }).waitFor();
  await picture.getByRole("link", {
    name: /^Installer X manages Customer: .*; would lose device management$/,
  })
    .waitFor();
  assert.equal(await picture.getByRole("link", { name: /would/ }).count(), 3);
  await page.getByText("The picture shows what would be:").waitFor();
  // With a person chosen, it is their rights that would change.
  await page.goto(`${page.url()}&person=eva@example.com`);
  await page.getByRole("checkbox", { name: "device management" }).uncheck();
  await take.waitFor();
  await page.getByText("The picture shows what would be:").waitFor();
  assert.equal(await picture.getByRole("link", { name: /^Site: no access/ }).count(), 1);
  assert.equal(await picture.getByRole("link", { name: /would/ }).count(), 1);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("The picture shows what would be:").waitFor({ state: "detached" });
  assert.equal(await picture.getByRole("link", { name: /would/ }).count(), 0);
  await page.goBack();
  await page.getByRole("checkbox", { name: "device management" }).uncheck();
  const before = await admin.holds(customerId, "viewManagement", "deviceManagement");
  await take.click();
  await page.getByText("The relation was changed.").waitFor();
  await page.getByRole("heading", { name: "Customer", exact: true }).waitFor();
  assert.doesNotMatch(page.url(), /do=/);
  assert.deepEqual(before, [true, true]);
  assert.deepEqual(await admin.holds(customerId, "viewManagement", "deviceManagement"), [true, false]);
});

consoleTest("an effect counts what the viewer may not see, and says if it may be larger", async (opened) => {
  const { page, url, target, admin } = opened;
  const { countryId, installerId, customerId, siteId } = await buildHierarchy(opened);
  await admin.put(`/v1/role/${countryId}/member?userEmail=femke@example.com`);
  await admin.put(`/v1/role/${installerId}/member?userEmail=eva@example.com`);
  const key = { name: "Gateway", rights: { ...rights("deviceManagement") } };
  await admin.post(`/v1/role/${installerId}/key`, key);
  await invite(target, admin, installerId, SANNE);
  await signIn(opened, SANNE, `the first password of ${SANNE}`);
  const relation = await relationTo(opened, customerId);
  const address = `${url}/role/${customerId}?do=relation&relation=${relation.id}&rights=roleManagement`;
  await page.goto(address);
  await page.getByText("Up to 5 people lose view and device management, on up to 2 roles.").waitFor();
  await page.getByRole("listitem").filter({ hasText: "Key Gateway" }).getByText("− D").waitFor();
  await page.getByText("2 more, whom you may not see").waitFor();
  // No small hierarchy has such an effect.
  await page.route((url) => url.searchParams.has("dryRun"), async (route) => {
    const response = await route.fetch();
    const { effect, ...json } = await response.json();
    const larger = { people: { gained: 0, lost: 7 }, unmanaged: [siteId, customerId], hiddenUnmanaged: 2 };
    await route.fulfill({ response, json: { ...json, effect: { ...effect, ...larger, truncated: true } } });
  });
  await page.goto(address);
  await page.getByText("About 7 people lose view and device management, on at least 2 roles.").waitFor();
  await page.getByText("Site and at least 1 more role would have no one left who can manage them.").waitFor();
  await page.getByText("At least 2 roles that you may not see would have no one left").waitFor();
  await checkLooks(page, "change-larger");
});

consoleTest("a person who keeps the right through another role is not said to lose it", async (opened) => {
  const { page, url, admin } = opened;
  const { countryId, installerId, customerId } = await buildHierarchy(opened);
  const dealerId = await admin.create(countryId, "Dealer");
  await admin.put(`/v1/role/${dealerId}/manages?childRoleId=${customerId}`, rights("viewManagement"));
  for (const roleId of [installerId, dealerId]) {
    await admin.put(`/v1/role/${roleId}/member?userEmail=${SANNE}`);
  }
  await admin.put(`/v1/role/${installerId}/member?userEmail=eva@example.com`);
  await signIn(opened);
  const body = { filter: { childRoleId: [customerId] } };
  const { manages } = await admin.post<{ manages: Manages[] }>("/v1/role/*/manages/query", body);
  const relation = manages.find(({ parentRoleId }) => parentRoleId === installerId);
  await page.goto(`${url}/role/${customerId}?do=relation&relation=${relation?.id}&rights=roleManagement`);
  await page.getByText("3 people lose view and device management, on 2 roles in all.").waitFor();
  const sanne = page.getByRole("listitem").filter({ hasText: SANNE });
  await sanne.getByText("keeps view management, through Dealer").waitFor();
  await page.getByRole("checkbox", { name: "device management" }).check();
  await page.getByText("1 person loses view management, on 2 roles.").waitFor();
  await page.getByText("Nothing changes for 1 person:").waitFor();
  await sanne.getByText("keeps view management, through Dealer").waitFor();
  await checkLooks(page, "change-keeps-all");
  const membership = (await membersOf(opened, installerId)).find(({ userEmail }) => userEmail === SANNE);
  await page.goto(`${url}/role/${installerId}?do=member&member=${membership?.id}&how=remove`);
  await page.getByText(`${SANNE} loses all six rights, on 3 roles in all.`).waitFor();
  await sanne.getByText("keeps view management, through Dealer").waitFor();
});

consoleTest("a deletion that would leave shared roles unmanaged names them", async (opened) => {
  const { page, url, admin } = opened;
  const { countryId, installerId, customerId } = await buildHierarchy(opened);
  const dealerId = await admin.create(countryId, "Dealer");
  await admin.put(`/v1/role/${dealerId}/manages?childRoleId=${customerId}`, rights("viewManagement"));
  await signIn(opened);
  const relation = await relationTo(opened, installerId);
  await page.goto(`${url}/role/${installerId}?do=relation&relation=${relation.id}&how=delete`);
  await page.getByText("No role would manage").waitFor();
  await page.locator(".fault", { hasText: "Customer" }).waitFor();
  await checkLooks(page, "change-shared");
});

consoleTest(
  "deleting a role's last relation says what is deleted with it, and leads to the role above",
  async (opened) => {
    const { page, url, admin } = opened;
    const { siteId, customerId } = await buildHierarchy(opened);
    const name = '<img src=x onerror=alert(1)>\u202e"';
    const hostileId = await admin.create(siteId, name);
    await admin.create(hostileId, "Shed");
    await signIn(opened);
    const relation = await relationTo(opened, hostileId);
    await page.goto(`${url}/role/${hostileId}?do=relation&relation=${relation.id}`);
    await page.getByRole("link", { name: "Delete this relation instead" }).click();
    await admin.post(`/v1/device?roleId=${hostileId}`, { properties: { nodeId: "meter-1" } });
    await page.reload();
    await page.getByText(
      "is deleted, since nothing else leads to it, and with it 1 role and 1 device below it.",
    )
      .waitFor();
    await page.getByText("Among them: Shed, meter-1.").waitFor();
    // Their members would lose all six, but have none.
    await page.getByText("1 person loses role, view, and device management, on 2 roles in all.").waitFor();
    await checkLooks(page, "change-delete");
    const submit = /^Delete .* and 1 role and 1 device below it$/;
    await page.getByRole("heading", { name: submit }).waitFor();
    await page.getByRole("button", { name: submit }).click();
    await page.getByRole("heading", { name: "Site", exact: true }).waitFor();
    // The name cannot turn the words after it round.
    const notice = page.getByRole("status").filter({ hasText: "Deleted: " }).locator("p");
    assert.match(await notice.innerText(), /^Deleted: \u2068.*\u2069 and 1 role and 1 device below it\.$/);
    assert.deepEqual(await admin.roleIds({ filter: { ancestorRoleId: [customerId] } }), [siteId]);
  },
);
