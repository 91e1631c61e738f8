/** Every test file says in its first line what it proves. */
import assert from "node:assert/strict";
import { filesBelow, readText } from "./project_files.ts";

Deno.test("every test file begins with a sentence about what it proves", () => {
  const files = ["tests/", "bench/"].flatMap(filesBelow)
    .filter((file) => file.endsWith("_test.ts") && !file.includes("node_modules"));
  assert.ok(files.length > 300, `found ${files.length} test files`);
  const silent = files.filter((file) => !/^\/\*\*(\n \*)? \S/.test(readText(file)));
  assert.deepEqual(silent, []);
});
