/** The console shows the whole of WordNet. */
import assert from "node:assert/strict";
import { formatRow } from "../../src/transfer/roles/role_format.ts";
import { GraphReader } from "../../src/transfer/roles/role_graph.ts";
import { importHierarchy } from "../../src/transfer/roles/import_roles.ts";
import { ANY_KIND } from "../../tests/helpers/databases.ts";
import { planImport } from "./import_file.ts";
import { readSynsets } from "./synsets.ts";
import {
  checkLooks,
  type Console,
  openSearch,
  signIn,
  useConsole,
} from "../../tests/console/open_console.ts";

const { consoleTest } = useConsole();

const EVA = "eva@example.com";

async function importNouns({ target, rootId }: Console): Promise<void> {
  const reader = new GraphReader();
  for (const [i, row] of planImport(await readSynsets(Infinity), 1).rows.entries()) {
    reader.add(i + 1, formatRow(row));
  }
  const checked = reader.finish({ under: true });
  assert.ok("graph" in checked);
  await importHierarchy(target.deps, checked.graph, { underId: rootId });
}

consoleTest(
  "among 82,000 roles, an administrator invites a person to one, sees where they lose a right below it, " +
    "and removes them",
  async (opened) => {
    const { page, url } = opened;
    await importNouns(opened);

    const goTo = async (name: string): Promise<void> => {
      await (await openSearch(page)).fill(name);
      await page.getByRole("option", { name: `Role ${name}` }).first().click();
      await page.getByRole("heading", { name }).waitFor();
    };
    await signIn(opened);
    await page.goto(url);
    await page.getByRole("link", { name: /^entity\.n\.01: / }).waitFor();
    await page.getByText("82,192 roles below").first().waitFor();

    await goTo("city.n.01");
    await page.getByText("24 of 664 directly below").waitFor();
    await checkLooks(page, "wordnet");

    await goTo("carnivore.n.01");
    await page.getByRole("link", { name: "People", exact: true }).click();
    await page.getByRole("link", { name: "Invite a person" }).click();
    await page.getByRole("heading", { name: "Invite a person to carnivore.n.01" }).waitFor();
    await page.getByLabel("Email address", { exact: true }).fill(EVA);
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByText("Invited. An email is on its way.").waitFor();
    await page.getByRole("button", { name: "Rights of you" }).click();
    await page.locator(".chooser").getByRole("link", { name: EVA, exact: true }).click();
    await page.getByText("member of carnivore.n.01").waitFor();
    await goTo("dog.n.01");
    await page.getByText("member of carnivore.n.01").waitFor();
    await page.getByRole("link", { name: /^dog\.n\.01: / }).waitFor();
    const { pathname } = new URL(page.url());
    const roleId = pathname.split("/").at(-1);
    await page.goto(`${url}/why?person=${EVA}&role=${roleId}&right=viewManagement`);
    await page.getByText(`${EVA} does not have view management on dog.n.01.`).waitFor();
    await page.getByText("It is lost where canine.n.02 manages dog.n.01.").waitFor();
    await page.getByText("Add view management to what canine.n.02 may do on dog.n.01.").waitFor();

    await page.goBack();
    await goTo("carnivore.n.01");
    await page.goto(`${page.url().split("?")[0]}?tab=people`);
    await page.getByRole("link", { name: `Change the membership of ${EVA}` }).click();
    await page.getByRole("link", { name: "Remove this person instead" }).click();
    await page.getByText(`${EVA} loses all six rights, on 362 roles in all.`).waitFor();
    await page.getByRole("button", { name: "Remove from the role" }).click();
    await page.getByText("The person is no longer a member.").waitFor();
  },
  // A server takes no import of this size.
  { ignore: ANY_KIND === "remote" },
);
