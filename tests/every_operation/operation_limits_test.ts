/** The document states what each operation costs, and after which guards its body is read. */
import assert from "node:assert/strict";
import { limitsOf } from "../../scripts/lib/stated_limits.ts";
import { OPENAPI_FILE } from "../../scripts/openapi.ts";
import { operationsOf } from "../contract/api_document.ts";
import { measureLimits } from "./write_operation_limits.ts";

Deno.test("openapi.json states each operation's cost, its turns, and the guards before its body", async () => {
  const text = await Deno.readTextFile(OPENAPI_FILE);
  const described = new Set(operationsOf(JSON.parse(text)).map(({ method, path }) => `${method} ${path}`));
  const { names, operations } = await measureLimits();
  const expected = Object.entries(operations).filter(([operation]) => described.has(operation));
  const message =
    "run `deno run -A tests/every_operation/write_operation_limits.ts` and review the difference";
  assert.deepEqual(limitsOf(text), { names, operations: Object.fromEntries(expected) }, message);
});
