import { type Clock, isWithin, SECOND_MS } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { readSettings } from "../../db/setting_queries.ts";
import { costSetting, noteForeignHashes } from "./foreign_cost_queries.ts";
import { costsOfForeign, dummiesFor, FOREIGN_KINDS, type ForeignCost } from "./foreign_hash.ts";

/** What comparing the hashes of other systems costs. */
export interface ForeignCosts {
  /**
   * Returns a hash of each algorithm that costs as much as any in the database (`dummiesFor`); none in a database
   * without such hashes. Notes this one first if it costs more: no import brought it.
   */
  covering(hash: string): Promise<readonly string[]>;
}

/** How long a process relies on what it read. Another process may import hashes. */
const KEPT_MS = 10 * SECOND_MS;

/** Reads the costs from the database when they are needed, at most every ten seconds. */
export function createForeignCosts(database: Database, clock: Clock): ForeignCosts {
  let costs: readonly ForeignCost[] = [];
  let readAt = -Infinity;

  async function read(): Promise<void> {
    const now = clock();
    const settings = await readSettings(database);
    costs = FOREIGN_KINDS.flatMap((kind) => {
      const [, dummy = ""] = settings.get(costSetting(kind))?.split(" ") ?? [];
      return costsOfForeign(dummy).filter((cost) => cost.kind === kind);
    });
    readAt = now;
  }

  return {
    async covering(hash): Promise<readonly string[]> {
      if (!isWithin(KEPT_MS, readAt, clock())) await read();
      const isNoted = costsOfForeign(hash).every((own) =>
        costs.some(({ kind, work }) => kind === own.kind && work >= own.work)
      );
      if (!isNoted) {
        await database.write(noteForeignHashes([hash]));
        await read();
      }
      return dummiesFor(costs);
    },
  };
}
