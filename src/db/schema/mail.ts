import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Mails to be sent, written in the batch that makes what they tell of. */
export const outbox = sqliteTable("outbox", {
  /** Random; becomes the Message-ID. */
  id: text("id").primaryKey(),
  createdAt: integer("created_at").notNull(),
  template: text("template").notNull(),
  language: text("language").notNull(),
  /** Named sender brand, or null for the default sender. */
  brand: text("brand"),
  /** The stored address of the account; null (nobody has the submitted address) means: drop at delivery. */
  recipient: text("recipient"),
  /** What the text names, copied in the batch: not secret. */
  roleName: text("role_name"),
  actorEmail: text("actor_email"),
  /** What the mail is about where one word tells it: a factor's kind, the number of codes left. Not secret. */
  detail: text("detail"),
  /** Secret parameters (codes, links) as JSON, sealed with the row's id as context; null when there are none. */
  sealedParams: text("sealed_params"),
  /** When what the mail carries expires; it is never sent after that. */
  expiresAt: integer("expires_at").notNull(),
  deliveredAt: integer("delivered_at"),
  attempts: integer("attempts").notNull().default(0),
  /** No attempt before this time: a growing delay, or the lease of whoever is delivering it now. */
  nextAttemptAt: integer("next_attempt_at").notNull().default(0),
  /** Nobody tries any more: no recipient, expired, or refused for good. */
  droppedAt: integer("dropped_at"),
}, (t) => [
  index("outbox_by_time").on(t.createdAt),
  index("outbox_to_deliver").on(t.nextAttemptAt).where(sql`delivered_at IS NULL AND dropped_at IS NULL`),
]);

/** Facts about this database itself: development keys, and that development made it. */
export const setting = sqliteTable("setting", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});
