import assert from "node:assert/strict";
import { findSection, LIMITS_FILE, renderSection, withoutLayout } from "./write_operation_limits.ts";

Deno.test("docs/limits.md lists each operation's cost, its payer, and the guards before its body", async () => {
  const written = findSection(await Deno.readTextFile(LIMITS_FILE));
  const message =
    "run `deno run -A tests/every_operation/write_operation_limits.ts` and review the difference";
  assert.equal(withoutLayout(written), withoutLayout(await renderSection()), message);
});
