import { integer } from "drizzle-orm/sqlite-core/columns/integer";
import { text } from "drizzle-orm/sqlite-core/columns/text";
import { index } from "drizzle-orm/sqlite-core/indexes";
import { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";

/**
 * Counters of failures and of sent mails. `scope` names the rule (`throttle/limits.ts`), `key` what it counts for.
 * Keys of accounts are HMACs of the normalized address, whether or not it has an account.
 */
export const throttle = sqliteTable("throttle", {
  scope: text("scope").notNull(),
  key: text("key").notNull(),
  count: integer("count").notNull(),
  /** The guess schedule: no attempt before this time. */
  nextAt: integer("next_at").notNull().default(0),
  /** When the current window began; a window of a time to come is ignored. On the guess schedule, the latest failure. */
  startedAt: integer("started_at").notNull(),
  /** The time from which the row is ignored and may be purged. */
  expiresAt: integer("expires_at").notNull(),
}, (t) => [
  primaryKey({ columns: [t.scope, t.key] }),
  index("throttle_by_expiry").on(t.expiresAt),
]);
