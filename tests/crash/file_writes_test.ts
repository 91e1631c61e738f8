/** A database file keeps every acknowledged write, and each write whole, when its process is killed. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { createMarks, readAfresh } from "../db/marks.ts";
import { openTestDatabase, testKind } from "../helpers/databases.ts";
import { startHelper } from "../helpers/processes.ts";

const ROUNDS = 10;
const MAX_DELAY_MS = 200;

testKind(
  "file",
  "after kill -9 during 200 concurrent writes, every acknowledged write is stored, and each is whole",
  async () => {
    await using file = await openTestDatabase("file");
    await createMarks(file.database);
    await file.database.close();
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const writer = startHelper("../crash/write_until_killed.ts", [file.url, String(round)]);
      acknowledged.push(await writer.nextLine());
      await delay(Math.random() * MAX_DELAY_MS);
      acknowledged.push(...await writer.kill());
      const { labels, count } = await readAfresh(file.url);
      const found = new Set(labels);
      assert.deepEqual(
        [found.size, count],
        [labels.length, labels.length],
        "a write is half there, or twice",
      );
      assert.deepEqual(acknowledged.filter((label) => !found.has(label)), [], "a write is lost");
    }
    assert.ok(acknowledged.length > ROUNDS);
  },
);
