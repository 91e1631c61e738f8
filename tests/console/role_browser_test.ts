/** The page of a role: people, keys, invitations, and what a viewer may not see or do. */
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import type { Request } from "playwright-core";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import type { Member } from "../helpers/person.ts";
import { addChildren, addMembers } from "./crowd.ts";
import {
  ADA,
  checkLooks,
  confirmByPassword,
  type Console,
  openSearch,
  PASSWORD,
  signIn,
  useConsole,
} from "./open_console.ts";

const { consoleTest } = useConsole();

const GRACE = "grace@example.com";
const HOSTILE = ["<img src=x onerror=alert(1)>", "\u202eesrever", "🦉".repeat(256)];

consoleTest(
  "an administrator sees who has access to a role, filters the list and saves it as a file",
  async (opened) => {
    const { page, admin, rootId, url } = opened;
    const countryId = await admin.create(rootId, "Netherlands");
    const siteId = await admin.create(countryId, "Site", rights("roleManagement", "viewManagement"));
    await admin.put(`/v1/role/${countryId}/member?userEmail=${GRACE}`, {
      until: "2026-06-01T12:00:00Z",
      rights: rights("viewManagement"),
    });
    await admin.put(`/v1/role/${siteId}/member?userEmail=linus@example.com`);
    await admin.post(`/v1/role/${rootId}/key`, { name: "Gateway", rights: rights() });
    await signIn(opened);
    await page.goto(opened.url);
    await (await openSearch(page)).fill("site");
    await page.getByRole("option", { name: "Role Site" }).click();
    await page.getByRole("heading", { name: "Site" }).waitFor();
    await tab(opened, "Relations").click();
    await page.getByRole("listitem").filter({ hasText: "Netherlands" })
      .getByRole("img", { name: "role management, view management" }).waitFor();
    await tab(opened, "People").click();
    await page.getByRole("listitem").filter({ hasText: "linus@example.com" }).waitFor();
    await page.getByRole("link", { name: "Who has access" }).click();
    const grace = page.getByRole("listitem").filter({ hasText: GRACE });
    await grace.getByRole("img", { name: "view management", exact: true }).waitFor();
    await grace.getByText("Jun 1, 2026").waitFor();
    await grace.getByRole("link", { name: "Netherlands" }).waitFor();
    await page.getByText("Key: Gateway").waitFor();

    await page.getByLabel("Right", { exact: true }).selectOption("role management");
    await grace.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("listitem").filter({ hasText: ADA }).waitFor();
    assert.equal(await grace.count(), 0, "the address keeps the filter");
    const isFile = (request: Request): boolean => request.headers()["accept"] === "text/csv";
    await page.route("**/access/query", (route) => isFile(route.request()) ? undefined : route.continue());
    await page.getByRole("button", { name: "Save as CSV" }).click();
    await page.getByText("Reading…").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.unroute("**/access/query");
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const file = await saving;
    assert.equal(file.suggestedFilename(), `access-${siteId}.csv`);
    const lines = (await Deno.readTextFile(await file.path())).trim().split("\r\n");
    assert.deepEqual(lines.map((line) => line.split(",")[0]), ["userEmail", ADA, "linus@example.com"]);
    await page.getByText("with 2 lines").waitFor();

    await page.getByLabel("Right", { exact: true }).selectOption("any or none");
    await page.getByLabel("Find by a part of the address").fill(GRACE);
    await page.getByRole("listitem").filter({ hasText: ADA }).waitFor({ state: "detached" });
    assert.equal(
      await grace.getByRole("link", { name: /^Why/ }).getAttribute("href"),
      `${new URL(url).pathname}/why?person=grace%40example.com&role=${siteId}&right=viewManagement`,
    );
    await grace.getByRole("link", { name: /^In the picture/ }).click();
    await page.getByRole("link", { name: "Site: view management" }).waitFor();
  },
);

