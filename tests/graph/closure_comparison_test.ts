/** The stored closure is compared with the computed one page by page, and each difference is told. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import type { ClosureRow, ComputedClosure } from "../../src/graph/closure/closure.ts";
import type { SqlArgs, Statement } from "../../src/db/statement.ts";
import {
  type ClosureDifference,
  differencesOf,
  readInPages,
} from "../../src/graph/closure/closure_comparison.ts";

type Triple = readonly [descendantId: number, ancestorId: number, rights: number];

function rowOf([descendantId, ancestorId, rights]: Triple): ClosureRow {
  return { descendantId, ancestorId, rights };
}

function closureOf(triples: readonly Triple[]): ComputedClosure {
  return { size: triples.length, rows: () => triples.map(rowOf).values() as Generator<ClosureRow> };
}

interface Keeping {
  readonly database: Database;
  /** The arguments of each statement. */
  readonly asked: BoundStatement["args"][];
}

/** A database that returns `answer` for every read. Nothing else of it is used. */
function keeping(answer: (statement: BoundStatement) => unknown[]): Keeping {
  const asked: BoundStatement["args"][] = [];
  const read = (statement: BoundStatement): Promise<unknown[]> => {
    asked.push(statement.args);
    return Promise.resolve(answer(statement));
  };
  return { database: { read } as unknown as Database, asked };
}

async function compare(
  kept: readonly Triple[],
  expected: readonly Triple[],
): Promise<{ differences: unknown[]; read: number[] }> {
  const read: number[] = [];
  const differences: ClosureDifference[] = [];
  const { database } = keeping(() => kept.map(rowOf));
  for await (const difference of differencesOf(database, closureOf(expected), (rows) => read.push(rows))) {
    differences.push(difference);
  }
  return { differences: differences.map((d) => [d.descendantId, d.ancestorId, d.kept, d.expected]), read };
}

Deno.test("equal rows give no difference", async () => {
  const rows: Triple[] = [[2, 1, 63], [3, 1, 5], [3, 2, 7]];
  assert.deepEqual(await compare(rows, rows), { differences: [], read: [3] });
  assert.deepEqual(await compare([], []), { differences: [], read: [0] });
});

Deno.test("missing, surplus and differing rows are distinguished at every position", async () => {
  const { differences } = await compare(
    [[2, 1, 63], [3, 2, 7], [4, 1, 1], [5, 1, 9], [5, 2, 2], [7, 1, 4], [8, 8, 8]],
    [[1, 1, 6], [3, 1, 5], [3, 2, 7], [4, 1, 3], [5, 2, 2], [6, 1, 0], [7, 1, 4]],
  );
  assert.deepEqual(differences, [
    [1, 1, undefined, 6],
    [2, 1, 63, undefined],
    [3, 1, undefined, 5],
    [4, 1, 1, 3],
    [5, 1, 9, undefined],
    [6, 1, undefined, 0],
    [8, 8, 8, undefined],
  ]);
});

Deno.test("all computed rows are missing from an empty table, and all stored rows surplus to an empty closure", async () => {
  const rows: Triple[] = [[2, 1, 63], [3, 1, 5]];
  assert.deepEqual((await compare([], rows)).differences, [[2, 1, undefined, 63], [3, 1, undefined, 5]]);
  assert.deepEqual((await compare(rows, [])).differences, [[2, 1, 63, undefined], [3, 1, 5, undefined]]);
});

Deno.test("pages are read until one is not full, each after the last row of the page before", async () => {
  const rows = Array.from({ length: 5 }, (_, i) => i + 1);
  const { database, asked } = keeping(({ args }) =>
    rows.filter((row) => row > Number(args["last"])).slice(0, 2)
  );
  const read: Statement<SqlArgs, number> = { sql: "", parameters: new Set(["last", "limit"]) };
  const pages = await Array.fromAsync(readInPages(database, read, (last) => ({ last: last ?? 0 }), 2));
  assert.deepEqual(pages, [[1, 2], [3, 4], [5]]);
  assert.deepEqual(asked, [{ last: 0n, limit: 2n }, { last: 2n, limit: 2n }, { last: 4n, limit: 2n }]);
});

Deno.test("a comparison reads from before the first row and continues after the last of a full page", async () => {
  const full = Array.from({ length: 10_000 }, (_, i): Triple => [i + 1, 2 * i, 1]);
  const pages = [full.map(rowOf), []];
  const { database, asked } = keeping(() => pages.shift() ?? []);
  assert.deepEqual(await Array.fromAsync(differencesOf(database, closureOf(full), () => {})), []);
  assert.deepEqual(asked.map((args) => Object.values(args).map(Number)), [
    [-1, -1, 10_000],
    [10_000, 19_998, 10_000],
  ]);
});
