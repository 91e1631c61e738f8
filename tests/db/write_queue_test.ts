/** Groups of writes on a thread: what shares a commit, who waits for whom, and faults in the middle of a group. */
import assert from "node:assert/strict";
import type { Row } from "../../src/db/database.ts";
import { isUnavailable, uniqueViolation } from "../../src/db/sql_errors.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { ConnectionThread, type ThreadConnection } from "../../src/db/thread/connection_thread.ts";
import type { Batch, BatchOutcome } from "../../src/db/thread/messages.ts";
import { createWriteQueue, type WriteQueue } from "../../src/db/write_queue.ts";
import { asCaller, asStranger } from "../helpers/callers.ts";

const sql = (text: string): BoundStatement => ({ sql: text, args: {} });
const insert = (id: number, bytes = 1): Batch => [
  sql(`INSERT INTO item (id, content) VALUES (${id}, zeroblob(${bytes}))`),
];
const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE", retryAfterSeconds: 1 };

/** A queue on a thread of its own, and the sizes of the groups that it sent there. */
interface Scene {
  readonly queue: WriteQueue;
  readonly connection: ThreadConnection;
  readonly groupSizes: number[];
  /** The items that another connection finds. */
  readonly readItems: () => Promise<unknown[]>;
}

interface SceneOptions {
  readonly setup?: readonly string[];
  readonly timeoutMs?: number;
}

function testQueue(name: string, options: SceneOptions, body: (scene: Scene) => Promise<void>): void {
  Deno.test(name, async () => {
    const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
    const path = `${directory}/test.db`;
    const thread = new ConnectionThread();
    const setup = ["PRAGMA journal_mode = WAL", ...options.setup ?? []];
    const connection = thread.connect({ path, lockWaitMs: 20, setup });
    const other = thread.connect({ path, lockWaitMs: 20, setup: [] });
    const groupSizes: number[] = [];
    const queue = createWriteQueue({
      ...ROOMY,
      timeoutMs: options.timeoutMs ?? ROOMY.timeoutMs,
      writeGroup(batches): ReturnType<ThreadConnection["writeGroup"]> {
        groupSizes.push(batches.length);
        return connection.writeGroup(batches);
      },
    });
    await queue.write([sql("CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB)")]);
    groupSizes.length = 0;
    const readItems = async (): Promise<unknown[]> => {
      const [rows = []] = await other.readAll([sql("SELECT id FROM item ORDER BY id")]);
      return rows.map((row) => row["id"]);
    };
    await body({ queue, connection, groupSizes, readItems });
    await queue.close();
    await connection.close();
    await other.close();
    thread.end();
    await Deno.remove(directory, { recursive: true });
  });
}

const ROOMY = { waiting: 1000, timeoutMs: 60_000 };

/** A queue whose first group runs until `finish` is called. */
function openHeldQueue(limits: Partial<typeof ROOMY>): { queue: WriteQueue; finish: () => void } {
  const running = Promise.withResolvers<void>();
  const queue = createWriteQueue({
    ...ROOMY,
    ...limits,
    async writeGroup(batches) {
      await running.promise;
      return batches.map(() => ({ rows: [], ms: 0 }));
    },
  });
  return { queue, finish: running.resolve };
}

