import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/open_database.ts";
import { makePrivateFolder } from "../../src/db/private_files.ts";

/** Nobody but its owner may read a database. */

const IGNORE = Deno.build.os === "windows";
const WRITE = { sql: "CREATE TABLE IF NOT EXISTS mark (label TEXT)", args: {} };

function modes(folder: string): Record<string, string> {
  const entries = Array.from(
    Deno.readDirSync(folder),
    ({ name }) => [name, mode(`${folder}/${name}`)] as const,
  );
  return Object.fromEntries(entries.sort());
}

function mode(path: string): string {
  return ((Deno.lstatSync(path).mode ?? 0) & 0o777).toString(8);
}

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({
  name: "a new database, its logs and its folders are its owner's alone",
  ignore: IGNORE,
  fn: () =>
    withFolder(async (folder) => {
      const database = await openDatabase(`file:${folder}/of/mine/rolegrid.db`);
      await database.write([WRITE]);
      await database.read({ sql: "SELECT label FROM mark", args: {} });
      const inside = modes(`${folder}/of/mine`);
      await database.close();
      assert.deepEqual(inside, { "rolegrid.db": "600", "rolegrid.db-shm": "600", "rolegrid.db-wal": "600" });
      assert.deepEqual([mode(`${folder}/of`), mode(`${folder}/of/mine`)], ["700", "700"]);
    }),
});

Deno.test({
  name: "an existing database and its logs are taken away from others, and its folder stays as it is",
  ignore: IGNORE,
  fn: () =>
    withFolder(async (folder) => {
      const url = `file:${folder}/rolegrid.db`;
      const first = await openDatabase(url);
      await first.write([WRITE]);
      for (const { name } of Deno.readDirSync(folder)) await Deno.chmod(`${folder}/${name}`, 0o664);
      await Deno.chmod(folder, 0o755);
      const second = await openDatabase(url);
      await second.write([{ sql: "INSERT INTO mark VALUES ('second')", args: {} }]);
      const inside = modes(folder);
      await second.close();
      await first.close();
      assert.deepEqual(inside, { "rolegrid.db": "600", "rolegrid.db-shm": "600", "rolegrid.db-wal": "600" });
      assert.equal(mode(folder), "755");
    }),
});

Deno.test({
  name: "a database that a link leads to is its owner's alone, whether or not it is there",
  ignore: IGNORE,
  fn: () =>
    withFolder(async (folder) => {
      await Deno.symlink(`${folder}/real.db`, `${folder}/link.db`);
      for (let i = 0; i < 2; i++) {
        const database = await openDatabase(`file:${folder}/link.db`);
        await database.write([WRITE]);
        await database.close();
        assert.equal(mode(`${folder}/real.db`), "600");
        await Deno.chmod(`${folder}/real.db`, 0o644);
      }
    }),
});

Deno.test("a path that cannot hold a database is still reported as one", async () => {
  await withFolder(async (folder) => {
    await assert.rejects(openDatabase(`file:${folder}`), { code: "UNAVAILABLE" });
    assert.equal(mode(folder), "700");
  });
});

Deno.test({
  name: "a folder that exists keeps its mode, and one that is missing is created for its owner",
  ignore: IGNORE,
  fn: () =>
    withFolder(async (folder) => {
      await Deno.chmod(folder, 0o755);
      await makePrivateFolder(folder);
      assert.equal(mode(folder), "755");
      await makePrivateFolder(`${folder}/new/deep`);
      assert.deepEqual([mode(`${folder}/new`), mode(`${folder}/new/deep`)], ["700", "700"]);
    }),
});
