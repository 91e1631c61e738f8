import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { bind, pickNamed, type Statement } from "../db/statement.ts";
import { writeEvent } from "../identity/security_service.ts";
import { END_EVERYTHING_OPEN, OPEN_ROWS_PER_BATCH } from "../identity/session_queries.ts";
import { COUNT_OPEN, RECORD_ALL_ENDED } from "./administrator_queries.ts";

/** Between two batches, so that a service that shares the file gets its turn. */
const PAUSE_MS = 20;

/** How many were live and ended. */
export interface EndedCounts {
  readonly sessions: number;
  /** Sign-ins that waited for a second factor. */
  readonly signIns: number;
}

/**
 * Ends all sessions of all users and all sign-ins that wait for a second factor, as the administrator, and with them
 * every access, refresh, sudo and partial token. Whatever was open when it began has ended when it returns; whoever
 * signs in meanwhile has a new session, which may have ended, too. Works in batches, in the order of users. If it is
 * interrupted, run it again. One event records it. `onProgress` gets the rows that are done, and all.
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
