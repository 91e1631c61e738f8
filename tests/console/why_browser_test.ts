/** Explanations of rights: the missing relation, other people, hidden roles, the past. */
import assert from "node:assert/strict";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { invite, type Manages, type Member } from "../helpers/person.ts";
import { ADA, checkLooks, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const SANNE = "sanne@vandalen.example";

consoleTest("an installer sees where a right is lost, and adds it", async (opened) => {
  const { target, page, admin, rootId } = opened;
  const installerId = await admin.create(rootId, "Van Dalen Installatie", ALL);
  const carried = rights("roleManagement", "viewManagement", "deviceManagement");
  await admin.create(installerId, "Camping De Duinrand", carried);
  await invite(target, admin, installerId, SANNE);
  await signIn(opened, SANNE, `the first password of ${SANNE}`);
  await page.goto(opened.url);
  await page.getByRole("link", { name: "Why", exact: true }).click();
  await page.getByText("Choose a role and a right, and the answer appears here.").waitFor();
  await page.getByRole("combobox", { name: "Role", exact: true }).fill("camping");
  await page.getByRole("option", { name: "Camping De Duinrand" }).click();
  await page.getByLabel("Right", { exact: true }).selectOption("alarm management");
  await page.getByText("You do not have alarm management on Camping De Duinrand.").waitFor();
  await page.getByText("It is lost where Van Dalen Installatie manages Camping De Duinrand.").waitFor();
  const asked = page.url();
  const picture = page.getByRole("region", { name: "The paths from the memberships to the role" });
  await picture.getByRole("link", { name: /^Van Dalen Installatie manages .* Lost here: alarm management/ })
    .waitFor();
  await page.getByRole("link", { name: "See what that would do" }).click();
  await page.getByRole("button", { name: "Give alarm management" }).click();
  // Back at the question, which has another answer now.
  await page.getByRole("status").getByRole("link", { name: "Undo" }).waitFor();
  assert.equal(page.url(), asked);
  await page.getByText("You have alarm management on Camping De Duinrand.").waitFor();
  await page.getByText("It gets there by one path.").waitFor();
});

consoleTest("a manager asks about others, and what they may not see stays hidden", async (opened) => {
  const { target, page, url, admin, rootId } = opened;
  const regionId = await admin.create(rootId, "Region", ALL);
  const siteId = await admin.create(regionId, "Site", ALL);
  const email = "eva@example.com";
  const eva = await invite(target, admin, siteId, email);
  const roomId = await eva.create(siteId, "Room", rights("roleManagement"));
  await signIn(opened, email, `the first password of ${email}`);
  const ask = `${url}/why?role=${roomId}&right=viewManagement`;
  await page.goto(`${ask}&person=${ADA}`);
  await page.getByText("ada@example.com does not have view management on Room.").waitFor();
  await page.getByText("It is lost where Site manages Room.").waitFor();
  const picture = page.getByRole("region", { name: "The paths from the memberships to the role" });
  await picture.getByText("Not yours to see", { exact: true }).waitFor();
  assert.equal(await page.getByText("Region").count(), 0);
  await page.goto(`${url}/why?role=${siteId}&right=viewManagement&person=${ADA}`);
  await page.getByText("ada@example.com has view management on Site.").waitFor();
  await page.getByLabel("Person").fill("nobody@example.com");
  await page.getByText("nobody@example.com does not have view management on Site.").waitFor();
  await page.getByText("They are a member neither of it nor of a role above it.").waitFor();
  await page.getByRole("link", { name: "Invite this person" }).click();
  await page.getByText("What this does").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("nobody@example.com does not have view management on Site.").waitFor();
  await page.getByText("They are a member neither of it nor of a role above it.").waitFor();
  await page.goto(`${url}/why?role=${rootId}&right=viewManagement`);
  await page.getByText("There is no such role, or you may not see it.").waitFor();
  await page.getByRole("link", { name: "To your roles" }).waitFor();

  // A reader of the role is told that it is the question, not the answer.
  await invite(target, eva, siteId, "rik@example.com");
  await eva.put(`/v1/role/${siteId}/member?userEmail=rik@example.com`, { rights: rights("viewManagement") });
  await signIn(opened, "rik@example.com", "the first password of rik@example.com");
  await page.goto(`${url}/why?role=${siteId}&right=viewManagement&person=${email}`);
  await page.getByText("You may not ask about others here.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Invite this person" }).count(), 0);
});

