/** A database server that is killed and restarted, and one with few connections for several instances. */
import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/open_database.ts";
import { probing } from "../../src/db/statement.ts";
import { startLastingSqld } from "../helpers/lasting_sqld.ts";
import { COUNT_UP, READ_COUNT } from "./recorded_streams.ts";
import { migrateFully } from "../helpers/databases.ts";

const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE" };

Deno.test("calls succeed at once after a server was killed and restarted, although it refuses their old streams", async () => {
  await using server = await startLastingSqld();
  await migrateFully(await openDatabase(server.url));
  for (let round = 1; round <= 3; round++) {
    let refusals = 0;
    const database = await openDatabase(server.url, {
      fetch: async (...request) => {
        const response = await fetch(...request);
        if (!response.ok) refusals++;
        return response;
      },
    });
    await Promise.all([1, 2, 3, 4].map(() => database.read(READ_COUNT)));
    await server.kill();
    await assert.rejects(database.read(READ_COUNT), UNAVAILABLE);
    await assert.rejects(database.write([COUNT_UP]), UNAVAILABLE);
    await server.start();
    await Promise.all([1, 2, 3, 4].map(() => database.read(READ_COUNT)));
    await database.write([COUNT_UP]);
    assert.deepEqual(await database.read(READ_COUNT), [{ count: round }]);
    assert.ok(refusals > 0);
    await database.close();
  }
});

Deno.test("several instances share a server's connections, and wait where there are too few", async () => {
  // Two instances want up to 36: 4 for probes, 12 for other reads and 2 for writes each.
  await using server = await startLastingSqld({ options: ["--max-concurrent-connections", "24"] });
  const first = await openDatabase(server.url);
  await migrateFully(first);
  const instances = [first, await openDatabase(server.url)];
  await Promise.all(instances.flatMap((database) =>
    Array.from({ length: 200 }, async () => {
      const reads = [READ_COUNT, probing(READ_COUNT)].map((statement) => database.read(statement));
      await Promise.all([...reads, database.write([COUNT_UP])]);
    })
  ));
  assert.deepEqual(await first.read(READ_COUNT), [{ count: 400 }]);
  await Promise.all(instances.map((database) => database.close()));
});
