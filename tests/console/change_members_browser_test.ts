/** Invitations, memberships and their ends: the effect before, the change, and what it refuses. */
import assert from "node:assert/strict";
import { parseRightPresets } from "../../src/console/right_presets.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { invite, type Member } from "../helpers/person.ts";
import { buildHierarchy, membersOf, relationTo, SANNE } from "./change_scene.ts";
import { checkLooks, confirmByPassword, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

consoleTest(
  "an invitation begins with the least usual rights that a member of the role has",
  async (opened) => {
    const { page, url, admin, rootId } = opened;
    const siteId = await admin.create(rootId, "Site");
    const invite = (email: string, ...names: string[]) =>
      admin.put(`/v1/role/${siteId}/member?userEmail=${email}`, { rights: rights(...names) });
    await invite("odd@example.com", "reportManagement");
    await signIn(opened);
    await page.goto(`${url}/role/${siteId}?do=member`);
    await page.getByLabel("Email address", { exact: true }).fill("new@example.com");
    await page.getByText("gains all six rights").waitFor();
    await invite("tech@example.com", "viewManagement", "deviceManagement", "alarmManagement");
    await admin.put(`/v1/role/${siteId}/member?userEmail=boss@example.com`, {});
    await page.reload();
    await page.locator("[aria-pressed=true]", { hasText: "Technician" }).waitFor();
    await page.getByLabel("Email address", { exact: true }).fill("new@example.com");
    await page.getByText("gains view, device, and alarm management")
      .first().waitFor();
  },
);

consoleTest(
  "a platform's own sets of rights take the place of the usual ones, in the language of the page",
  async (opened) => {
    const { page, url, rootId } = opened;
    await signIn(opened);
    await page.goto(`${url}/role/${rootId}?do=create`);
    const own = page.getByRole("group").last();
    await own.getByRole("button", { name: "Fitter" }).click();
    assert.deepEqual(await own.locator(".choices button").allInnerTexts(), ["Reader", "Fitter"]);
    await page.evaluate("localStorage.setItem('rolegrid-language', 'de')");
    await page.reload();
    await own.getByRole("button", { name: "Monteurin" }).waitFor();
    assert.deepEqual(await own.locator(".choices button").allInnerTexts(), ["Reader", "Monteurin"]);
  },
  { deps: { rightPresets: parseRightPresets("Fitter, de:Monteurin=VD; Reader=V") } },
);

consoleTest("a usual set of rights is one press, where the viewer may give all of it", async (opened) => {
  const { page, url, rootId } = opened;
  await signIn(opened);
  await page.goto(`${url}/role/${rootId}?do=create`);
  const [given, own] = [page.getByRole("group").first(), page.getByRole("group").last()];
  // The relation to a new role always carries role management.
  assert.equal(await given.getByRole("button", { name: "Technician" }).count(), 0);
  await own.getByRole("button", { name: "Technician" }).press("Enter");
  await own.locator("[aria-pressed=true]", { hasText: "Technician" }).waitFor();
  const held = await own.getByRole("checkbox", { checked: true }).evaluateAll((boxes) =>
    boxes.map((box) => box.closest("label")?.innerText.trim().replace(/\s+/g, " "))
  );
  assert.deepEqual(held, ["V View management", "D Device management", "A Alarm management"]);
  await own.getByRole("checkbox", { name: "alarm management" }).uncheck();
  assert.equal(await own.locator("[aria-pressed=true]").count(), 0);
});

consoleTest("a member is invited until Friday, then stays without an end, and is removed", async (opened) => {
  const { page, url } = opened;
  const { siteId } = await buildHierarchy(opened);
  await signIn(opened);
  await page.goto(`${url}/role/${siteId}?tab=people`);
  await page.getByRole("link", { name: "Invite a person" }).click();
  await page.getByRole("heading", { name: "Invite a person to Site" }).waitFor();
  await page.getByLabel("Email address", { exact: true }).fill("eva@example");
  await page.getByRole("button", { name: "Until Friday" }).click();
  await page.getByText("That is not an email address.").waitFor();
  await page.getByLabel("Email address", { exact: true }).fill("eva@example.com");
  await page.getByLabel("Rights", { exact: true }).selectOption("Only some of them");
  await page.getByRole("checkbox", { name: "view management" }).check();
  await page.getByText("eva@example.com gains view management, on 1 role.").waitFor();
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByText("Invited. An email is on its way.").waitFor();
  const row = page.getByRole("listitem").filter({ hasText: "eva@example.com" }).first();
  await row.waitFor();
  const [eva] = await membersOf(opened, siteId) as (Member & { until?: string; rights?: unknown })[];
  assert.equal(new Date(eva?.until ?? 0).getDay(), 5);
  assert.deepEqual(eva?.rights, { ...rights("viewManagement") });

  await page.goto(`${url}/role/${siteId}?tab=people&do=member&member=${eva?.id}`);
  await page.getByRole("button", { name: "For good" }).click();
  await page.getByText("The membership no longer ends by itself.").waitFor();
  await page.getByRole("button", { name: "Change the membership" }).click();
  await page.getByText("The membership was changed.").waitFor();
  assert.equal((await membersOf(opened, siteId) as { until?: string }[])[0]?.until, undefined);

  await page.goto(`${url}/role/${siteId}?tab=people&do=member&member=${eva?.id}`);
  await page.getByRole("link", { name: "Remove this person instead" }).click();
  await page.getByText("eva@example.com loses view management, on 1 role.").waitFor();
  await page.getByRole("button", { name: "Remove from the role" }).click();
  await page.getByText("The person is no longer a member.").waitFor();
  assert.deepEqual(await membersOf(opened, siteId), []);
});

consoleTest("a removal names the keys that the member made", async (opened) => {
  const { page, url, target, admin } = opened;
  const { installerId } = await buildHierarchy(opened);
  const sanne = await invite(target, admin, installerId, SANNE);
  for (const name of ["Night run", "Meter reader"]) {
    await sanne.post(`/v1/role/${installerId}/key`, { name });
  }
  await signIn(opened);
  const members = await membersOf(opened, installerId);
  const sannes = members.find(({ userEmail }) => userEmail === SANNE);
  await page.goto(`${url}/role/${installerId}?do=member&member=${sannes?.id}&how=remove`);
  await page.getByText(
    "keys that this person made: Night run, Meter reader. Delete those whose secret they may know.",
  ).waitFor();
  await checkLooks(page, "change-remove-keys");
});

consoleTest(
  "all access of a member at and below a role ends at once, after a proof of identity",
  async (opened) => {
    const { page, url, target, admin } = opened;
    const { countryId, installerId, customerId, siteId } = await buildHierarchy(opened);
    const sanne = await invite(target, admin, installerId, SANNE);
    await sanne.post(`/v1/role/${siteId}/key`, { name: "Meter reader" });
    await sanne.put(`/v1/role/${customerId}/member?userEmail=eva@example.com`);
    await sanne.create(siteId, "Shed");
    await admin.put(`/v1/role/${countryId}/member?userEmail=${SANNE}`);
    await signIn(opened);
    const members = await membersOf(opened, installerId);
    const sannes = members.find(({ userEmail }) => userEmail === SANNE);
    await page.goto(`${url}/role/${installerId}?do=member&member=${sannes?.id}&how=remove`);
    await page.getByRole("link", { name: "End all their access at and below this role" }).click();
    await page.getByRole("heading", { name: `End the access of ${SANNE} at and below Installer X` })
      .waitFor();
    await page.getByText("This ends 1 membership and 1 key.").waitFor();
    await page.getByRole("checkbox", { name: "Also end what this person gave" }).check();
    await page.getByText("This ends 2 memberships and 1 key.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Key Meter reader" }).getByText("Site").waitFor();
    await page.getByRole("listitem").filter({ hasText: "eva@example.com" }).getByText("Customer").waitFor();
    await page.getByText("The person keeps access to 4 roles there").waitFor();
    await page.getByText("Relations that the person made stay.").waitFor();
    await page.getByRole("link", { name: "Site manages Shed" }).waitFor();
    const end = page.getByRole("button", { name: "End the access" });
    await end.click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Nothing was changed, because you did not confirm that it is you.").waitFor();
    await end.click();
    await confirmByPassword(opened);
    await page.getByText("The access was ended.").waitFor();
    await page.getByRole("heading", { name: "Installer X", exact: true }).waitFor();
    assert.deepEqual(await membersOf(opened, installerId), []);
    assert.deepEqual(await membersOf(opened, customerId), []);
    assert.equal((await membersOf(opened, countryId)).length, 1);
  },
);