consoleTest("a narrow membership gets a link that widens it, and the past is as it was", async (opened) => {
  const { target, page, url, admin, rootId } = opened;
  const roleId = await admin.create(rootId, "Site", ALL, rights("viewManagement"));
  const email = "eva@example.com";
  await invite(target, admin, roleId, email);
  const past = new Date(target.clock.now());
  target.clock.advance(300);
  const { member } = await admin.put<{ member: Member }>(`/v1/role/${roleId}/member?userEmail=${email}`, {
    rights: rights("roleManagement"),
  });
  await signIn(opened);
  const ask = `${url}/why?role=${roleId}&right=viewManagement&person=${email}`;
  await page.goto(ask);
  await page.getByText("eva@example.com does not have view management on Site.").waitFor();
  await page.getByText("The membership of Site does not carry it.").waitFor();
  await checkLooks(page, "why-member");
  const fix = page.getByRole("link", { name: "See what that would do" });
  const form = new URL(await fix.getAttribute("href") ?? "", url).searchParams;
  assert.deepEqual(Object.fromEntries(form), {
    do: "member",
    member: String(member.id),
    rights: "roleManagement,viewManagement",
    back: `/why?role=${roleId}&right=viewManagement&person=${encodeURIComponent(email)}`,
  });
  const at = await page.evaluate((at) => {
    const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
    return local.toISOString().slice(0, 16);
  }, past.getTime() + 60_000);
  await page.getByLabel("When").fill(at);
  await page.getByText("eva@example.com had view management on Site.").waitFor();
  assert.equal(await fix.count(), 0);
  await page.getByLabel("When").fill("2030-01-01T00:00");
  await page.getByText("That time has not come yet.").waitFor();
  opened.expectFaults(/status of 400/);
  await page.goto(`${url}/why?role=${roleId}&right=alarmManagement&person=${email}`);
  await page.getByText("On the best path it is lost in 2 places:").waitFor();

  // The list of who has access is read for the same time.
  await page.goto(`${url}/role/${roleId}?tab=people&list=access`);
  const eva = page.getByRole("listitem").filter({ hasText: email });
  await eva.waitFor();
  assert.equal(await eva.getByRole("img", { name: "view management", exact: true }).count(), 0);
  await page.getByLabel("When").fill(at);
  await eva.getByRole("img", { name: "view management", exact: true }).waitFor();
  await page.getByText("The answer is about the past.").waitFor();
  await eva.getByRole("link", { name: /^Why/ }).click();
  await page.getByText("eva@example.com had view management on Site.").waitFor();
  await page.goBack();
  await page.getByLabel("When").fill("2030-01-01T00:00");
  await page.getByText("That time has not come yet.").waitFor();
  opened.expectFaults(/status of 400/);
});

consoleTest("names in the picture are text, and stay in their boxes", async (opened) => {
  const { page, url, admin, rootId } = opened;
  const names = ["<img src=x onerror=alert(1)>", "\u202eesrever", "🦉".repeat(256)];
  let parentId = rootId;
  for (const name of names) parentId = await admin.create(parentId, name);
  const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${rootId}/manages/query`, {});
  assert.equal(manages.length, 1);
  await signIn(opened);
  await page.goto(`${url}/why?role=${parentId}&right=viewManagement`);
  for (const name of names) {
    await page.getByRole("link", { name: `${name}: `, exact: false }).first().waitFor();
  }
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.equal(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), false);
});
