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
  /** Secret parameters (codes, links) as JSON, sealed with the row's id as context; null when there are none. */
  sealedParams: text("sealed_params"),
  /** When what the mail carries expires; it is never sent after that. */
  expiresAt: integer("expires_at").notNull(),
  deliveredAt: integer("delivered_at"),
}, (t) => [
  index("outbox_by_time").on(t.createdAt),
]);

/** Facts about this database itself: development keys, and that development made it. */
export const setting = sqliteTable("setting", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});
