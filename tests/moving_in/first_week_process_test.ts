/** Every command of the page about the first week succeeds as it stands. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serveApp } from "../examples/serve_app.ts";

const CURL = "/usr/bin/curl";
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = new URL("../../docs/first_week.md", import.meta.url);

/** Ends at the first refused request, and prints each response on a line. */
const PREAMBLE = `set -eu
curl() { ${CURL} --fail-with-body "$@"; echo; }
`;

/** The shell blocks of the page, without that which starts a service. */
function readStory(): string {
  const blocks = Array.from(
    Deno.readTextFileSync(PAGE).matchAll(/```sh\n([^]*?)```/g),
    ([, block = ""]) => block,
  );
  return blocks.filter((block) => !block.includes("deno task dev")).join("\n");
}

Deno.test({
  name: "every command of the page about the first week succeeds as it stands",
  ignore: !existsSync(CURL),
  async fn(): Promise<void> {
    await using served = await serveApp("file", { inMemory: false });
    const folder = await Deno.makeTempDir({ prefix: "rolegrid_first_week_" });
    const story = readStory().replace(/^export TURSO_DATABASE_URL=.*$/m, "")
      .replaceAll("/tmp/first-week", folder).replace("http://localhost:8000", served.baseUrl);
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", PREAMBLE + story],
      cwd: ROOT,
      env: { TURSO_DATABASE_URL: served.databaseUrl, NO_COLOR: "1" },
    }).output();
    await Deno.remove(folder, { recursive: true });
    const told = new TextDecoder().decode(stdout);
    assert.equal(code, 0, told + new TextDecoder().decode(stderr));
    for (
      const expected of [
        /^Would import 4 roles, 4 relations, 6 rows of the rights table\. Nothing was changed\.$/m,
        /^devices\.csv: 2 new, 0 changed, 0 unchanged$/m,
        /"name":"Molenweg 1"/,
        /^roles\.csv: 0 new, 1 changed, 3 unchanged$/m,
        /^people\.csv: 0 new, 0 changed, 2 unchanged$/m,
        /^ {2}device "molenweg-1-inverter" in role #4 "Molenweg 1"$/m,
        /^Deleted 1 of 1 missing thing\.$/m,
        /"nodeId":"molenweg-1-charger"/,
        /"importRun":"[-0-9a-f]{36}"/,
        /^Clean: 4 relations, 6 rows\.$/m,
      ]
    ) {
      assert.match(told, expected);
    }
  },
});
