/** Forms that change roles, relations and members: the effect before, the change, and its undo. */
import assert from "node:assert/strict";
import { parseRightPresets } from "../../src/console/right_presets.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { invite, type Manages, type Member } from "../helpers/person.ts";
import {
  ADA,
  changeMeanwhile,
  checkLooks,
  confirmByPassword,
  type Console,
  endSessions,
  isApplied,
  PASSWORD,
  signIn,
  useConsole,
} from "./open_console.ts";

const { consoleTest } = useConsole();

const SANNE = "sanne@example.com";

/** Country, installer, customer and site, one below the other. */
async function build({ admin, rootId }: Console) {
  const countryId = await admin.create(rootId, "Netherlands");
  const installerId = await admin.create(countryId, "Installer X");
  const customerId = await admin.create(
    installerId,
    "Customer",
    rights("roleManagement", "viewManagement", "deviceManagement"),
  );
  const siteId = await admin.create(customerId, "Site");
  return { countryId, installerId, customerId, siteId };
}

async function relationTo({ admin }: Console, childRoleId: number): Promise<Manages> {
  const body = { filter: { childRoleId: [childRoleId] } };
  const { manages } = await admin.post<{ manages: Manages[] }>("/v1/role/*/manages/query", body);
  return manages[0] as Manages;
}

async function membersOf({ admin }: Console, roleId: number): Promise<Member[]> {
  return (await admin.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`, {})).member;
}

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

consoleTest("narrowing a relation shows who loses what, and does exactly that", async (opened) => {
  const { page, url, admin } = opened;
  const { installerId, customerId } = await build(opened);
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

consoleTest(
  "a right that was taken away is given back from the notice, by keyboard, on any tab",
  async (opened) => {
    const { page, url, admin } = opened;
    const { customerId } = await build(opened);
    await signIn(opened);
    await page.goto(`${url}/role/${customerId}?tab=people`);
    await page.getByRole("link", { name: /^Installer X manages Customer/ }).press("Enter");
    await page.getByRole("checkbox", { name: "device management" }).press("Space");
    const take = page.getByRole("button", { name: "Take device management away", disabled: false });
    await take.press("Enter");
    const notice = page.getByRole("status").filter({ hasText: "The relation was changed." });
    const undo = notice.getByRole("link", { name: "Undo" });
    await undo.waitFor();
    await page.locator(".tabs").getByRole("link", { name: "Devices" }).press("Enter");
    await page.getByRole("link", { name: "Add a device" }).waitFor();
    await page.keyboard.press("Control+z");
    const dialog = page.getByRole("dialog", { name: "Undo this change?" });
    await dialog.getByText("1 person gains device management, on 2 roles.").waitFor();
    // What was shown is done by the next key.
    await dialog.locator("button:focus", { hasText: "Undo the change" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await undo.press("Enter");
    await dialog.getByText("1 person gains device management, on 2 roles.").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("The change was undone.").waitFor();
    assert.deepEqual(await admin.holds(customerId, "deviceManagement"), [true]);
    const close = page.getByRole("button", { name: "Close" });
    await close.press("Enter");
    await close.waitFor({ state: "detached" });
    await page.locator("#content:focus").waitFor();
  },
);

consoleTest(
  "on a phone, a notice covers no control, and ends by Escape or on another page",
  async (opened) => {
    const { page, url } = opened;
    const { customerId } = await build(opened);
    await signIn(opened);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${url}/role/${customerId}`);
    const notice = page.getByRole("status").filter({ hasText: "The role was changed." });
    const rename = async (name: string): Promise<void> => {
      await page.getByRole("link", { name: "Change name and rights" }).press("Enter");
      await page.getByLabel("Name").fill(name);
      await page.getByRole("button", { name: "Save the changes", disabled: false }).press("Enter");
      await notice.getByRole("link", { name: "Undo" }).waitFor();
      await page.getByRole("heading", { name, exact: true }).waitFor();
      await page.getByRole("link", { name: "Change name and rights" }).and(page.locator(":focus")).waitFor();
    };
    await rename("Escaped");
    await page.waitForFunction(`![...document.querySelectorAll("a, button, summary")].some((control) => {
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest(".notice");
      return over && !over.contains(control);
    })`);
    await page.keyboard.press("Escape");
    await notice.waitFor({ state: "detached" });
    await rename("Left");
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await notice.waitFor({ state: "detached" });
  },
);

consoleTest("a change by another user meanwhile is shown before anything is done", async (opened) => {
  const { page, url, admin } = opened;
  const { installerId, customerId } = await build(opened);
  await signIn(opened);
  const relation = await relationTo(opened, customerId);
  await page.goto(`${url}/role/${customerId}?do=relation&relation=${relation.id}&rights=roleManagement`);
  await page.getByText("1 person loses view and device management").waitFor();
  await changeMeanwhile(
    page,
    isApplied,
    () => admin.put(`/v1/role/${installerId}/member?userEmail=${SANNE}`),
  );
  const take = page.getByRole("button", { name: "Take view and device management away" });
  await take.click();
  await page.getByText("Meanwhile, another person changed something, and nothing was done.").waitFor();
  await page.getByText("2 people lose view and device management").waitFor();
  assert.deepEqual(await relationTo(opened, customerId), relation);
  await take.click();
  await page.getByText("The relation was changed.").waitFor();
  assert.deepEqual(await admin.holds(customerId, "roleManagement", "viewManagement"), [true, false]);
});

