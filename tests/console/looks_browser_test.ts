/** Every view: barriers, titles, narrow screens, forced colours, and what covers the focus. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { rights } from "../every_operation/request_catalogue.ts";
import { keysOn } from "./hand.ts";
import { makeViews, type View } from "./make_views.ts";
import { type Console, findBarriers, signIn, useConsole } from "./open_console.ts";
import { IS_LONG } from "../helpers/read_count.ts";

const { consoleTest } = useConsole();

/** WCAG 2.2, 1.4.12: what a person may set, and nothing is lost. */
const SPACED = `* {
  line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important;
}
p { margin-bottom: 2em !important; }`;
const LARGE = "html { font-size: 150% !important; }";

consoleTest(
  "every view has no barrier that axe finds, a title of its own, and room on the narrowest screen in each language",
  async (opened) => {
    const { page } = opened;
    const faults: string[] = [];
    const placesByTitle = new Map<string, string>();
    let opening = 0;
    for await (const { path, name } of openViews(opened)) {
      // A short run opens all views, and looks at half of them.
      if (!IS_LONG && ++opening % 2 === 0) continue;
      faults.push(...await findBarriers(page, name, SIZES));
      await page.setViewportSize({ width: 320, height: 640 });
      const found = await readInLanguages(page);
      faults.push(...found.faults.map((fault) => `${name}: ${fault}`));
      const [place = ""] = path.split("?");
      for (const title of found.titles) {
        const other = placesByTitle.get(title) ?? place;
        if (other !== place) faults.push(`${place} has the title of ${other}: ${title}`);
        placesByTitle.set(title, place);
      }
    }
    assert.deepEqual(faults, []);
  },
);

consoleTest(
  "in the user's own forced colours, rights that are held, not held and lost look different",
  async (opened) => {
    const { page, admin, rootId, url } = opened;
    const siteId = await admin.create(rootId, "Site");
    await admin.create(siteId, "Room", rights("roleManagement", "viewManagement"));
    await signIn(opened);
    await page.goto(opened.url);
    await page.emulateMedia({ forcedColors: "active" });
    await page.goto(`${url}/role/${siteId}`);
    await page.getByRole("link", { name: /Lost here/ }).first().waitFor();
    const looks = await page.evaluate(`["held", "none", "lost"].map((state) => {
      const tick = document.querySelector(".mark .rights ." + state + ", .legend .rights ." + state);
      const { backgroundColor, borderStyle, textDecorationLine, color } = getComputedStyle(tick);
      const fill = backgroundColor === color ? "illegible" : backgroundColor;
      return [fill, borderStyle, textDecorationLine].join(" ");
    })`) as string[];
    assert.equal(new Set(looks).size, 3, String(looks));
    assert.ok(!looks.some((look) => look.startsWith("illegible")), String(looks));
    const widths = await page.evaluate(`[".box[aria-current]", ".box:not([aria-current])"].map((box) =>
      getComputedStyle(document.querySelector(box)).borderTopWidth)`);
    assert.deepEqual(widths, ["3px", "1px"]);
    await page.emulateMedia({ forcedColors: null });
  },
);

consoleTest("the bar at the top does not cover the focused element", async (opened) => {
  const { page, admin, rootId, url } = opened;
  for (let i = 0; i < 20; i++) await admin.create(rootId, `Customer ${i}`);
  await signIn(opened);
  await page.goto(`${url}/changes`);
  await page.getByRole("link", { name: "Customer 0" }).focus();
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await keysOn(page).walkTo(page.getByRole("link", { name: "Customer 15", exact: true }), 100);
});

consoleTest("on a phone, neither a notice nor a bar covers the focused element", async (opened) => {
  const { page, admin, rootId, url } = opened;
  const siteId = await admin.create(rootId, "Site");
  for (let i = 0; i < 12; i++) await admin.create(siteId, `Room ${i}`);
  await signIn(opened);
  await page.goto(opened.url);
  await page.setViewportSize({ width: 390, height: 640 });
  await page.goto(`${url}/role/${siteId}?do=edit`);
  const hand = keysOn(page);
  await page.getByLabel("Name").fill("Home");
  await hand.press(page.getByRole("button", { name: "Save the changes", disabled: false }));
  const notice = page.getByRole("status").filter({ hasText: "The role was changed." });
  await notice.getByRole("link", { name: "Undo" }).waitFor();
  // At the end of the page, below the panel.
  await hand.walkTo(page.getByText("The picture", { exact: true }));
  await page.locator(".tabs").getByRole("link", { name: "Changes" }).press("Enter");
  await page.getByRole("link", { name: "Room 0" }).first().waitFor();
  await hand.walkTo(notice.getByRole("link", { name: "Undo" }), 100);
});

