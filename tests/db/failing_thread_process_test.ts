/** A thread of a file database that ends unexpectedly ends the process. */
import assert from "node:assert/strict";
import { openTestDatabase } from "../helpers/databases.ts";
import { startHelper } from "../helpers/processes.ts";

for (const which of ["writer", "reader"]) {
  Deno.test(`a ${which} thread that ends unexpectedly ends the process with status 1`, async () => {
    await using file = await openTestDatabase("file");
    const helper = startHelper("../db/failing_thread.ts", [file.url, which]);
    assert.equal(await helper.nextLine(), "written");
    await assert.rejects(helper.finish(), /ended with exit code 1$/);
    const sql = "SELECT DISTINCT last_id AS lastId FROM id_sequence";
    assert.deepEqual(await file.database.read({ sql, args: {} }), [{ lastId: 7 }]);
    await file.database.write([{ sql: "UPDATE id_sequence SET last_id = 8", args: {} }]);
  });
}
