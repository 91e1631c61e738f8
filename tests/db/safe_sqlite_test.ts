/** A runtime whose SQLite can lose writes opens no file. */
import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/open_database.ts";
import { requireSafeSqlite } from "../../src/db/safe_sqlite.ts";

const REFUSAL =
  /^This Deno brings SQLite 3\.\d+\.\d+, which can lose writes to a file: install Deno 2\.9\.2 or later/;

function isSafe(version?: string): boolean {
  try {
    requireSafeSqlite(version);
    return true;
  } catch (error) {
    assert.ok(error instanceof Error && error.name === "UnusableDatabaseError");
    assert.match(error.message, REFUSAL);
    return false;
  }
}

Deno.test("versions of SQLite that can lose writes are refused", () => {
  for (const version of ["3.45.1", "3.49.1", "3.50.4", "3.51.2", "2.9.9"]) {
    assert.throws(() => requireSafeSqlite(version), { name: "UnusableDatabaseError" }, version);
  }
  for (const version of ["3.51.3", "3.51.10", "3.52.0", "3.53.2", "4.0.0"]) requireSafeSqlite(version);
});

Deno.test({
  name: "a runtime whose SQLite can lose writes opens no file, and names the version to install",
  ignore: isSafe(),
  async fn() {
    const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
    await assert.rejects(openDatabase(`file:${directory}/test.db`), { message: REFUSAL });
    assert.deepEqual([...Deno.readDirSync(directory)], []);
    await Deno.remove(directory);
  },
});
