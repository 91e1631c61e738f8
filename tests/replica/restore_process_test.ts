import assert from "node:assert/strict";
import { countFacts, type Instance, openScene, type ReplicaScene, sql, until } from "./replica_scene.ts";

const GRANT = sql("INSERT INTO fact (id, value) VALUES (666, 1)");
const REVOKE = sql("DELETE FROM fact WHERE id = 666");
const HAS_RIGHT = sql("SELECT count(*) AS n FROM fact WHERE id = 666");
const OTHER_FACT = sql("INSERT INTO fact (value) VALUES (7)");

async function hasRight({ database }: Pick<Instance, "database">): Promise<boolean> {
  const [row] = await database.read<{ n: number }>(HAS_RIGHT);
  return row?.n === 1;
}

/** Stops the server and runs `change` on its data. */
async function whileStopped({ server }: ReplicaScene, change: () => Promise<void>): Promise<void> {
  await server.kill("SIGTERM");
  await change();
  await server.start();
}

async function copyTree(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-a", from, to] }).output();
  assert.ok(success);
}

/** What a server must start without after its files were restored, as docs/deploy.md says. */
const LOG_FILES = ["wallog", "snapshots", "to_compact"];

/** The two ways to put back the files of a server: with the log that they had, and without it. */
const WAYS: Record<string, (directory: string) => Promise<void>> = {
  "with their log": () => Promise.resolve(),
  "without their log, as advised": async (directory) => {
    for (const name of LOG_FILES) {
      try {
        await Deno.remove(`${directory}/dbs/default/${name}`, { recursive: true });
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
  },
};

/** Puts back the files from before a right was granted. */
async function restore(scene: ReplicaScene, way: string, backup: string): Promise<void> {
  const { directory } = scene.server;
  await whileStopped(scene, async () => {
    await Deno.remove(directory, { recursive: true });
    await copyTree(backup, directory);
    await WAYS[way]?.(directory);
  });
}

for (const way of Object.keys(WAYS)) {
  Deno.test(`a right that a restore of the server's files takes back is gone at once, ${way}`, async () => {
    await using scene = await openScene();
    const backup = `${await scene.makeFolder()}/backup`;
    await whileStopped(scene, () => copyTree(scene.server.directory, backup));
    const instances = [await scene.open(), await scene.open()];
    await scene.direct.write([GRANT]);
    for (let i = 0; i < 20; i++) await scene.direct.write([OTHER_FACT]);
    for (const instance of instances) assert.ok(await hasRight(instance));
    await restore(scene, way, backup);
    const [first, second] = instances as [Instance, Instance];
    assert.equal(await hasRight(first), false);
    assert.equal(await countFacts(first.database), 1);
    // Meanwhile the log grows beyond where it was, before the second instance looks at the server again.
    for (let i = 0; i < 50; i++) await scene.direct.write([OTHER_FACT]);
    assert.equal(await hasRight(second), false);
    for (const instance of instances) {
      await instance.logged("replica.dropped: The primary was started anew");
      await until(async () => {
        const before = instance.primaryReads();
        assert.equal(await countFacts(instance.database), 51);
        return instance.primaryReads() === before;
      }, () => "a read from the new copy");
      assert.equal(await hasRight(instance), false);
    }
  });
}

Deno.test("a right that is revoked after a restore is gone at once", async () => {
  for (const way of Object.keys(WAYS)) {
    await using scene = await openScene();
    await scene.direct.write([GRANT]);
    const backup = `${await scene.makeFolder()}/backup`;
    await whileStopped(scene, () => copyTree(scene.server.directory, backup));
    const instance = await scene.open();
    for (let i = 0; i < 20; i++) await scene.direct.write([OTHER_FACT]);
    assert.ok(await hasRight(instance));
    await restore(scene, way, backup);
    await scene.direct.write([REVOKE]);
    for (let i = 0; i < 30; i++) {
      assert.equal(await hasRight(instance), false, way);
      await scene.direct.write([OTHER_FACT]);
    }
  }
});

Deno.test("an instance that was away while the server's files were restored does not use its old copy", async () => {
  for (const way of Object.keys(WAYS)) {
    await using scene = await openScene();
    const backup = `${await scene.makeFolder()}/backup`;
    await whileStopped(scene, () => copyTree(scene.server.directory, backup));
    const folder = await scene.makeFolder();
    const before = await scene.open({ folder });
    await scene.direct.write([GRANT]);
    assert.ok(await hasRight(before));
    await before.database.close();
    await restore(scene, way, backup);
    for (let i = 0; i < 30; i++) await scene.direct.write([OTHER_FACT]);
    const after = await scene.open({ folder });
    assert.equal(await hasRight(after), false);
    assert.equal(await countFacts(after.database), 31);
    assert.equal(after.primaryReads(), 0);
  }
});