/** Counts for some milliseconds. */
function counting(to: number): BoundStatement {
  return sql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
    SELECT max(i) AS top FROM n`);
}

/** The outcome of each write, in words. */
async function outcomesOf(writes: readonly Promise<Row[][]>[]): Promise<string[]> {
  return (await Promise.allSettled(writes)).map((outcome) => {
    if (outcome.status === "fulfilled") return "written";
    if (uniqueViolation(outcome.reason) !== undefined) return "unique";
    return isUnavailable(outcome.reason) || outcome.reason.code === "UNAVAILABLE"
      ? "unavailable"
      : outcome.reason.message;
  });
}

testQueue(
  "up to 32 waiting writes share a commit",
  {},
  async ({ queue, groupSizes, readItems }) => {
    const ids = Array.from({ length: 70 }, (_, i) => i + 1);
    const outcomes = await outcomesOf(ids.map((id) => queue.write(insert(id))));
    assert.deepEqual(new Set(outcomes), new Set(["written"]));
    assert.deepEqual(await readItems(), ids);
    assert.equal(groupSizes[0], 32);
    assert.ok(groupSizes.length < ids.length, groupSizes.join());
  },
);

testQueue(
  "a failed write rolls back only its own statements, and its group is written",
  {},
  async ({ queue, groupSizes, readItems }) => {
    const failing = [...insert(3), ...insert(1)];
    const writes = [insert(1), insert(2), failing, insert(4)].map((batch) => queue.write(batch));
    assert.deepEqual(await outcomesOf(writes), ["written", "written", "unique", "written"]);
    assert.equal(groupSizes[0], 4);
    assert.deepEqual(await readItems(), [1, 2, 4]);
  },
);

testQueue(
  "a disk that fills up within a group fails only the write that does not fit",
  { setup: ["PRAGMA max_page_count = 60"] },
  async ({ queue, groupSizes, readItems }) => {
    const writes = [insert(1), insert(2), insert(3, 1_000_000), insert(4)].map((batch) => queue.write(batch));
    assert.deepEqual(await outcomesOf(writes), ["written", "written", "unavailable", "written"]);
    assert.equal(groupSizes[0], 4);
    assert.equal(groupSizes.at(-1), 1, "each of the group runs again alone");
    assert.deepEqual(await readItems(), [1, 2, 4]);
    assert.deepEqual(await outcomesOf([queue.write(insert(5))]), ["written"]);
  },
);

testQueue(
  "after a failed commit each write of the group runs alone, and only the faulty one fails",
  { setup: ["PRAGMA foreign_keys = ON"] },
  async ({ queue, groupSizes, readItems }) => {
    await queue.write([
      sql("CREATE TABLE part (item_id INTEGER REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)"),
    ]);
    groupSizes.length = 0;
    const dangling = [...insert(3), sql("INSERT INTO part (item_id) VALUES (99)")];
    const writes = [insert(1), insert(2), dangling, insert(4)].map((batch) => queue.write(batch));
    const [first, second, third = "", fourth] = await outcomesOf(writes);
    assert.deepEqual([first, second, fourth], ["written", "written", "written"]);
    assert.match(third, /FOREIGN KEY constraint failed/);
    assert.equal(groupSizes[0], 4);
    assert.equal(groupSizes.at(-1), 1, "each of the group runs again alone");
    assert.deepEqual(await readItems(), [1, 2, 4]);
  },
);

testQueue(
  "a write that ends the transaction of its group loses no other write",
  {},
  async ({ queue, readItems }) => {
    await queue.write(insert(1));
    const ending = [sql("INSERT OR ROLLBACK INTO item (id) VALUES (1)")];
    const writes = [insert(2), insert(3), ending, insert(4)].map((batch) => queue.write(batch));
    assert.deepEqual(await outcomesOf(writes), ["written", "written", "unique", "written"]);
    assert.deepEqual(await readItems(), [1, 2, 3, 4]);
  },
);

testQueue(
  "a write whose time limit passes while others run is refused and never begins",
  { timeoutMs: 50 },
  async ({ queue, readItems }) => {
    const long = [sql(`INSERT INTO item (id) SELECT 1 WHERE (${counting(2_000_000).sql}) > 0`)];
    const writes = [queue.write(long), queue.write(insert(2)), queue.write(insert(3))];
    assert.deepEqual(await outcomesOf(writes), ["written", "unavailable", "unavailable"]);
    await assert.rejects(writes[1] ?? Promise.resolve(), UNAVAILABLE);
    assert.deepEqual(await readItems(), [1]);
    assert.deepEqual(await outcomesOf([queue.write(insert(4))]), ["written"]);
  },
);

Deno.test("a write is refused when its time limit passes, even if another one still runs", async () => {
  const { queue, finish } = openHeldQueue({ timeoutMs: 50 });
  const first = queue.write(insert(1));
  await Promise.resolve();
  await assert.rejects(queue.write(insert(2)), UNAVAILABLE);
  finish();
  assert.deepEqual(await first, []);
  await queue.close();
});

testQueue(
  "a transaction that has run for some milliseconds takes no further write",
  {},
  async ({ connection, readItems }) => {
    const slow = [...insert(1), counting(300_000)];
    const outcomes = await connection.writeGroup([slow, insert(2), insert(3)]);
    assert.deepEqual(outcomes.map((outcome) => "rows" in outcome && outcome.rows), [[[], [{
      top: 300_000,
    }]]]);
    assert.deepEqual(await readItems(), [1]);
  },
);

testQueue("a write of a long list joins no other, whose commit would wait for it", {}, async (scene) => {
  const [text, { connection, readItems }] = ["x".repeat(40_000), scene];
  const long = [{ sql: "INSERT INTO item (id, content) VALUES (2, :text)", args: { text } }];
  assert.equal((await connection.writeGroup([insert(1), long, insert(3)])).length, 1);
  assert.equal((await connection.writeGroup([long])).length, 1);
  assert.deepEqual(await readItems(), [1, 2]);
});

testQueue(
  "a write waits for the running one, and not for another caller's backlog",
  {},
  async ({ queue }) => {
    const slow = (id: number): Batch => [...insert(id), counting(100_000)];
    const ended: number[] = [];
    const write = (id: number, caller: string): Promise<number> =>
      asCaller(caller, () => queue.write(slow(id))).then(() => ended.push(id));
    const writes = [1, 2, 3, 4, 5, 6].map((id) => write(id, "greedy"));
    // The first one runs already when the other caller comes.
    await new Promise((resolve) => setTimeout(resolve, 1));
    await Promise.all([...writes, write(100, "other")]);
    assert.ok(ended.indexOf(100) <= 2, ended.join(" "));
    assert.deepEqual(ended.filter((id) => id < 100), [1, 2, 3, 4, 5, 6]);
  },
);

Deno.test("a write that its group had no time for is in the next group, ahead of another caller's backlog", async () => {
  const written: string[] = [];
  const queue = createWriteQueue({
    ...ROOMY,
    // Each batch takes so long that no other joins it.
    async writeGroup([first]): ReturnType<ThreadConnection["writeGroup"]> {
      await Promise.resolve();
      written.push(first?.[0]?.sql ?? "");
      return [{ rows: [], ms: 0 }];
    },
  });
  const write = (caller: string): Promise<Row[][]> => asCaller(caller, () => queue.write([sql(caller)]));
  await Promise.all([...Array.from({ length: 100 }, () => write("greedy")), write("other")]);
  assert.ok(written.indexOf("other") <= 2, `${written.indexOf("other")} came first`);
  await queue.close();
});

Deno.test("a write of a caller who owes nothing does not wait for the commit of one who does", async () => {
  const groups: string[][] = [];
  const writeGroup = (batches: readonly Batch[]): Promise<BatchOutcome[]> => {
    groups.push(batches.map(([statement]) => statement?.sql ?? ""));
    return Promise.resolve(batches.map(() => ({ rows: [], ms: 500 })));
  };
  const queue = createWriteQueue({ ...ROOMY, writeGroup });
  const write = (caller: string): Promise<Row[][]> => asCaller(caller, () => queue.write([sql(caller)]));
  await write("heavy");
  await Promise.all(["heavy", "heavy", "light", "other"].map(write));
  assert.deepEqual(groups, [["heavy"], ["light", "other"], ["heavy", "heavy"]]);
  await queue.close();
});

Deno.test("a full queue refuses the largest branch, and accepts the first write of another one", async () => {
  const { queue, finish } = openHeldQueue({ waiting: 6 });
  const writes: Promise<Row[][]>[] = [];
  const write = (chain: string): void => {
    const written = asCaller(chain, () => queue.write(insert(1)));
    written.catch(() => {});
    writes.push(written);
  };
  // So many have a place in the first group or the next.
  for (let i = 0; i < 32; i++) write("1");
  for (const chain of ["1", "1/x", "1/y", "2", "2", "2"]) write(chain);
  await assert.rejects(asCaller("1/z", () => queue.write(insert(1))), UNAVAILABLE);
  write("3");
  write("3");
  await assert.rejects(asCaller("3", () => queue.write(insert(1))), UNAVAILABLE);
  writes.push(asStranger("192.0.2.0", () => queue.write(insert(1))));
  await assert.rejects(asStranger("198.51.100.0", () => queue.write(insert(1))), UNAVAILABLE);
  finish();
  const outcomes = (await Promise.allSettled(writes)).map(({ status }) => status);
  assert.equal(outcomes.filter((status) => status === "rejected").length, 3);
  assert.deepEqual(outcomes.slice(-3), ["fulfilled", "fulfilled", "fulfilled"]);
  await queue.close();
});
