/** A points' file is opened with its own database alone, and refused with a reason otherwise. */
import assert from "node:assert/strict";
import { UnusableDatabaseError } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { openPointsFile } from "../../src/telemetry/sqlite/points_file.ts";
import { forEachDatabase, openTestDatabase, openTestPoints, testOn } from "../helpers/databases.ts";
import { queryNumber } from "../helpers/http.ts";

const sql = (text: string) => ({ sql: text, args: {} });
const NEXT_SERIES = [
  sql("INSERT INTO series (tag_set_id, field, kind) VALUES (1, 'watts', 'number') RETURNING id"),
  sql("DELETE FROM series"),
];

async function nextSeriesId(target: Parameters<typeof queryNumber>[0]): Promise<unknown> {
  const [rows = []] = await target.database.write(NEXT_SERIES);
  return rows[0]?.["id"];
}

forEachDatabase("a database set back to a backup gives no id with points in the file", async (database) => {
  await using points = await openTestPoints(database);
  const held: readonly (readonly [table: string, row: string, next: number])[] = [
    ["point", "(7, 2, 3)", 8],
    ["recent_point", "(5, 8, 2, 3), (6, 1, 2, 3)", 9],
    ["block_range", "(100, 1, 1)", 101],
    ["hour_summary", "(101, 0, '1')", 102],
    ["point", "(3, 2, 3)", 103],
  ];
  for (const [table, row, next] of held) {
    await points.database.write([
      ...["point", "recent_point", "block_range", "hour_summary"].map((name) => sql(`DELETE FROM ${name}`)),
      sql(`INSERT INTO ${table} VALUES ${row}`),
    ]);
    await (await openPointsFile(points.url, { database }))?.close();
    assert.equal(await nextSeriesId({ database }), next);
  }
});

testOn("file", "a points' file is opened anew, and by no other database", async (database) => {
  await using points = await openTestPoints(database);
  await points.database.write([sql("INSERT INTO point VALUES (1, 2, 3)")]);
  await using other = await openTestDatabase("file", { inMemory: true });
  await other.database.write([sql("UPDATE applied_migration SET applied_at = applied_at + 1")]);
  await assert.rejects(openPointsFile(points.url, { database: other.database }), (error: Error) => {
    assert.ok(error instanceof UnusableDatabaseError);
    assert.match(
      error.message,
      /^The file of TELEMETRY_URL, \S+points\.db, has the points of another database /,
    );
    return true;
  });
  const names: string[] = [];
  const again = await openPointsFile(points.url, {
    database,
    onMigrated: (applied) => names.push(...applied),
  });
  assert.ok(again);
  assert.equal(await queryNumber({ database: again }, "SELECT count(*) FROM point"), 1);
  await again.close();
  assert.deepEqual(names, []);
});

testOn("file", "a file that is newer, too old or the database is refused", async (database, { url }) => {
  await using points = await openTestPoints(database);
  await points.database.write([sql("INSERT INTO applied_migration VALUES ('9999_future', 1)")]);
  const refused = async (file: string, reason: RegExp): Promise<void> => {
    await assert.rejects(openPointsFile(file, { database }), (error: Error) => {
      assert.ok(error instanceof UnusableDatabaseError);
      assert.match(error.message, /^Cannot keep points in \S+\.db, the file of TELEMETRY_URL\. /);
      assert.match(error.message, reason);
      return true;
    });
  };
  await refused(points.url, /newer than this program: it has 9999_future/);
  await points.database.write([
    sql("DELETE FROM applied_migration"),
    sql("INSERT INTO applied_migration VALUES ('0000_points', 1)"),
  ]);
  await refused(points.url, /of a build before 1\.0\.0, and was left as it is/);
  await refused(url, /newer than this program: it has 0000_initial, /);
});

testOn("file", "a file that is no database is refused, another URL left to its engine", async (database) => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/points.db`;
  await Deno.writeTextFile(path, "This is a letter and not a database. ".repeat(40));
  const found: Error[] = [];
  const onDamage = (error: Error): void => void found.push(error);
  await assert.rejects(openPointsFile(`file:${path}`, { database, onDamage }), UnusableDatabaseError);
  assert.equal(found.length, 1);
  for (const url of [undefined, "influxdb://influx.example/points"]) {
    assert.equal(await openPointsFile(url, { database }), undefined);
  }
  await Deno.remove(directory, { recursive: true });
});

testOn("file", "a new points' file is its owner's alone", async (database) => {
  const directory = await Deno.makeTempDir();
  const points = await openPointsFile(`file:${directory}/new/points.db`, { database });
  await points?.close();
  const modes = ["new", "new/points.db"].map((name) =>
    (Deno.statSync(`${directory}/${name}`).mode ?? 0) & 0o777
  );
  assert.deepEqual(modes, [0o700, 0o600]);
  // Durable like the database: an acknowledged write survives a loss of power.
  const opened = await openDatabase(`file:${directory}/new/points.db`);
  assert.deepEqual(await opened.read(sql("PRAGMA journal_mode")), [{ journal_mode: "wal" }]);
  await opened.close();
  await Deno.remove(directory, { recursive: true });
});