consoleTest("an end in a five-digit year is refused, and does not count as no end", async (opened) => {
  const { page, url } = opened;
  const { siteId } = await buildHierarchy(opened);
  await signIn(opened);
  await page.goto(`${url}/role/${siteId}?tab=people&do=member`);
  await page.getByLabel("Email address", { exact: true }).fill("eva@example.com");
  await page.getByRole("textbox", { name: "Ends" }).fill("12026-11-27T18:00");
  await page.getByText("Enter both a date and a time.").waitFor();
  await page.getByRole("button", { name: "Invite", disabled: true }).waitFor();
});

consoleTest("a member cannot give rights that their own membership does not carry", async (opened) => {
  const { page, url, target, admin } = opened;
  const { installerId, customerId } = await buildHierarchy(opened);
  await invite(target, admin, installerId, SANNE);
  const most = rights("roleManagement", "userManagement", "viewManagement", "deviceManagement");
  const until = new Date(target.clock.now() + 7 * 86_400_000).toISOString();
  await admin.put(`/v1/role/${installerId}/member?userEmail=${SANNE}`, { rights: most, until });
  await signIn(opened, SANNE, `the first password of ${SANNE}`);
  const relation = await relationTo(opened, customerId);
  await page.goto(`${url}/role/${customerId}?do=relation&relation=${relation.id}`);
  await page.getByText("You cannot give report and alarm management").waitFor();
  assert.equal(await page.getByRole("checkbox", { name: "alarm management" }).isDisabled(), true);
  assert.equal(await page.getByRole("checkbox", { name: "user management" }).isDisabled(), false);
  // A right that is lost meanwhile is told once, and the form is asked again when it is back.
  await page.getByRole("checkbox", { name: "device management" }).uncheck();
  const take = page.getByRole("button", { name: "Take device management away", disabled: false });
  await take.waitFor();
  const limit = (...names: string[]) =>
    admin.put(`/v1/role/${installerId}/member?userEmail=${SANNE}`, { rights: rights(...names), until });
  await limit("userManagement", "viewManagement");
  await take.click();
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  assert.equal(await page.getByText("You may not change this relation like that.").count(), 1);
  await limit("roleManagement", "userManagement", "viewManagement", "deviceManagement");
  await again.press("Enter");
  await take.and(page.locator(":focus")).waitFor();
  assert.equal(await page.locator(".fault:visible").count(), 0);
  await page.goto(`${url}/role/${installerId}?do=member&email=eva@example.com`);
  await page.getByText("eva@example.com gains role, user, view, and device management").waitFor();
  await page.getByRole("button", { name: "For good" }).click();
  await page.getByText("Your own membership ends on").waitFor();
  assert.equal(await page.getByRole("button", { name: "Invite" }).isDisabled(), true);
  await checkLooks(page, "change-limited");
  // Above it, this person manages nothing.
  await page.goto(`${url}/role/${installerId}?do=edit`);
  await page.getByLabel("Name").fill("Installer Z");
  await page.getByText("You may not change this role").waitFor();
  const own = (await membersOf(opened, installerId)).find(({ userEmail }) => userEmail === SANNE);
  await page.goto(`${url}/role/${installerId}?do=member&member=${own?.id}`);
  await page.getByRole("link", { name: "Leave this role instead" }).click();
  await page.getByText("You lose role, user, view, and device management yourself, on 3 roles.").waitFor();
  await page.getByRole("button", { name: "Leave the role" }).click();
  await page.getByText("You are not a member of any role").waitFor();
});
