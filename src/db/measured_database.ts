import { SECOND_MS } from "../core/clock.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Database } from "./database.ts";

/** Returns the database with each call measured. */
export function measureDatabase(database: Database, metrics: Metrics): Database {
  async function measured<T>(operation: "read" | "write", call: Promise<T>): Promise<T> {
    const begunAt = performance.now();
    let outcome: "ok" | "failed" = "failed";
    try {
      const result = await call;
      outcome = "ok";
      return result;
    } finally {
      metrics.record("rolegrid.database.duration", (performance.now() - begunAt) / SECOND_MS, {
        "db.operation.name": operation,
        "rolegrid.outcome": outcome,
      });
    }
  }

  return {
    ...database,
    read: (statement) => measured("read", database.read(statement)),
    readAll: (statements) => measured("read", database.readAll(statements)),
    write: (statements) => measured("write", database.write(statements)),
    close: () => database.close(),
  };
}
