import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "./database.ts";

/** How long a task writes to a file before it pauses, and for how long. */
const TURN_MS = 20;
const PAUSE_MS = 10;

/**
 * Returns a function that writes to the database for a long task. Processes that share a file poll for its lock, so a
 * task that took it again at once would keep it from a service: it pauses whenever its writes have taken some time.
 */
export function takingTurns(database: Database): Database["write"] {
  if (database.kind !== "file") return (statements) => database.write(statements);
  let writtenMs = 0;
  return async (statements) => {
    const begunAt = performance.now();
    const results = await database.write(statements);
    writtenMs += performance.now() - begunAt;
    if (writtenMs < TURN_MS) return results;
    writtenMs = 0;
    await delay(PAUSE_MS);
    return results;
  };
}