consoleTest("a key is created, its secret is shown once and copied, and it is deleted", async (opened) => {
  const { page, admin, rootId, target, url } = opened;
  const roleId = await admin.create(rootId, "Netherlands", ALL, rights("viewManagement"));
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: new URL(url).origin,
  });
  await signIn(opened);
  await page.goto(`${url}/role/${roleId}?tab=keys`);
  await page.getByText("This role has no keys.").waitFor();
  await page.getByRole("link", { name: "New key" }).click();
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByText("The key needs a name").waitFor();
  await page.getByLabel("Name").fill("Gateway");
  await page.getByText("The key needs a name").waitFor({ state: "detached" });
  for (const name of ["view management", "device management", "alarm management", /may add people/]) {
    await page.getByRole("checkbox", { name }).check();
  }
  await page.getByRole("button", { name: "Create the key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Password").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Nothing was changed, because you did not confirm that it is you.").waitFor();
  await page.getByRole("button", { name: "Create the key" }).click();
  await confirmByPassword(opened);
  await page.getByRole("heading", { name: "The secret of the new key" }).waitFor();
  await page.getByRole("button", { name: "Copy the command" }).click();
  await page.getByText("Copied").waitFor();
  const command = await page.evaluate("navigator.clipboard.readText()") as string;
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByText("Copied").nth(1).waitFor();
  const secret = await page.evaluate("navigator.clipboard.readText()") as string;
  const path = `${new URL(url).origin}/v1/role/query`;
  assert.equal(
    command,
    `curl -s ${path} -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '{"limit": 10}'`,
  );
  const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
  const ask = () => target.request("/v1/role/query", { method: "POST", headers, body: "{}" });
  const answer = await ask();
  assert.deepEqual((await answer.json()).role[0].userRights, rights("viewManagement"));
  await page.getByText("Without effect for now: device management, alarm management.").waitFor();
  await checkLooks(page, "role-secret");

  await page.getByRole("button", { name: "I have kept it" }).click();
  const gateway = page.getByRole("listitem").filter({ hasText: "Gateway" });
  await gateway.getByText("Never used").waitFor();
  await gateway.getByText("May add people").waitFor();
  assert.ok(!(await page.content()).includes(secret));
  await page.getByRole("button", { name: "Adopt the key Gateway" }).click();
  await page.getByRole("dialog", { name: "Adopt this key?" }).waitFor();
  await checkLooks(page, "role-adopt-key");
  await page.getByRole("button", { name: "Adopt the key", exact: true }).click();
  await page.getByRole("heading", { name: "The secret of the new key" }).waitFor();
  assert.equal((await ask()).status, 401, "the old secret ends");
  await page.getByRole("button", { name: "I have kept it" }).click();
  await page.getByRole("button", { name: "Delete the key Gateway" }).click();
  await page.getByRole("dialog", { name: "Delete this key?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  const focused = page.locator(":focus");
  assert.equal(await focused.getAttribute("aria-label"), "Delete the key Gateway");
  await focused.press("Enter");
  await page.getByRole("button", { name: "Delete the key", exact: true }).click();
  await page.getByText("This role has no keys.").waitFor();
  assert.equal((await ask()).status, 401);
});

consoleTest(
  "a manager sends an invitation again, takes it back, and prolongs what ends by two clicks",
  async (opened) => {
    const { page, admin, rootId, target, url } = opened;
    const siteId = await admin.create(rootId, "Site");
    await target.createUser(GRACE);
    const until = new Date(Date.now() + 3 * 86_400_000).toISOString();
    await admin.put(`/v1/role/${siteId}/member?userEmail=${GRACE}`, { until });
    await admin.put(`/v1/role/${siteId}/member?userEmail=new@example.com`);
    await signIn(opened);
    await page.goto(`${url}/role/${siteId}?tab=people`);
    await page.getByRole("link", { name: "Waiting" }).click();
    const rows = page.getByRole("complementary").getByRole("listitem");
    await rows.getByText("Invited on").waitFor();
    await page.getByRole("button", { name: "Send again: new@example.com" }).click();
    await page.getByText("is on its way again").waitFor();
    await page.getByRole("button", { name: "Send again: new@example.com" }).click();
    await rows.getByText("The next one is possible in").first().waitFor();
    await checkLooks(page, "role-waiting");
    await page.getByRole("link", { name: "Take back: new@example.com" }).click();
    await page.getByRole("button", { name: "Remove from the role" }).click();
    await page.getByText("No invitation waits.").waitFor();

    await page.getByRole("link", { name: "In all roles whose members you manage" }).click();
    await page.getByRole("heading", { name: "People", exact: true }).waitFor();
    await page.getByRole("link", { name: "All", exact: true }).click();
    await page.getByRole("link", { name: ADA, exact: true }).waitFor();
    await page.getByLabel("Find among the members").fill("RACE@");
    await page.getByRole("link", { name: ADA, exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: GRACE, exact: true }).waitFor();
    await page.getByRole("link", { name: `Change the membership of ${GRACE}` }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "People", exact: true }).waitFor();
    assert.equal(new URL(page.url()).search, "?list=all&find=RACE%40");
    await page.getByRole("link", { name: "Ending" }).click();
    await page.getByRole("link", { name: "Site" }).waitFor();
    await page.getByRole("link", { name: `A week more: ${GRACE}` }).click();
    await page.getByText("The membership ends by itself on").waitFor();
    await page.getByRole("button", { name: "Change the membership" }).click();
    // The form is on the page of the role, and returns to the list that it was opened from.
    await page.getByText("No membership ends within 7 days.").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("list"), "ending");
    await page.locator("#content:focus").waitFor();
    const { member } = await admin.post<{ member: { userEmail: string; until?: string }[] }>(
      `/v1/role/${siteId}/member/query`,
    );
    const later = member.find(({ userEmail }) => userEmail === GRACE)?.until ?? "";
    assert.ok(Math.abs(Date.parse(later) - Date.parse(until) - 7 * 86_400_000) <= 3_600_000 + 60_000);
  },
);

