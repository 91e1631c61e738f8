import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

// What `deno test -A` runs at the root (deno.json): the packages of the tests are not installed with the service.
Deno.test("all tests of tests/ pass, as listed above", async () => {
  const cwd = fileURLToPath(new URL("../", import.meta.url));
  const { success } = await new Deno.Command(Deno.execPath(), { args: ["task", "test"], cwd }).spawn().status;
  assert.ok(success, "The tests that failed are listed above");
});
