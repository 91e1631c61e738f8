/** Only the area that owns a table writes to it. */
import assert from "node:assert/strict";
import { filesBelow, readText } from "./project_files.ts";

/**
 * The owner of each table: the only area whose files hold statements that write it. Other areas put the owner's
 * statements into their batches. Every area may read any table.
 */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  accounts: ["departure", "reserved_email", "undo_link"],
  db: ["applied_migration", "setting", "sqlite_sequence"],
  mail: ["outbox"],
  throttle: ["throttle"],
  identity: [
    "factor_link",
    "known_address",
    "one_time_code",
    "partial_login",
    "passkey",
    "password_link",
    "recovery_code",
    "second_factor",
    "security_event",
    "session",
    "used_challenge",
    "user_account",
  ],
  graph: [
    "change_log",
    "deleted_key",
    "id_sequence",
    "idempotency_key",
    "import_chunk",
    "manages",
    "manages_history",
    "member",
    "member_history",
    "role",
    "role_closure",
    "role_history",
    "role_key",
    "root_usage",
  ],
  device: ["deleted_monitors", "device", "gone_device", "monitors"],
  telemetry: [
    "block",
    "block_range",
    "carry_state",
    "counted_series",
    "hour_summary",
    "point",
    "rate_bucket",
    "recent_point",
    "root_points",
    "series",
    "tag_set",
  ],
};

/** Areas that change the graph: they share its tables, as one change may write several. */
const OF_GRAPH: ReadonlySet<string> = new Set(["graph", "changes", "role", "key", "ending"]);

/** Logs, in which every area inserts and updates the rows of its own decisions. No area deletes one. */
const LOGS: ReadonlySet<string> = new Set(["change_log", "security_event"]);

/** Files that may delete rows of any table. Each is one list of deletions, to be read as a whole. */
const DELETE_ANYWHERE: ReadonlySet<string> = new Set([
  // Rows whose retention is over.
  "src/purge/purge_queries.ts",
  // All data about a user who leaves.
  "src/accounts/own/leave_queries.ts",
]);

/** Files that may write any table, with their reason. */
const WRITE_ANYWHERE: ReadonlySet<string> = new Set([
  // Writes every table, into an empty database.
  "src/db/backup/backup_tables.ts",
  // One list of what a clock that was ahead has stored, to be read as a whole.
  "src/purge/ahead_queries.ts",
]);

const WRITE =
  /(?<!\bDO )\b(INSERT(?: OR \w+)? INTO|REPLACE INTO|UPDATE(?: OR \w+)?|DELETE FROM)\s+(\$\{\w*|"?\w+)/g;
/** The same by the query builder; of other functions of these names, the argument is no table. */
const BUILT = /\b(insertFrom|insert|update|deleteFrom)\((\w+)/g;
/** What writes the texts of the builder, for any table. */
const BUILDER = "src/db/builder.ts";
/** The tables of the schema by their names in TypeScript. */
const TABLES: ReadonlyMap<string, string> = new Map(
  filesBelow("src/db/schema/").filter(isSource).flatMap((file) =>
    Array.from(
      readText(file).matchAll(/export const (\w+) = sqliteTable\(\s*"(\w+)"/g),
      ([, name = "", table = ""]) => [name, table] as const,
    )
  ),
);

interface Write {
  readonly file: string;
  readonly verb: string;
  /** Undefined if another name than that of a table is interpolated. */
  readonly table: string | undefined;
}

Deno.test("only the area that owns a table writes to it", () => {
  const writes = filesBelow("src/").filter(isSource).flatMap((file) => writesIn(file, readText(file)));
  assert.ok(writes.length > 100, `found ${writes.length} writes`);
  const foreign = writes.filter((write) => !isAllowed(write));
  assert.deepEqual(foreign.map(({ file, verb, table }) => `${file}: ${verb} ${table ?? "any table"}`), []);
});

Deno.test("every table of the schema has one owner, and every owned table exists", () => {
  const owned = Object.values(OWNERS).flat();
  // The tables of the migrations and of SQLite are in no schema.
  assert.deepEqual(owned.toSorted(), [...TABLES.values(), "applied_migration", "sqlite_sequence"].toSorted());
});

Deno.test("writes are found in every form, except in comments and as parts of an upsert", () => {
  const source =
    "// UPDATE session\n/** DELETE FROM role */ `INSERT OR IGNORE INTO a SELECT 1 ON CONFLICT (id) " +
    "DO UPDATE SET b = 1`, `WITH x AS (SELECT 1)\n  UPDATE\n  b SET c = 1`, `DELETE FROM ${table}`, `REPLACE INTO d`, " +
    "sql`UPDATE ${roleKey} SET`, insertFrom(role, select()), deleteFrom(member).where(), hash.update(text)";
  assert.deepEqual(writesIn("src/x.ts", source).map(({ verb, table }) => [verb, table]), [
    ["INSERT", "a"],
    ["UPDATE", "b"],
    ["DELETE", undefined],
    ["REPLACE", "d"],
    ["UPDATE", "role_key"],
    ["INSERT", "role"],
    ["DELETE", "member"],
  ]);
});

function isAllowed({ file, verb, table }: Write): boolean {
  if (WRITE_ANYWHERE.has(file) || verb === "DELETE" && DELETE_ANYWHERE.has(file)) return true;
  if (table === undefined) return false;
  const isOwner = OWNERS[areaOf(file)]?.includes(table) ?? false;
  return isOwner || LOGS.has(table) && verb !== "DELETE";
}

function areaOf(file: string): string {
  const [, area = ""] = file.split("/");
  return OF_GRAPH.has(area) ? "graph" : area;
}

function isSource(file: string): boolean {
  return file.endsWith(".ts");
}

function writesIn(file: string, source: string): Write[] {
  const code = source.replaceAll(/^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm, "");
  const built = Array.from(code.matchAll(BUILT), ([, verb = "", name = ""]) => ({
    file,
    verb: verb.replace(/[A-Z].*/, "").toUpperCase(),
    table: TABLES.get(name),
  })).filter(({ table }) => table !== undefined);
  if (file === BUILDER) return built;
  const written = Array.from(code.matchAll(WRITE), ([, verb = "", table = ""]) => {
    const named = table.startsWith("${") ? TABLES.get(table.slice(2)) : table;
    return { file, verb: verb.split(" ")[0] as string, table: named };
  });
  return [...written, ...built];
}