consoleTest(
  "several people are invited at once, and lines that are refused stay in the form",
  async (opened) => {
    const { page, url, admin, rootId } = opened;
    const siteId = await admin.create(rootId, "Site");
    await admin.put(`/v1/role/${siteId}/member?userEmail=${GRACE}`);
    await signIn(opened);
    await page.goto(`${url}/role/${siteId}?tab=people`);
    await page.getByRole("link", { name: "Invite several" }).click();
    const field = page.getByLabel("Email addresses");
    await field.fill(`Bo <bo@example.com>, ${GRACE}\neva@\ncem@example.com`);
    await page.getByText("Line 2: “\u2068eva@\u2069” is not an email address.").waitFor();
    await checkLooks(page, "invite-many");
    const lines = [
      "email,until",
      `${GRACE},`,
      "bo@example.com,2030-01-31",
      "cem@example.com,",
      "dee@example.com,",
    ];
    await page.getByLabel("Choose a CSV file").setInputFiles({
      name: "people.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(lines.join("\r\n")),
    });
    await page.getByText(/1 is a member already, and stays as they are: .grace@example.com./).waitFor();
    await page.getByText(/^bo@example.com gains/).first().waitFor();
    await page.route("**/member?userEmail=cem*", (route) => route.fulfill({ status: 403, json: {} }), {
      times: 1,
    });
    await page.getByRole("button", { name: "Invite 3 people", disabled: false }).click();
    await page.getByText("2 people were invited.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "cem@example.com: You may not do that" }).waitFor();
    assert.equal(await field.inputValue(), "cem@example.com");
    await page.getByText(/^cem@example.com gains/).first().waitFor();
    await page.getByRole("button", { name: "Invite 1 person", disabled: false }).click();
    await page.getByRole("listitem").filter({ hasText: "cem@example.com" }).first().waitFor();
    const { member } = await admin.post<{ member: (Member & { until?: string })[] }>(
      `/v1/role/${siteId}/member/query`,
    );
    const ends = new Date("2030-01-31T23:59:59.999").toISOString();
    assert.deepEqual(member.map(({ userEmail, until }) => [userEmail, until]), [
      [GRACE, undefined],
      ["bo@example.com", ends],
      ["dee@example.com", undefined],
      ["cem@example.com", undefined],
    ]);

    // The file of the members is read for another role, with the ends that it has.
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const path = await (await saving).path();
    const [header, ...saved] = (await Deno.readTextFile(path)).split("\r\n");
    assert.equal(header, "email,until,rights,userId,externalId,waitingSince,lastMetAt,roleId,roleName");
    assert.match(saved[1] ?? "", new RegExp(`^bo@.*,${ends},all,\\d+,.*,${siteId},Site$`));
    await page.goto(`${url}/role/${rootId}?do=members`);
    await page.getByLabel("Choose a CSV file").setInputFiles(path);
    await page.getByRole("button", { name: "Invite 4 people", disabled: false }).waitFor();
  },
);

consoleTest("pages say what a viewer may not see, and do not offer what they may not do", async (opened) => {
  const { page, admin, rootId, target, url } = opened;
  const countryId = await admin.create(rootId, "Netherlands");
  const customerId = await admin.create(countryId, "Customer", ALL, rights("userManagement"));
  const siteId = await admin.create(countryId, "Site");
  await admin.put(`/v1/role/${customerId}/manages?childRoleId=${siteId}`, rights("viewManagement"));
  const { userId } = await target.createUser("alan@example.com");
  await target.setPassword(userId, PASSWORD);
  await admin.put(`/v1/role/${customerId}/member?userEmail=alan@example.com`);
  await signIn(opened, "alan@example.com");

  await page.goto(`${url}/role/${customerId}?tab=people&list=access`);
  await page.getByRole("listitem").filter({ hasText: ADA }).getByText("1 role that you may not see")
    .waitFor();
  await tab(opened, "Role").click();
  await page.getByText("None that you may see").waitFor();
  assert.equal(await page.getByRole("link", { name: "Change name and rights" }).count(), 0);
  await tab(opened, "Relations").click();
  await page.getByText("No role that you may see manages it.").waitFor();
  assert.equal(await page.getByRole("link", { name: "New role" }).count(), 0);

  await page.goto(`${url}/role/${siteId}?tab=people`);
  await page.getByText("you need user management").waitFor();
  await page.getByText("You are not a member of this role itself.").waitFor();
  await checkLooks(page, "role-people-denied");
  await page.getByRole("link", { name: "Who has access" }).click();
  await page.getByText("To see who has access").waitFor();
  await tab(opened, "Keys").click();
  await page.getByText("To see the keys").waitFor();
  await tab(opened, "Devices").click();
  await page.getByText("This role monitors no devices.").waitFor();
  await tab(opened, "Changes").click();
  await page.getByText("To see all changes").waitFor();
  // It leads to where the right is lost, and to who can give it.
  await page.getByRole("complementary").getByRole("link", { name: "Why", exact: true }).click();
  await page.getByRole("heading", { name: /^You do not have user management on/ }).waitFor();
});

consoleTest("a list that is requested too often counts down, and loads by itself", async (opened) => {
  const { page, rootId, url } = opened;
  await signIn(opened);
  await page.goto(opened.url);
  const body = JSON.stringify({ statusCode: 429, error: "Too Many Requests", message: "TOO_MANY_REQUESTS" });
  await page.route(
    "**/member/query",
    (route) =>
      route.fulfill({ status: 429, headers: { "Retry-After": "2" }, contentType: "application/json", body }),
  );
  await page.goto(`${url}/role/${rootId}?tab=people`);
  await page.locator(".fault", { hasText: /Next one in \d second/ }).waitFor();
  await page.unroute("**/member/query");
  await page.getByRole("complementary").getByRole("listitem").filter({ hasText: ADA }).waitFor();
});

consoleTest("hostile names are shown as text, and do not widen the page", async (opened) => {
  const { page, admin, rootId, url } = opened;
  for (const name of HOSTILE) {
    await admin.create(rootId, name);
    await admin.post(`/v1/role/${rootId}/key`, { name, rights: rights() });
  }
  await signIn(opened);
  for (const address of ["?tab=relations", "?tab=keys", "?tab=people&list=access"]) {
    await page.goto(`${url}/role/${rootId}${address}`);
    for (const name of HOSTILE) {
      await page.getByRole("complementary").getByRole("listitem").filter({ hasText: name }).waitFor();
    }
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  }
  await checkLooks(page, "role-hostile");
});

consoleTest(
  "10,000 roles below and 5,000 members are read page by page, and found by name and address",
  async (opened) => {
    const { page, target, rootId, url } = opened;
    await addChildren(target, rootId, 10_000);
    await addMembers(target, rootId, 5000);
    await signIn(opened);
    await page.goto(opened.url);
    const rows = page.getByRole("complementary").getByRole("listitem");
    await page.goto(`${url}/role/${rootId}?tab=relations`);
    await rows.filter({ hasText: "Customer 50" }).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await rows.filter({ hasText: "Customer 100" }).waitFor();
    await page.getByLabel("Find by a part of the name").fill("mer 9999");
    await rows.filter({ hasText: "Customer 9999" }).waitFor();
    assert.equal(await rows.count(), 1);
    await tab(opened, "People").click();
    await rows.filter({ hasText: "person49@crowd.example" }).waitFor();
    await page.getByLabel("Find among the members").fill("SON4999");
    await rows.filter({ hasText: "person4999@crowd.example" }).waitFor();
    assert.equal(await rows.filter({ hasText: "@crowd.example" }).count(), 1);
    await page.getByLabel("Find among the members").fill("nothing like it");
    await page.getByText("No member’s address has this in it.").waitFor();
    await page.getByRole("link", { name: "Who has access" }).click();
    await page.getByLabel("Find by a part of the address").fill("person4999@crowd.example");
    await rows.filter({ hasText: "person4999@crowd.example" }).getByText("Member").waitFor();
    await page.getByLabel("Find by a part of the address").fill("");
    await rows.filter({ hasText: ADA }).waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    const lines = (await Deno.readTextFile(await (await saving).path())).trim().split("\r\n");
    assert.equal(lines.length, 5002);
    await page.getByText("with 5,001 lines").waitFor();
  },
);

function tab({ page }: Console, name: string) {
  return page.getByRole("navigation", { name: "Parts of the role" }).getByRole("link", { name });
}
