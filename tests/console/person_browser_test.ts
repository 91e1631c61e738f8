/** The page of a person, and their dismissal. */
import assert from "node:assert/strict";
import { rights } from "../every_operation/request_catalogue.ts";
import { invite, type Member } from "../helpers/person.ts";
import { addChildren } from "./crowd.ts";
import { ADA, confirmByPassword, type Console, openSearch, signIn, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const SANNE = "sanne@example.com";
const EVA = "eva@example.com";
const HOSTILE = '<img src=x onerror=alert(1)> \u202e"Customer"';

/** An installer below a country, with a customer below, and Sanne, who let in an acquaintance and made a key. */
async function build({ target, admin, rootId }: Console) {
  const countryId = await admin.create(rootId, "Netherlands");
  const installerId = await admin.create(countryId, "Installer X");
  const customerId = await admin.create(
    installerId,
    HOSTILE,
    rights("roleManagement", "userManagement", "viewManagement"),
  );
  const sanne = await invite(target, admin, installerId, SANNE);
  await admin.put(`/v1/role/${customerId}/member?userEmail=${SANNE}`, {
    until: new Date(target.clock.now() + 30 * 3_600_000).toISOString(),
  });
  await sanne.post(`/v1/role/${installerId}/key`, { name: "hooky" });
  await sanne.put(`/v1/role/${customerId}/member?userEmail=${EVA}`);
  await sanne.put(`/v1/role/${installerId}/password`, {
    password: "a password of a role",
    rights: rights("viewManagement"),
  });
  await sanne.create(installerId, "Shed");
  const { id } = await sanne.get<{ id: number }>("/user");
  return { installerId, customerId, sanneId: id };
}

consoleTest(
  "an administrator dismisses an employee, who stays findable with what they gave",
  async (opened) => {
    const { page, url, admin } = opened;
    const { installerId, customerId, sanneId } = await build(opened);
    await signIn(opened);
    await page.goto(`${url}/role/${installerId}?tab=people`);
    await page.getByRole("link", { name: SANNE }).first().click();
    await page.getByRole("heading", { name: SANNE }).waitFor();
    assert.equal(page.url(), `${url}/person/${sanneId}`);
    const memberOf = page.getByRole("listitem").filter({ hasText: "reaches 2 roles below" });
    await memberOf.getByRole("link", { name: "Installer X", exact: true }).waitFor();
    await page.getByText(/^until /).first().waitFor();
    const key = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "hooky" }) });
    await key.getByText("made ").waitFor();
    await page.getByText(`Membership of ${EVA}`).waitFor();
    await page.getByText("Password of the role").waitFor();
    await page.getByRole("link", { name: "Installer X manages Shed" }).waitFor();
    await page.getByText(/created key .hooky. for/).waitFor();

    // The form of a membership returns to the person.
    await memberOf.getByRole("link", { name: "Change", exact: false }).first().press("Enter");
    await page.getByRole("button", { name: "Change the membership" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: SANNE }).waitFor();
    assert.equal(page.url(), `${url}/person/${sanneId}`);

    // By keyboard: the form takes the focus, and Escape gives it back.
    const end = page.getByRole("link", { name: /^End all access below .Energy Inc/ });
    await end.press("Enter");
    await page.getByText("This ends 2 memberships, 1 key, and 1 password of a role.").waitFor();
    await page.keyboard.press("Escape");
    await end.waitFor();
    await end.and(page.locator(":focus")).waitFor();

    await end.click();
    await page.getByText("This ends 2 memberships").waitFor();
    await page.getByRole("button", { name: "End the access" }).click();
    await confirmByPassword(opened);
    await page.getByText("The access was ended.").waitFor();
    // The page stays that of the person, with what they leave behind.
    await page.getByText("Of no role whose members you manage.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "hooky" }).first().waitFor();
    await page.getByText(`Membership of ${EVA}`).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: SANNE }).waitFor();
    const left = await Promise.all(
      [installerId, customerId].map(async (id) =>
        (await admin.post<{ member: Member[] }>(`/v1/role/${id}/member/query`)).member
      ),
    );
    assert.deepEqual(left.flat().map(({ userEmail }) => userEmail), [EVA]);
    await page.getByRole("link", { name: "What they did" }).click();
    await page.getByRole("link", { name: `by Person ${sanneId}` }).waitFor();
    await page.getByText("created key").first().waitFor();

    // They stay findable by their address, with when it was and who did it.
    await (await openSearch(page)).fill(SANNE);
    await page.getByRole("option", { name: `Person ${SANNE}` }).click();
    await page.getByText(/^Since .*, no access to roles that you manage\./).waitFor();
    assert.equal(page.url(), `${url}/person/${sanneId}`);
    await page.getByText(`Membership of ${EVA}`).waitFor();
    await page.getByRole("link", { name: "What concerns them" }).click();
    await page.getByRole("link", { name: `about ${SANNE}` }).waitFor();
    const rows = page.locator(".change-rows > li");
    // The filter finds memberships of theirs alone; what else ended with these belongs to the same row.
    await rows.filter({ hasText: "ended the access of" }).getByText("What belongs to it").press("Enter");
    const parts = rows.locator(".change-rows").getByRole("listitem");
    for (const part of [/removed sanne/, /deleted key .hooky./, /password/]) {
      await parts.filter({ hasText: part }).first().waitFor();
    }
    assert.equal(await parts.count(), 4);
    await page.getByLabel("Outcome").selectOption("Refused");
    await rows.first().waitFor({ state: "detached" });
  },
);

