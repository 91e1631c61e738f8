/** A service keeps its points in a file, over a restart, until their devices are purged. */
import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { forEachKind, testKind } from "../helpers/databases.ts";
import { queryNumber } from "../helpers/http.ts";
import { valuesOf, writeMinutes } from "../every_operation/telemetry_requests.ts";
import {
  addDevice,
  assertTelemetryState,
  collectPower,
  COUNT_GONE,
  MAKE_OLDER,
  openGrid,
  writePower,
} from "./grid.ts";

const ONE_VALUE = [["2026-01-01T00:00:00Z", 1]];

async function countPoints(path: string): Promise<number> {
  const database = await openDatabase(`file:${path}`);
  try {
    return await queryNumber({ database }, "SELECT count(*) FROM point");
  } finally {
    await database.close();
  }
}

forEachKind("points are kept in their file, over a restart, until their device is purged", async (kind) => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/points.db`;
  {
    await using grid = await openGrid(kind, `file:${path}`);
    const { admin, rootId, database } = grid;
    const { monitors } = await addDevice(grid, "leaving");
    await addDevice(grid, "staying");
    for (const nodeId of ["leaving", "staying"]) await writePower(grid, nodeId, 1);
    await assertTelemetryState(grid, "ok");
    assert.equal(await queryNumber({ database }, "SELECT count(*) FROM point"), 0);
    assert.equal(await countPoints(path), 2);
    await grid.restart();
    assert.deepEqual(valuesOf(await collectPower(grid, "staying")), ONE_VALUE);

    await admin.delete(`/v1/role/${rootId}/monitors/${monitors.id}?permanent=true`);
    await database.write([bind(MAKE_OLDER, {})]);
    // Beside the running service.
    const { code, stdout, stderr } = await grid.purge();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^deleted devices +1\npoints +0\npoints without a series +0$/m);
    assert.equal(await queryNumber({ database }, COUNT_GONE), 0);
    assert.equal(await countPoints(path), 1);
    assert.deepEqual(valuesOf(await collectPower(grid, "staying")), ONE_VALUE);
  }
  // Its log went into the file.
  assert.deepEqual([...Deno.readDirSync(directory)].map(({ name }) => name), ["points.db"]);
  await Deno.remove(directory, { recursive: true });
});

testKind(
  "file",
  "a running service whose points' file is damaged logs what to do and exits with status 1",
  async () => {
    const directory = await Deno.makeTempDir();
    const path = `${directory}/points.db`;
    await using grid = await openGrid("file", `file:${path}`);
    await addDevice(grid, "meter");
    await writeMinutes(grid.admin, "meter", 3000);
    await grid.restart();
    const bytes = await Deno.readFile(path);
    await Deno.writeFile(path, bytes.fill(0xa5, 4096));
    await grid.admin.ask("POST", "/v1/telemetry/query", [{
      select: ["power"],
      from: { measurement: "energy", database: "plant", retentionPolicy: "autogen" },
      where: { tags: { nodeId: "meter" } },
    }]).catch(() => undefined);
    const { code, stdout } = await grid.ended();
    assert.equal(code, 1);
    const line = stdout.split("\n").find((line) => line.includes('"event":"database.damaged"'));
    assert.match(
      JSON.parse(line ?? "{}").message,
      /^The database file \S+points\.db is damaged \(.+\)\. Stop every program /,
    );
    await Deno.remove(directory, { recursive: true });
  },
);
