/** Demands of a second factor: their preview, what members learn, and one for several roles. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { rights } from "../every_operation/request_catalogue.ts";
import { execute } from "../helpers/http.ts";
import { invite, Person } from "../helpers/person.ts";
import { activateTotp } from "../helpers/second_factors.ts";
import { ADA, checkLooks, isApplied, signIn, signOut, useConsole } from "./open_console.ts";

const { consoleTest } = useConsole();

const EVA = "eva@example.com";

/** Types in the app's code in the dialog that asks for the second step. */
async function prove(page: Page, code: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Your second step is needed" });
  await dialog.getByLabel("Code from your authenticator app").fill(code);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.waitFor({ state: "detached" });
}

consoleTest(
  "a role demands a second step after a preview, and its members learn what that means for them",
  async (opened) => {
    const { page, url, target, admin, rootId } = opened;
    const eva = await invite(target, admin, rootId, EVA);
    const siteId = await admin.create(rootId, "Site");

    await signIn(opened);
    await page.goto(`${url}/role/${rootId}`);
    await page.getByText("its members need nothing more than signing in").waitFor();
    await page.getByRole("link", { name: "Change what it demands" }).click();
    const what = page.getByLabel("To act for the role, members need");
    await what.selectOption("required");
    const dialog = page.getByRole("dialog", { name: "Your second step is needed" });
    await dialog.getByText("Your account has neither.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("a second step that this session has not shown").waitFor();
    await page.getByRole("button", { name: "Use your second step" }).waitFor();
    const { app } = await activateTotp(target, admin.accessToken);
    await page.getByRole("button", { name: "Use your second step" }).click();
    await dialog.getByText("not confirmed it yet").waitFor();
    await execute(target, "UPDATE second_factor SET meets = 1 WHERE kind = 'totp'");
    await dialog.getByRole("button", { name: "Try again" }).click();
    await prove(page, app.code());
    await page.getByText("One other member is not known to have it.").waitFor();
    await what.selectOption("phishing-resistant");
    await dialog.getByText("Your account has none.").waitFor();
    await page.keyboard.press("Escape");
    await what.selectOption("required");
    await page.getByRole("button", { name: "In a week" }).click();
    await page.getByText(/its members need an authenticator app or a passkey from .* on/).waitFor();
    await page.getByRole("button", { name: "Demand it" }).and(page.locator("[aria-disabled=false]"))
      .waitFor();
    await checkLooks(page, "demand-preview");
    await page.getByRole("button", { name: "Demand it" }).click();
    await page.getByText("The role has its demand.").waitFor();
    await page.getByText("Until then: nothing more than signing in.").waitFor();
    await page.goto(`${url}/role/${rootId}?tab=people`);
    await page.getByText(EVA).waitFor();
    await page.goto(`${url}/changes`);
    await page.getByText("changed what").waitFor();

    await signOut(page);
    await signIn(opened, EVA, `the first password of ${EVA}`);
    await page.goto(opened.url);
    await page.getByText(/From .* on, a role demands more of you/).waitFor();
    await page.getByRole("heading", { name: "Energy Inc" }).waitFor();
    await execute(target, "UPDATE role SET needs_from = NULL WHERE id = :rootId", { rootId });

    await page.goto(url);
    await page.getByRole("heading", { name: "You have dormant memberships" }).waitFor();
    await page.getByRole("link", { name: "More about it" }).click();
    await page.getByText("Dormant: needs an authenticator app or a passkey.").waitFor();
    await page.goto(`${url}/why?role=${siteId}&right=viewManagement`);
    await page.getByText("is dormant in this session").waitFor();
    await checkLooks(page, "demand-why");
    const evas = await activateTotp(target, eva.accessToken);
    await execute(target, "UPDATE second_factor SET meets = 1 WHERE kind = 'totp'");
    await page.getByRole("button", { name: "Use your second step" }).last().click();
    await prove(page, evas.app.code());
    await page.getByText("You have view management on Site").waitFor();
    assert.equal(await page.getByText("dormant").count(), 0);
    await page.goto(`${url}/why?person=${ADA}&role=${siteId}&right=viewManagement`);
    await page.getByText("Only in a session in which they have used an authenticator app").waitFor();
    await page.goto(`${url}/role/${rootId}?tab=people`);
    await page.getByText("Has not met what the role demands yet").or(page.getByText("Last met")).first()
      .waitFor();
    await checkLooks(page, "demand-members");
  },
);

consoleTest(
  "one demand is set for several roles, after a look at each, and the refused ones stay chosen",
  async (opened) => {
    const { page, url, target, admin, rootId } = opened;
    const parkId = await admin.create(rootId, "Park");
    const siteIds = [await admin.create(parkId, "Site 1"), await admin.create(parkId, "Site 2")];
    const boatId = await admin.create(rootId, "Boat");
    await invite(target, admin, siteIds[0] as number, EVA);
    // Of another organization, which lets this one see its office.
    const { userId, roleId: officeId } = await target.bootstrapRoot("grace@example.com", "Office");
    const grace = new Person(target, await target.accessToken(userId));
    await grace.put(`/v1/role/${officeId}/member?userEmail=${ADA}`, { rights: rights("viewManagement") });

    await signIn(opened);
    const { app } = await activateTotp(target, admin.accessToken);
    await execute(target, "UPDATE second_factor SET meets = 1 WHERE kind = 'totp'");
    // It is planned for one of them, so that the service says who lacks it.
    const planned = { id: siteIds[0] as number, later: target.clock.now() + 5 * 86_400_000 };
    await execute(target, "UPDATE role SET needs = 1, needs_from = :later WHERE id = :id", planned);
    await page.goto(`${url}/role/${parkId}?do=demand`);
    await page.getByLabel("To act for the role, members need").selectOption("required");
    await prove(page, app.code());
    await page.getByText("All other members have shown that already").waitFor();

    // By keyboard: two roles by name, and those below by their shortcut.
    const also = page.getByRole("combobox", { name: "Also for another role" });
    await also.focus();
    for (const name of ["Boat", "Office"]) {
      await page.keyboard.type(name);
      await page.getByRole("option", { name }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: `Leave out ${name}` }).waitFor();
    }
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Leave out Site 2" }).waitFor();
    const rows = page.getByRole("status").getByRole("listitem");
    await rows.filter({ hasText: "Site 1" }).getByText("by 1 other member").waitFor();
    await rows.filter({ hasText: "Office" }).getByText("You may not set this").waitFor();
    await rows.filter({ hasText: "Site 1" }).getByText("by 1 other member").click();
    await rows.getByRole("link", { name: EVA }).waitFor();
    await checkLooks(page, "demand-several");
    await page.getByRole("button", { name: "Leave out Boat" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("li:focus", { hasText: "Office" }).waitFor();

    await page.route(`**/role/${siteIds[0]}/authentication-policy`, async (route) => {
      if (!isApplied(route.request())) return await route.fallback();
      await route.fulfill({ status: 409, json: { statusCode: 409, message: "EFFECT_CHANGED" } });
    });
    await page.getByRole("button", { name: "Demand it (3 roles)", disabled: false }).click();
    await page.getByText("2 roles were changed.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Site 1: Meanwhile, another person" }).waitFor();
    await rows.filter({ hasText: "Park" }).getByText("demands already").waitFor();
    await checkLooks(page, "demand-several-left");
    await page.unrouteAll();
    await page.getByRole("button", { name: "Demand it (1 role)", disabled: false }).click();
    await page.getByText("1 role was changed.").waitFor();
    const needs = await Promise.all(
      [parkId, ...siteIds, boatId].map(async (id) => {
        const found = await admin.get<{ authenticationPolicy: { secondFactor: string } }>(
          `/v1/role/${id}/authentication-policy`,
        );
        return found.authenticationPolicy.secondFactor;
      }),
    );
    assert.deepEqual(needs, ["required", "required", "required", "none"]);
  },
);
