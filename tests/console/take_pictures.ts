import { chromium, type Page } from "playwright-core";
import { fileURLToPath } from "node:url";

/**
 * Takes the README's pictures of the console: `deno run -A --config tests/deno.json tests/console/take_pictures.ts
 * http://localhost:8000`, while `deno task dev` serves a new demo there.
 */

const FOLDER = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const [origin = "http://localhost:8000"] = Deno.args;
const url = `${origin}/console`;

await Deno.mkdir(FOLDER, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
await page.goto(url);
await page.getByRole("button", { name: /^Administrator/ }).click();

await goTo(page, "Camping De Duinrand");
const role = page.url();
await page.goto(`${role}?person=sanne@vandalen.example`);
await page.getByText("member of Van Dalen Installatie").waitFor();
await take("hierarchy");

await page.emulateMedia({ colorScheme: "dark" });
await page.goto(role);
await page.getByRole("link", { name: /^Van Dalen Installatie manages Camping De Duinrand/ }).click();
await page.getByRole("checkbox", { name: "device management" }).uncheck();
await page.getByText(/loses? device management/).first().waitFor();
await take("change");

await page.emulateMedia({ colorScheme: "light" });
await page.goto(
  `${url}/why?person=sanne@vandalen.example&role=${role.split("/").at(-1)}&right=alarmManagement`,
);
await page.getByText("It is lost where").waitFor();
await page.getByRole("link", { name: /^Camping De Duinrand/ }).first().waitFor();
await take("why");

await page.goto(`${url}/devices`);
await page.getByRole("link", { name: "Solar inverter" }).first().click();
await page.getByRole("link", { name: "Month" }).or(page.getByRole("button", { name: "Month" })).first()
  .click();
await page.locator(".u-over").first().waitFor();
await take("device");
await browser.close();

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Find anything" }).click();
  await page.getByRole("combobox", { name: "Find anything" }).fill(name);
  await page.getByRole("option", { name }).first().click();
  await page.getByRole("heading", { name }).waitFor();
}

async function take(name: string): Promise<void> {
  // The last movements of a picture, which is not a test.
  await page.waitForTimeout(1000);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${FOLDER}/console-${name}.png` });
}
