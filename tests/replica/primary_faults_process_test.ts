import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../src/core/errors.ts";
import { startTcpProxy } from "../helpers/tcp_proxy.ts";
import {
  ADD_FACT,
  countFacts,
  type Instance,
  openScene,
  type ReplicaScene,
  sql,
  until,
} from "./replica_scene.ts";

/** Writes facts until it is told to end, and counts those that were acknowledged and those that may have been written. */
interface Writer {
  acknowledged(): number;
  begun(): number;
  end(): Promise<void>;
}

function startWriter({ direct }: ReplicaScene, pauseMs = 5): Writer {
  let isOver = false;
  let acknowledged = 1;
  let begun = 1;

  async function write(): Promise<void> {
    while (!isOver) {
      begun++;
      try {
        await direct.write([ADD_FACT]);
        acknowledged++;
      } catch (error) {
        assert.ok(error instanceof AppError, `${error}`);
      }
      await delay(pauseMs);
    }
  }

  const writing = write();
  return {
    acknowledged: () => acknowledged,
    begun: () => begun,
    async end(): Promise<void> {
      isOver = true;
      await writing;
    },
  };
}

/**
 * Reads until it is told to end, from several readers at once, and checks that none misses what was acknowledged before
 * it began. Returns how many reads succeeded.
 */
function startReaders(instances: readonly Instance[], writer: Writer): { end(): Promise<number> } {
  let isOver = false;
  let reads = 0;

  async function read({ database }: Instance, thinkMs: number): Promise<void> {
    while (!isOver) {
      await delay(thinkMs);
      const least = writer.acknowledged();
      try {
        const seen = await countFacts(database);
        assert.ok(seen >= least, `saw ${seen} of ${least} facts`);
        assert.ok(seen <= writer.begun(), `saw ${seen} of ${writer.begun()} facts`);
        reads++;
      } catch (error) {
        // The primary is away.
        if (!(error instanceof AppError)) throw error;
      }
    }
  }

  const reading = Promise.all(instances.flatMap((instance) => [0, 1, 3, 7].map((ms) => read(instance, ms))));
  return {
    async end(): Promise<number> {
      isOver = true;
      await reading;
      return reads;
    },
  };
}

async function readsFromCopy({ database, primaryReads }: Instance): Promise<boolean> {
  const before = primaryReads();
  await countFacts(database);
  return primaryReads() === before;
}

/** Writes and reads while `disturb` runs, and checks afterwards that the instances read from copies again. */
async function undisturbedBy(
  scene: ReplicaScene,
  instances: readonly Instance[],
  disturb: () => Promise<void>,
): Promise<void> {
  const writer = startWriter(scene);
  const readers = startReaders(instances, writer);
  await delay(200);
  await disturb();
  await delay(200);
  const reads = await readers.end();
  await writer.end();
  assert.ok(reads > 0);
  for (const instance of instances) {
    await until(() => readsFromCopy(instance), () => `a read from the copy: ${instance.events}`);
    assert.equal(await countFacts(instance.database), await countFacts(scene.direct));
  }
}

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  Deno.test(`nothing is missed while the primary is ended by ${signal} and started again`, async () => {
    await using scene = await openScene();
    const instances = [await scene.open(), await scene.open()];
    await undisturbedBy(scene, instances, async () => {
      for (let i = 0; i < 3; i++) {
        await scene.server.kill(signal);
        await delay(100 * i);
        await scene.server.start();
        await delay(400);
      }
    });
    for (const { events } of instances) {
      assert.ok(events.some((event) => event.startsWith("replica.dropped")), `${events}`);
    }
  });
}

Deno.test("nothing is missed while the primary stops responding now and then", async () => {
  await using scene = await openScene();
  const instances = [await scene.open(), await scene.open()];
  await undisturbedBy(scene, instances, async () => {
    for (let i = 0; i < 10; i++) {
      scene.server.pause();
      await delay(40 * i);
      scene.server.resume();
      await delay(Math.random() * 100);
    }
  });
});

Deno.test("a primary that does not respond makes reads unavailable, and none hangs", async () => {
  await using scene = await openScene();
  const { database } = await scene.open();
  scene.server.pause();
  // Its threads stop one after the other.
  await delay(100);
  const reads = await Promise.allSettled(Array.from({ length: 20 }, () => countFacts(database)));
  assert.deepEqual(new Set(reads.map(({ status }) => status)), new Set(["rejected"]));
  scene.server.resume();
  await until(() => countFacts(database).then((n) => n === 1, () => false), () => "a read");
});

Deno.test("nothing is missed while the primary compacts its log", async () => {
  // Compacts after each megabyte, which is a few hundred writes of this size.
  await using scene = await openScene({ server: ["--max-log-size", "1"] });
  await scene.direct.write([sql("CREATE TABLE ballast (id INTEGER PRIMARY KEY, bytes BLOB)")]);
  const instances = [await scene.open(), await scene.open()];
  await undisturbedBy(scene, instances, async () => {
    for (let i = 0; i < 60; i++) {
      await scene.direct.write([sql("INSERT INTO ballast (bytes) VALUES (randomblob(200000))")]);
    }
  });
  const compactions = Deno.readDirSync(`${scene.server.directory}/dbs/default/snapshots`);
  assert.ok([...compactions].length > 0, "the log was compacted");
});

Deno.test("nothing is missed over a slow network that is cut now and then", async () => {
  await using scene = await openScene();
  await using proxy = startTcpProxy({ targetPort: scene.server.port, delayMs: 20 });
  const instance = await scene.open({ url: `http://127.0.0.1:${proxy.port}` });
  const cuts = ["before", "sent", "after", "midway"] as const;
  await undisturbedBy(scene, [instance], async () => {
    proxy.setPlan(() => Math.random() < 0.1 ? cuts[Math.floor(Math.random() * cuts.length)] : undefined);
    await delay(4000);
    proxy.setPlan(undefined);
  });
  assert.ok(proxy.cutCount() > 0);
});

Deno.test("a schema that changes while copies are in use is the same for all", async () => {
  await using scene = await openScene();
  const instance = await scene.open();
  const { database } = instance;
  const read = () => database.read(sql("SELECT id, value FROM fact ORDER BY id"));
  assert.deepEqual(await read(), [{ id: 1, value: 1 }]);
  await scene.direct.write([sql("ALTER TABLE fact ADD COLUMN note TEXT NOT NULL DEFAULT 'none'")]);
  assert.deepEqual(await read(), [{ id: 1, value: 1 }]);
  assert.deepEqual(await database.read(sql("SELECT note FROM fact")), [{ note: "none" }]);
  await scene.direct.write([
    sql("CREATE TABLE other (note TEXT, value INTEGER, id INTEGER PRIMARY KEY)"),
    sql("INSERT INTO other SELECT note, value + 1, id FROM fact"),
    sql("DROP TABLE fact"),
    sql("ALTER TABLE other RENAME TO fact"),
    sql("CREATE INDEX by_value ON fact (value)"),
  ]);
  assert.deepEqual(await read(), [{ id: 1, value: 2 }]);
  await scene.direct.write([sql("DROP INDEX by_value"), sql("DELETE FROM fact")]);
  assert.deepEqual(await read(), []);
  assert.equal(instance.primaryReads(), 0);
});
