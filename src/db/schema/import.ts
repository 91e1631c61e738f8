import { integer } from "drizzle-orm/sqlite-core/columns/integer";
import { text } from "drizzle-orm/sqlite-core/columns/text";
import { index } from "drizzle-orm/sqlite-core/indexes";
import { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";

/**
 * Staged rows of an import, unread until its last write moves all of them at once. Without rowid (see the migration).
 * The rows of an interrupted import are purged, and so are those of kind "done": the keys of its new roles, whose ids
 * follow one another from `position` on.
 */
export const importChunk = sqliteTable("import_chunk", {
  importId: text("import_id").notNull(),
  kind: text("kind", { enum: ["role", "relation", "closure", "top", "done"] }).notNull(),
  position: integer("position").notNull(),
  createdAt: integer("created_at").notNull(),
  /** JSON: a list of rows, each a list of values. */
  rows: text("rows").notNull(),
}, (t) => [
  primaryKey({ columns: [t.importId, t.kind, t.position] }),
  index("import_chunk_by_time").on(t.createdAt),
]);
