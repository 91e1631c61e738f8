/** How much a request may write: the same on a server and on a file. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { isTooLarge } from "../../src/db/sql_errors.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { type Answer, forEachApp } from "../helpers/http.ts";
import { type Person } from "../helpers/person.ts";
import { minute, writeLines } from "../every_operation/telemetry_requests.ts";
import { bootstrapMeter, countRows, LIBSQL_STORES, NAMESPACE, series, testScene } from "./telemetry_scene.ts";
import { forEachDatabase } from "../helpers/databases.ts";

const DIGITS = 17;

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** Tags of 3.3 kB, such as many devices of a plant could share. */
const LONG_TAGS = numbers(30).map((i) => `,k${String(i).padStart(2, "0")}=${"x".repeat(100)}`).join("");

/** The largest requests of each kind, in line protocol. */
const GREATEST: Readonly<Record<string, readonly string[]>> = {
  "50,000 points of two long numbers": numbers(50_000).map((i) =>
    `energy,nodeId=meter power=${(Math.PI + i).toPrecision(DIGITS)},charge=${
      (Math.E + i).toPrecision(DIGITS)
    } ${minute(i)}`
  ),
  "100,000 values of 40,000 points": numbers(40_000).map((i) =>
    `m,nodeId=meter a=1,b=2${i % 2 === 0 ? ",c=3" : ""} ${minute(i)}`
  ),
  "2,000 texts of 4,000 characters": numbers(2000).map((i) =>
    `energy,nodeId=meter note="${"x".repeat(4000)}" ${minute(i)}`
  ),
  "2,000 long tag sets": numbers(2000).map((i) =>
    `energy,nodeId=meter,z=${i}${LONG_TAGS} power=1 ${minute(0)}`
  ),
  "10,000 series of 40 tag sets": numbers(40).map((t) =>
    `energy,nodeId=meter,t=${t} ${numbers(250).map((f) => `f${f}=1`).join(",")} ${minute(0)}`
  ),
  "10,000 tag sets": numbers(10_000).map((t) => `energy,nodeId=meter,t=${t} power=1 ${minute(0)}`),
};

function countValues(lines: readonly string[]): number {
  const isField = /=/g;
  const tags = lines.map((line) => line.split(" ")[0]?.match(isField)?.length ?? 0);
  return lines.reduce((sum, line, i) => sum + (line.match(isField)?.length ?? 0) - (tags[i] ?? 0), 0);
}

for (const [what, lines] of Object.entries(GREATEST)) {
  forEachApp(`a request of ${what} can be written, and written again`, async (target) => {
    const { admin } = await bootstrapMeter(target);
    for (let round = 0; round < 2; round++) {
      const answer = await writeLines(admin, lines);
      assert.equal(answer.status, 204, answer.text);
    }
    assert.equal(await countRows(target, "point"), countValues(lines));
  });
}

async function refused(person: Person, lines: readonly string[]): Promise<Answer> {
  return await writeLines(person, [`energy,nodeId=meter power=1 ${minute(0)}`, ...lines]);
}

forEachApp("a request of 10,001 series is refused as a whole, with the last line", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const lines = numbers(10_000).map((t) => `m,nodeId=meter,t=${t} power=1 ${minute(0)}`);
  const answer = await refused(admin, lines);
  assert.equal(answer.status, 400);
  const { details } = answer.body as { details: unknown };
  assert.deepEqual(details, [{
    path: "body.line 10001",
    message: "Expected at most 10000 series (combinations of tag set and field)",
  }]);
  assert.equal(await countRows(target, "point"), 0);
});

// In JSON, which the database reads, control characters take six times the bytes that were sent.
const CONTROL = "\u0001";
const LONGER_AS_JSON: Readonly<Record<string, readonly string[]>> = {
  "different tags of a request can take up to 9 MB": numbers(500).map((i) =>
    `m,nodeId=meter,a=${CONTROL.repeat(1024)},b=${CONTROL.repeat(1024)},c=${
      CONTROL.repeat(1024)
    },z=${i} f=1 1`
  ),
  "field names of a request can take up to 4.5 MB": numbers(4000).map((i) =>
    `m,nodeId=meter ${CONTROL.repeat(250)}${i}=1 1`
  ),
  "values and times of a request can take up to 13.5 MB": numbers(1000).map((i) =>
    `m,nodeId=meter f="${CONTROL.repeat(4096)}" ${i}`
  ),
};

for (const [what, lines] of Object.entries(LONGER_AS_JSON)) {
  forEachApp(`the ${what}, and no more`, async (target) => {
    const { admin } = await bootstrapMeter(target);
    const answer = await refused(admin, lines);
    assert.equal(answer.status, 422, answer.text);
    const { message } = answer.body as { message: string };
    assert.equal(message, `The ${what} as JSON text: write fewer points at once`);
    assert.equal(await countRows(target, "point"), 0);
    assert.equal((await refused(admin, lines.slice(0, lines.length / 4))).status, 204);
  });
}

/** Statements that are too large for a database: by a value that they build, an argument or a result. */
function tooLargeFor({ kind }: Database): BoundStatement[] {
  const made = { sql: "SELECT length(zeroblob(1000000001)) AS n", args: {} };
  if (kind === "file") return [made];
  return [
    made,
    { sql: "SELECT length(:text) AS n", args: { text: "x".repeat(5_000_001) } },
    { sql: "SELECT hex(zeroblob(2400000)) AS text FROM json_each('[1, 2, 3]')", args: {} },
  ];
}

forEachDatabase("an error for being too large for a database differs from others", async (database) => {
  for (const statement of tooLargeFor(database)) {
    await assert.rejects(database.read(statement), isTooLarge, statement.sql);
    await assert.rejects(database.write([statement]), isTooLarge, statement.sql);
  }
  await assert.rejects(database.read({ sql: "SELECT nothing", args: {} }), (error) => !isTooLarge(error));
});

for (const under of LIBSQL_STORES) {
  testScene(under, "a write too large for the database is refused as such", async (scene) => {
    await scene.addDevice("meter");
    const { database, clock } = scene.target;
    for (const statement of tooLargeFor(database)) {
      const write: Database["write"] = (batch) => database.write([...batch, statement]);
      const store = createSqliteStore({ database: { ...database, write }, clock: clock.now });
      const one = [series({ nodeId: "meter" }, new Map([[0n, 1]]))];
      const message = "The request is too large for the database: write fewer points at once";
      await assert.rejects(store.write(scene.owner, NAMESPACE, one), { code: "TELEMETRY_REFUSED", message });
    }
    assert.equal(await countRows(scene.target, "point"), 0);
  });
}
