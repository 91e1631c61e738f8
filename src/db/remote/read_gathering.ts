import type { Row } from "../database.ts";
import { isUnavailable } from "../sql_errors.ts";
import { type BoundStatement, namedArgs } from "../statement.ts";

/** Maximum number of concurrent calls: while one response is on its way, the server works for the other. */
export const PROBE_CALLS = 2;
/** Maximum number of reads in a call. */
export const PROBES_TOGETHER = 32;

/** Runs statements on one snapshot, in one call, and returns the rows of each. */
type Send = (statements: readonly BoundStatement[]) => Promise<Row[][]>;

interface Waiting {
  readonly statements: readonly BoundStatement[];
  /** Whether a call that it shared has failed. */
  readonly alone: boolean;
  readonly resolve: (rows: Row[][]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends waiting short reads together: a server's work for one is mostly the beginning and end of a call. A read begins
 * after its request, so it misses no earlier write. Each has its statements on one snapshot.
 */
export function gatherReads(send: Send): Send {
  const waiting: Waiting[] = [];
  let underWay = 0;

  function sendNext(): void {
    while (underWay < PROBE_CALLS && waiting.length > 0) {
      const count = waiting.findIndex(({ alone }) => alone);
      const most = count === -1 ? PROBES_TOGETHER : Math.min(PROBES_TOGETHER, Math.max(1, count));
      void sendTogether(waiting.splice(0, most));
    }
  }

  async function sendTogether(reads: readonly Waiting[]): Promise<void> {
    underWay++;
    try {
      const results = await sendAsLists(reads.flatMap(({ statements }) => statements), send);
      let taken = 0;
      for (const { statements, resolve } of reads) {
        resolve(results.slice(taken, taken += statements.length));
      }
    } catch (error) {
      // A statement failed: the reads of its call are sent again, each alone.
      if (reads.length > 1 && !isUnavailable(error)) {
        waiting.unshift(...reads.map((read) => ({ ...read, alone: true })));
      } else {
        for (const { reject } of reads) reject(error);
      }
    } finally {
      underWay--;
      sendNext();
    }
  }

  return (statements) =>
    new Promise((resolve, reject) => {
      waiting.push({ statements, alone: false, resolve, reject });
      sendNext();
    });
}

/** Sends statements; those of one text that has a form for lists (`Statement.asList`) become one. */
async function sendAsLists(statements: readonly BoundStatement[], send: Send): Promise<Row[][]> {
  if (statements.length === 1) return await send(statements);
  const numbered = statements.map((statement, number) => ({ statement, number }));
  const groups = Map.groupBy(numbered, ({ statement, number }) => statement.asList ? statement.sql : number);
  const sent = [...groups.values()];
  const results = await send(sent.map((group) => listOf(group.map(({ statement }) => statement))));
  const rows: Row[][] = statements.map(() => []);
  for (const [i, group] of sent.entries()) {
    for (const { place = 0, ...row } of results[i] ?? []) rows[group[Number(place)]?.number ?? -1]?.push(row);
  }
  return rows;
}

function listOf(group: readonly BoundStatement[]): BoundStatement {
  const [first] = group as [BoundStatement];
  if (group.length === 1 || first.asList === undefined) return first;
  const values = group.map((statement) =>
    Object.values(namedArgs(statement)).map((value) => typeof value === "bigint" ? Number(value) : value)
  );
  return { sql: first.asList(), args: { probes: JSON.stringify(values) } };
}