/** Opens one view after another, each as if its link had been followed. */
async function* openViews(opened: Console): AsyncGenerator<View & { readonly name: string }> {
  const { page, url, target } = opened;
  let count = 0;
  for (const { userId, views } of await makeViews(opened)) {
    await page.context().clearCookies();
    await page.goto(url);
    if (userId !== undefined) await beginSession(opened, userId);
    for (const view of views) {
      // What was read would otherwise count until the end.
      target.clock.advance(5);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.evaluate(`(() => {
        const to = ${JSON.stringify(url + view.path)};
        if (to === location.href) return;
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      })()`);
      await view.open?.(page);
      await page.getByText(view.shows).filter({ visible: true }).first().waitFor();
      await page.evaluate(COMES_TO_REST);
      count++;
      yield { ...view, name: `${count}${view.path.replaceAll(/[^a-z0-9]+/g, "-")}` };
      if (view.open === undefined) continue;
      await page.keyboard.press("Escape");
      // It gives the focus back as it closes.
      await page.locator("dialog[open]").waitFor({ state: "detached" });
    }
  }
}

/** Signs a person in without a password. */
async function beginSession({ page, target, url }: Console, userId: number): Promise<void> {
  const { refreshToken } = await target.openSession(userId);
  await page.evaluate(async (token) => {
    await fetch("/console/session", { method: "PUT", headers: { Authorization: `Bearer ${token}` } });
  }, refreshToken);
  await page.goto(url);
}

/** Waits until all is loaded, but for what is behind a dialog, which it may wait for. */
const COMES_TO_REST = `(async () => {
  const isLoading = (part) => part.querySelector("[aria-busy=true]") || part.innerText.includes("Loading…");
  while (isLoading(document.querySelector("dialog[open]") ?? document.body)) {
    await new Promise(requestAnimationFrame);
  }
})()`;

/** On a phone, the same parts stand below each other. */
const SIZES = IS_LONG ? ["desktop", "phone"] as const : ["phone"] as const;
/** German has the longest words. English, in which views open, comes last. */
const LANGUAGES = IS_LONG ? ["nl", "fr", "de", "en"] : ["de", "en"];
/** What axe finds depends on the language for these. */
const RULES_OF_WORDS = ["label-content-name-mismatch", "landmark-unique"];

/** Reads the page in each language, with what a person may set. Returns its titles, and what is wrong. */
async function readInLanguages(page: Page): Promise<{ titles: string[]; faults: string[] }> {
  return await page.evaluate(`(async () => {
    const [titles, faults] = [[], []];
    const styles = ${JSON.stringify(["", LARGE, SPACED])};
    const select = document.querySelector(".language select");
    for (const tag of ${JSON.stringify(LANGUAGES)}) {
      select.value = tag;
      select.dispatchEvent(new Event("change"));
      do await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      while (document.documentElement.lang !== tag);
      titles.push(document.title);
      const headings = [...document.querySelectorAll("h1")].filter((each) => each.checkVisibility());
      if (headings.length !== 1) faults.push(tag + ": " + headings.length + " main headings");
      for (const style of tag === "en" ? styles : styles.slice(0, 2)) {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(style);
        document.adoptedStyleSheets = [sheet];
        const { scrollWidth } = document.documentElement;
        if (scrollWidth > innerWidth) faults.push(tag + ": " + scrollWidth + " wide with " + style);
      }
      document.adoptedStyleSheets = [];
      // English has been looked at.
      if (tag === "en") break;
      const { violations } = await axe.run({
        runOnly: { type: "rule", values: ${JSON.stringify(RULES_OF_WORDS)} },
        resultTypes: ["violations"],
      });
      faults.push(...violations.flatMap(({ nodes }) => nodes.map(({ html }) => tag + ": " + html)));
    }
    return { titles, faults };
  })()`) as { titles: string[]; faults: string[] };
}
