/** Only its owner may read a database. */
import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/open_database.ts";
import { makePrivateFolder } from "../../src/db/private_files.ts";

const WRITE = { sql: "CREATE TABLE IF NOT EXISTS mark (label TEXT)", args: {} };

function modes(folder: string): Record<string, string> {
  const names = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
  return Object.fromEntries(names.map((name) => [name, mode(`${folder}/${name}`)]));
}

function mode(path: string): string {
  return ((Deno.lstatSync(path).mode ?? 0) & 0o777).toString(8);
}

/** Registers a test with a folder of its own, on systems whose files have modes. */
function testFolder(name: string, body: (folder: string) => Promise<void>): void {
  Deno.test({
    name,
    ignore: Deno.build.os === "windows",
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
      try {
        await body(folder);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

const PRIVATE = { "rolegrid.db": "600", "rolegrid.db-shm": "600", "rolegrid.db-wal": "600" };

testFolder("only the owner has access to a new database, its logs and its folders", async (folder) => {
  const database = await openDatabase(`file:${folder}/of/mine/rolegrid.db`);
  await database.write([WRITE]);
  await database.read({ sql: "SELECT label FROM mark", args: {} });
  const inside = modes(`${folder}/of/mine`);
  await database.close();
  assert.deepEqual(inside, PRIVATE);
  assert.deepEqual([mode(`${folder}/of`), mode(`${folder}/of/mine`)], ["700", "700"]);
});

testFolder(
  "opening an existing database removes others' access to it and its logs, and keeps its folder's mode",
  async (folder) => {
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
    assert.deepEqual(inside, PRIVATE);
    assert.equal(mode(folder), "755");
  },
);

testFolder(
  "only the owner has access to a database behind a link, be it new or existing",
  async (folder) => {
    await Deno.symlink(`${folder}/real.db`, `${folder}/link.db`);
    for (let i = 0; i < 2; i++) {
      const database = await openDatabase(`file:${folder}/link.db`);
      await database.write([WRITE]);
      await database.close();
      assert.equal(mode(`${folder}/real.db`), "600");
      await Deno.chmod(`${folder}/real.db`, 0o644);
    }
  },
);

testFolder(
  "opening a folder as a database fails as unavailable, and keeps the folder's mode",
  async (folder) => {
    await assert.rejects(openDatabase(`file:${folder}`), { name: "AppError", code: "UNAVAILABLE" });
    assert.equal(mode(folder), "700");
  },
);

testFolder(
  "an existing folder keeps its mode, and a missing one is created for its owner only",
  async (folder) => {
    await Deno.chmod(folder, 0o755);
    await makePrivateFolder(folder);
    assert.equal(mode(folder), "755");
    await makePrivateFolder(`${folder}/new/deep`);
    assert.deepEqual([mode(`${folder}/new`), mode(`${folder}/new/deep`)], ["700", "700"]);
  },
);
