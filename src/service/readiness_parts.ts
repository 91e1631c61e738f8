import type { Log } from "../core/log.ts";
import type { Database } from "../db/database.ts";
import { type Migration, pendingMigrations } from "../db/migrations.ts";
import { requireReadable } from "../db/liveness_queries.ts";
import type { ReadinessParts } from "../http/readiness.ts";

/** Lists the parts that the service requires. Not the mail server: mails wait in the outbox. */
export function listReadinessParts(
  database: Database,
  migrations: readonly Migration[],
  log: Log,
): ReadinessParts {
  return {
    async database() {
      await requireReadable(database);
      return true;
    },
    async schema() {
      const pending = await pendingMigrations(database, migrations);
      if (pending.length > 0) log.warn("readiness.pending_migrations", { pending: pending.join(", ") });
      return pending.length === 0;
    },
  };
}
