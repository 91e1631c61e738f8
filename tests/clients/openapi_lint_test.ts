/** The linters that integrators use find no fault in openapi.json. */
import assert from "node:assert/strict";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { IS_LONG } from "../helpers/read_count.ts";

// A warning is a fault, too, and each rule that is off has its reason.

const FILE = new URL("../../openapi.json", import.meta.url);

async function lintWithRedocly(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ["recommended"],
    rules: {
      // The file names the server that `deno task dev` starts; a served document names its own.
      "no-server-example.com": "off",
      // Pages take any query and no body, so nothing can be wrong with a request.
      "operation-4xx-response": "off",
    },
  });
  const problems = await lintFromString({ source, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

async function lintWithSpectral(source: string): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({
    extends: [rulesets.oas as RulesetDefinition],
    rules: {
      // Whom to contact depends on who runs the service.
      "info-contact": "off",
    },
  });
  return (await linter.run(source)).map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`);
}

for (const [name, lint] of [["redocly", lintWithRedocly], ["spectral", lintWithSpectral]] as const) {
  const title = `${name} finds no fault in openapi.json, and one in a document without servers`;
  Deno.test({ name: title, ignore: !IS_LONG }, async () => {
    const source = await Deno.readTextFile(FILE);
    assert.deepEqual(await lint(source), []);
    const { servers: _, ...rest } = JSON.parse(source);
    assert.match((await lint(JSON.stringify(rest))).join(), /servers/);
  });
}
