import type { Database } from "../src/db/database.ts";
import type { ProductionService } from "../tests/helpers/production_service.ts";
import {
  generateHierarchy,
  type Hierarchy,
  type HierarchyOptions,
  type SeededRows,
  seedHierarchy,
} from "./hierarchy.ts";

/** A service with a hierarchy, whose database calls are timed. */
export interface TimedService extends ProductionService {
  readonly hierarchy: Hierarchy;
  /** Duration of each call since the last time this was called, in milliseconds. */
  readonly takeTimes: () => number[];
}

/** Fills the service's database with a generated hierarchy below its root. */
export async function seedService(
  { database, rootId }: ProductionService,
  options: Pick<HierarchyOptions, "seed" | "levels" | "shape">,
): Promise<{ hierarchy: Hierarchy; rows: SeededRows }> {
  // The gap after the root's ids is for roles that a benchmark creates beforehand.
  const hierarchy = generateHierarchy({ ...options, rootId, firstRoleId: 1001, firstRelationId: 1001 });
  return { hierarchy, rows: await seedHierarchy(database, hierarchy) };
}

/** The service with a timed database. */
export function timeService(service: ProductionService, hierarchy: Hierarchy): TimedService {
  const { database, takeTimes } = timeDatabase(service.database);
  return { ...service, deps: { ...service.deps, database }, hierarchy, takeTimes };
}

/** Wraps a database to record the duration of each read and write, in milliseconds. */
export function timeDatabase(database: Database): { database: Database; takeTimes: () => number[] } {
  let times: number[] = [];
  async function time<T>(operation: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    // A file database finishes before it returns the promise.
    const result = await operation();
    times.push(performance.now() - startedAt);
    return result;
  }
  return {
    database: {
      ...database,
      read: (statement) => time(() => database.read(statement)),
      write: (statements) => time(() => database.write(statements)),
    },
    takeTimes(): number[] {
      const taken = times;
      times = [];
      return taken;
    },
  };
}
