import type { Clock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";

/** Dependencies of reading the graph. */
export interface GraphDeps {
  readonly database: Database;
  readonly clock: Clock;
}