consoleTest("an effect counts what the viewer may not see, and says if it may be larger", async (opened) => {
  const { page, url, target, admin } = opened;
  const { countryId, installerId, customerId, siteId } = await build(opened);
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
  const { countryId, installerId, customerId } = await build(opened);
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
  const { countryId, installerId, customerId } = await build(opened);
  const dealerId = await admin.create(countryId, "Dealer");
  await admin.put(`/v1/role/${dealerId}/manages?childRoleId=${customerId}`, rights("viewManagement"));
  await signIn(opened);
  const relation = await relationTo(opened, installerId);
  await page.goto(`${url}/role/${installerId}?do=relation&relation=${relation.id}&how=delete`);
  await page.getByText("No role would manage").waitFor();
  await page.locator(".fault", { hasText: "Customer" }).waitFor();
  await checkLooks(page, "change-shared");
});

consoleTest("a role is moved in one change, and cannot be moved below itself", async (opened) => {
  const { page, url, admin } = opened;
  const { countryId, installerId, customerId } = await build(opened);
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
});

consoleTest("a member is invited until Friday, then stays without an end, and is removed", async (opened) => {
  const { page, url } = opened;
  const { siteId } = await build(opened);
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
  const { installerId } = await build(opened);
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
    const { countryId, installerId, customerId, siteId } = await build(opened);
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
  const { siteId } = await build(opened);
  await signIn(opened);
  await page.goto(`${url}/role/${siteId}?tab=people&do=member`);
  await page.getByLabel("Email address", { exact: true }).fill("eva@example.com");
  await page.getByRole("textbox", { name: "Ends" }).fill("12026-11-27T18:00");
  await page.getByText("Enter both a date and a time.").waitFor();
  await page.getByRole("button", { name: "Invite", disabled: true }).waitFor();
});

consoleTest("a member cannot give rights that their own membership does not carry", async (opened) => {
  const { page, url, target, admin } = opened;
  const { installerId, customerId } = await build(opened);
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

consoleTest(
  "deleting a role's last relation says what is deleted with it, and leads to the role above",
  async (opened) => {
    const { page, url, admin } = opened;
    const { siteId, customerId } = await build(opened);
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

consoleTest(
  "deleting many roles asks for the name, and the notice restores them",
  async (opened) => {
    const { page, url, admin } = opened;
    const { countryId, installerId, customerId, siteId } = await build(opened);
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
  const { countryId, installerId } = await build(opened);
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

consoleTest("a form survives a wait, a lost connection and the end of the session", async (opened) => {
  const { page, url, target, expectFaults } = opened;
  const { customerId } = await build(opened);
  await signIn(opened);
  await page.goto(`${url}/role/${customerId}?do=edit`);
  const name = page.getByLabel("Name");
  const preview = (address: URL): boolean => address.searchParams.get("dryRun") === "true";
  const tooMany = {
    statusCode: 429,
    error: "Too Many Requests",
    message: "TOO_MANY_INVITATIONS",
    retryAfter: 2,
  };
  await page.route(preview, (route) => route.fulfill({ status: 429, json: tooMany }));
  await name.fill("Client");
  await page.locator(".fault", { hasText: /The next one is possible in \d seconds?\./ }).waitFor();
  await page.unroute(preview);
  await page.getByText("No one gains or loses a right.").waitFor();

  await page.context().setOffline(true);
  const save = page.getByRole("button", { name: "Save the changes" });
  await save.click();
  await page.getByText("The service cannot be reached.").waitFor();
  await page.context().setOffline(false);
  assert.equal(await name.inputValue(), "Client");

  const busy = { statusCode: 503, error: "Service Unavailable", message: "UNAVAILABLE" };
  await page.route("**/v1/role/*", (route) => route.fulfill({ status: 503, json: busy }), { times: 1 });
  await save.click();
  await page.getByText("The service was busy").waitFor();

  await endSessions(target);
  await save.click();
  await page.getByText("Your session has ended").waitFor();
  await page.getByLabel("Email address", { exact: true }).fill(ADA);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("Your session had ended, so nothing was done.").waitFor();
  assert.equal(await name.inputValue(), "Client");
  await save.click();
  await page.getByRole("heading", { name: "Client", exact: true }).waitFor();
  expectFaults(/ERR_INTERNET_DISCONNECTED|status of 503/);
});

consoleTest("Escape and going back close a form, and the focus returns", async (opened) => {
  const { page, url } = opened;
  const { customerId } = await build(opened);
  await signIn(opened);
  await page.goto(`${url}/role/${customerId}?tab=people`);
  const link = page.getByRole("link", { name: "Invite a person" });
  await link.press("Enter");
  const heading = page.getByRole("heading", { name: "Invite a person to Customer" });
  await heading.waitFor();
  await page.locator("h2:focus", { hasText: "Invite a person to Customer" }).waitFor();
  await page.keyboard.press("Escape");
  await link.waitFor();
  await page.locator("a:focus", { hasText: "Invite a person" }).waitFor();
  await link.press("Enter");
  await heading.waitFor();
  await page.goBack();
  await link.waitFor();
});

consoleTest(
  "a customer sets a password of their role, with which an installer takes them over",
  async (opened) => {
    const { page, url, admin, rootId, target } = opened;
    const { customerId } = await build(opened);
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
