import { sql } from "drizzle-orm/sql/sql";
import { integer } from "drizzle-orm/sqlite-core/columns/integer";
import { text } from "drizzle-orm/sqlite-core/columns/text";
import { index } from "drizzle-orm/sqlite-core/indexes";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";

/** Mails to be sent, written in the batch that causes them. */
export const outbox = sqliteTable("outbox", {
  /** Unique among all deployments, because it becomes the Message-ID. Not secret. */
  id: text("id").primaryKey(),
  createdAt: integer("created_at").notNull(),
  template: text("template").notNull(),
  language: text("language").notNull(),
  /** Named sender brand, or null for the default sender. */
  brand: text("brand"),
  /** The account's stored address. Null if no account has the submitted address: such a mail is dropped at delivery. */
  recipient: text("recipient"),
  /** Names in the text, copied in the batch. Not secret. */
  roleName: text("role_name"),
  actorEmail: text("actor_email"),
  /**
   * For the text: the kind of a factor, the number of codes left, the name of a key, or as JSON what ends. Not secret.
   */
  detail: text("detail"),
  /** Secret parameters (codes, links) as JSON, sealed with the row's id as context; null if there are none. */
  sealedParams: text("sealed_params"),
  /** When the code or link in the mail expires; the mail is not sent after that. */
  expiresAt: integer("expires_at").notNull(),
  deliveredAt: integer("delivered_at"),
  attempts: integer("attempts").notNull().default(0),
  /** No attempt before this time: a growing delay, or the lease of the courier that is delivering the mail. */
  nextAttemptAt: integer("next_attempt_at").notNull().default(0),
  /** When delivery was given up: no recipient, expired, or refused permanently. */
  droppedAt: integer("dropped_at"),
}, (t) => [
  index("outbox_by_time").on(t.createdAt),
  index("outbox_to_deliver").on(t.nextAttemptAt).where(sql`delivered_at IS NULL AND dropped_at IS NULL`),
]);

/** Facts about this database, such as the keys that development keeps in it. */
export const setting = sqliteTable("setting", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});