consoleTest(
  "a page of a person shows what its reader manages, and no one whom they may not see",
  async (opened) => {
    const { page, url, target, admin } = opened;
    const { installerId, customerId, sanneId } = await build(opened);
    await addChildren(target, installerId, 60);
    await signIn(opened);
    await page.goto(`${url}/person?${new URLSearchParams({ email: SANNE.toUpperCase() })}`);
    await page.getByRole("heading", { name: SANNE }).waitFor();
    await page.waitForURL(`${url}/person/${sanneId}`);
    await page.getByLabel("Find by a part of the name").fill("omer 59");
    const reached = page.getByRole("listitem").filter({ hasText: "Customer 59" });
    await reached.getByRole("link", { name: "Why?" }).waitFor();
    await page.getByRole("link", { name: "Customer 1", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Rights in the picture" }).click();
    await page.getByRole("button", { name: SANNE }).waitFor();

    // A person who has left, and gave nothing, has nothing to end.
    const { member } = await admin.post<{ member: Member[] }>(`/v1/role/${customerId}/member/query`);
    const eva = member.find(({ userEmail }) => userEmail === EVA);
    await page.goto(`${url}/person/${eva?.userId}`);
    const end = page.getByRole("link", { name: /^End all access/ });
    await end.waitFor();
    await admin.delete(`/v1/role/${customerId}/member/${eva?.id}`);
    await page.goto(`${url}/person/${eva?.userId}?do=end`);
    await page.getByText(/^Since .*, no access to roles that you manage\./).waitFor();
    await page.getByRole("link", { name: "What they did", exact: true }).waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await end.count(), 0);

    for (const unknown of ["/person/999999", "/person?email=nobody%40example.com"]) {
      await page.goto(url + unknown);
      await page.getByRole("heading", { name: "There is no one here whom you may see" }).waitFor();
    }

    await page.goto(`${url}/account?tab=profile`);
    await page.getByRole("link", { name: "What you reach" }).click();
    await page.getByRole("heading", { name: ADA }).waitFor();
    await page.getByText("This is you.").waitFor();
    await page.getByRole("link", { name: "Energy Inc", exact: true }).first().waitFor();
    assert.equal(await end.count(), 0);
  },
);

consoleTest(
  "a manager signs a person out whose phone was lost, and finds people by what needs attention",
  async (opened) => {
    const { page, url, admin, target, expectFaults } = opened;
    const { customerId } = await build(opened);
    const eva = await invite(target, admin, customerId, "lost@example.com");
    await signIn(opened);
    await page.goto(`${url}/account?tab=profile`);
    // A user sets their own name.
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("x".repeat(101));
    await page.getByRole("button", { name: "Save the name" }).click();
    await page.getByText("A name has at least one letter, no @, and at most 100 characters.").waitFor();
    await name.fill(" Ada \u202eLovelace ");
    await page.getByRole("button", { name: "Save the name" }).click();
    await page.getByText("The name is saved.").waitFor();
    await eva.put("/user", { language: "en", name: HOSTILE });

    await page.goto(`${url}/people`);
    const row = page.getByRole("listitem").filter({ hasText: "lost@example.com" });
    await row.getByText("No second step").waitFor();
    await row.getByText("Last sign-in:").waitFor();
    await row.getByText("<img src=x onerror=alert(1)>").first().waitFor();
    // One row for a person of two roles.
    const sanne = page.locator(".people .rows > li").filter({ hasText: SANNE });
    assert.equal(await sanne.count(), 1);
    assert.equal(await sanne.getByRole("link", { name: /^Change the membership of/ }).count(), 2);

    await row.getByRole("link", { name: /lost@example.com$/ }).click();
    await page.getByText("No second step").waitFor();
    await page.getByRole("button", { name: "End sessions" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("lost@example.com").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "End sessions" }).and(page.locator(":focus")).waitFor();
    assert.equal((await eva.ask("GET", "/user")).status, 200);
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "End all sessions" }).click();
    await page.getByText("1 session ended.").waitFor();
    assert.equal((await eva.ask("GET", "/user")).status, 401);
    await page.getByRole("link", { name: "What concerns them" }).click();
    await page.getByText("ended the sessions of").waitFor();

    const memberId = await admin.memberIdOf(customerId, "lost@example.com");
    target.clock.advance(60);
    await admin.delete(`/v1/role/${customerId}/member/${memberId}`);
    await page.clock.setFixedTime(target.clock.now());
    await page.goto(`${url}/people?list=left`);
    await page.getByRole("listitem").filter({ hasText: "lost@example.com" }).getByText("No access since")
      .waitFor();
    assert.equal(await page.getByText(SANNE).count(), 0);

    // Who had access is told over a period, by a part of an address too.
    await page.goto(`${url}/role/${customerId}?tab=people&list=access`);
    const rows = page.locator(".rows > li");
    await rows.filter({ hasText: EVA }).waitFor();
    assert.equal(await rows.filter({ hasText: "lost@" }).count(), 0);
    await page.getByText("Over a period").click();
    const today = new Date(target.clock.now());
    const day = `${today.getFullYear()}-${String(today.getMonth() + 1).padStart(2, "0")}-${
      String(today.getDate()).padStart(2, "0")
    }`;
    await page.getByLabel("From", { exact: true }).fill(day);
    // It says who has left since. A moment would contradict the period.
    await rows.filter({ hasText: "lost@" }).getByText("No access now").waitFor();
    assert.equal(await page.getByText("No access now").count(), 1);
    assert.equal(await page.getByLabel("When", { exact: true }).count(), 0);
    await page.getByLabel("Find by a part of the address").fill("eva@");
    await rows.filter({ hasText: "lost@" }).waitFor({ state: "detached" });
    await rows.filter({ hasText: EVA }).waitFor();
    await page.getByLabel("Until", { exact: true }).fill("2020-01-01");
    await page.getByText("The last day must not be before the first").waitFor();
    expectFaults(/status of 400/);
  },
);
