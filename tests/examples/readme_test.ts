/** Every request in the README and the documents about usage and insight succeeds on the demo. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { makeDemo } from "../../scripts/lib/demo.ts";
import { serveApp } from "./serve_app.ts";

const CURL = "/usr/bin/curl";
const PASSWORD = "a heron at dusk";

/** Ends at the first refused request, prints each response on a line, and skips tasks. */
const PREAMBLE = `set -eu
curl() { ${CURL} --fail-with-body "$@"; echo; }
deno() { :; }
`;

/** The shell blocks with requests in the documents that tell one story. */
function readStory(): string {
  return ["README.md", "docs/usage.md", "docs/insight.md"]
    .map((path) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url)))
    .flatMap((text) => Array.from(text.matchAll(/```sh\n([^]*?)```/g), ([, block = ""]) => block))
    .filter((block) => block.includes("curl "))
    .join("\n");
}

Deno.test({
  name: "every request in the README and the documents about usage and insight succeeds on the demo",
  ignore: !existsSync(CURL),
  async fn(): Promise<void> {
    await using served = await serveApp("file");
    await makeDemo(served.deps, {
      adminEmail: "admin@example.com",
      adminPassword: PASSWORD,
      password: PASSWORD,
    });
    const story = readStory()
      .replace("http://localhost:8000", served.baseUrl)
      .replaceAll("THE PRINTED PASSWORD", PASSWORD);
    const cwd = await Deno.makeTempDir();
    const { code, stdout, stderr } = await new Deno.Command("sh", { args: ["-c", PREAMBLE + story], cwd })
      .output();
    await Deno.remove(cwd, { recursive: true });
    const told = new TextDecoder().decode(stdout);
    assert.equal(code, 0, told + new TextDecoder().decode(stderr));
    for (
      const expected of [
        /"name":"Installer Z"/,
        /"allowed":\[true\]/,
        /"deletedNodeIds":\[2,/,
        /"mean_actualPowerTot_W"/,
        /"allowed":false,.*"mayYou":true/,
        /"endedRelationIds":\[\d+\]/,
        /"nodeId":"molenweg-1-meter"/,
        /"clipped":true/,
        /"effect":\{"tag"/,
        /\{"decision":true,"context"/,
        /"ended":\[.*"kim@example\.com".*"Battery app"/,
        /"userEmail":"kim@example\.com",[^}]*"deviceManagement":true[^}]*\},"direct":false,"through":\[5\]/,
        /"restored":\{"roles":7,"relations":8,.*"leftOut":\{"roles":0,"relations":1,/,
      ]
    ) {
      assert.match(told, expected);
    }
    // A malformed query has an error in its own result, and one without rows has no series.
    const results = told.split("\n").filter((line) => line.includes("statement_id"));
    assert.equal(results.length, 3);
    for (const result of results) assert.doesNotMatch(result, /"error"|"statement_id":\d+\}/);
  },
});
