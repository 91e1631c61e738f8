import type { Row } from "../database.ts";
import { isUnavailable } from "../sql_errors.ts";
import type { BoundStatement } from "../statement.ts";

/**
 * Maximum number of concurrent calls. With fewer, a server idles while responses are on their way; more take its
 * processor from other reads.
 */
export const PROBE_CALLS = 4;
/** Maximum number of reads in a call. */
export const PROBES_TOGETHER = 16;

export interface GatheredReads {
  /** Runs the statements of one read on one snapshot. It travels at once, or with other waiting reads. */
  read(statements: readonly BoundStatement[]): Promise<Row[][]>;
}

interface Waiting {
  readonly statements: readonly BoundStatement[];
  /** Whether a call that it shared has failed. */
  readonly alone: boolean;
  readonly resolve: (rows: Row[][]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends waiting short reads together: a server's work for one is mostly the beginning and end of a call. A read begins
 * after its request, so it misses no earlier write. `send` runs statements on one snapshot.
 */
export function gatherReads(
  send: (statements: readonly BoundStatement[]) => Promise<Row[][]>,
): GatheredReads {
  const waiting: Waiting[] = [];
  let underWay = 0;

  function sendNext(): void {
    while (underWay < PROBE_CALLS && waiting.length > 0) {
      const count = waiting.findIndex(({ alone }) => alone);
      const most = Math.min(
        PROBES_TOGETHER,
        waiting.length,
        count === -1 ? PROBES_TOGETHER : Math.max(1, count),
      );
      void sendTogether(waiting.splice(0, most));
    }
  }

  async function sendTogether(reads: readonly Waiting[]): Promise<void> {
    underWay++;
    try {
      const results = await send(reads.flatMap(({ statements }) => statements));
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

  return {
    read: (statements) =>
      new Promise((resolve, reject) => {
        waiting.push({ statements, alone: false, resolve, reject });
        sendNext();
      }),
  };
}
