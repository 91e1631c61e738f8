import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { bind, pickNamed, type Statement } from "../../db/statement.ts";
import { writeEvent } from "../../identity/security_service.ts";
import { END_EVERYTHING_OPEN, OPEN_ROWS_PER_BATCH } from "../../identity/session_queries.ts";
import { COUNT_OPEN, RECORD_ALL_ENDED } from "./administrator_queries.ts";

/** Pause between two batches, for a service that shares the file. */
const PAUSE_MS = 20;

/** The number of live sessions and sign-ins that were ended. */
export interface EndedCounts {
  readonly sessions: number;
  /** Sign-ins that waited for a second factor. */
  readonly signIns: number;
}

/**
 * Ends all sessions and pending sign-ins of all users, as the administrator, and with them all their tokens, in
 * batches in the order of users. Sessions opened meanwhile may end, too. If interrupted, run it again. One event
 * records it. `onProgress` gets the rows done, and the total.
 */
export async function endAllSessions(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  onProgress: (done: number, total: number) => void = () => {},
): Promise<EndedCounts> {
  const opId = crypto.randomUUID();
  await writeEvent(database, RECORD_ALL_ENDED, { opId, now: clock() });
  const [{ total } = { total: 0 }] = await database.read(bind(COUNT_OPEN, {}));
  let done = 0;

  async function endAll(statement: Statement): Promise<number> {
    let live = 0;
    let fromUser = 0;
    for (;;) {
      const args = pickNamed([statement], { opId, now: clock(), fromUser });
      const [rows = []] = await database.write([bind(statement, args)]);
      for (const row of rows) {
        fromUser = Math.max(fromUser, Number(row["userId"]));
        live += Number(row["isLive"]);
      }
      done += rows.length;
      onProgress(Math.min(done, total), total);
      if (rows.length < OPEN_ROWS_PER_BATCH) return live;
      await delay(PAUSE_MS);
    }
  }

  const signIns = await endAll(END_EVERYTHING_OPEN.signIns);
  return { signIns, sessions: await endAll(END_EVERYTHING_OPEN.sessions) };
}
