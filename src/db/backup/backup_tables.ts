/**
 * A database as SQL texts, to copy it from one kind to the other. Values go through SQLite's `quote()`, which keeps
 * types and digits: integers beyond 2^53 stay exact, and 3.0 stays a real.
 */

/** Runs one read statement. All reads of one copy must see the same state. */
export type ReadTexts = (sql: string) => Promise<readonly Record<string, unknown>[]>;

export interface StoredTable {
  readonly name: string;
  readonly createSql: string;
  readonly columns: readonly string[];
  /** Columns of the primary key, in key order. */
  readonly key: readonly string[];
}

export interface StoredSchema {
  readonly tables: readonly StoredTable[];
  /** Statements that create indexes of texts, and fill them from the rows. Their own tables are not copied. */
  readonly textIndexSqls: readonly string[];
  /** Statements that create indexes, to run after the rows are in. */
  readonly indexSqls: readonly string[];
  /** Whether SQLite remembers the ids of deleted rows (AUTOINCREMENT). */
  readonly hasSequences: boolean;
}

/**
 * Target length of a page of rows, in characters, far below a server's limits. A page may have up to twice as much, a
 * single row any length.
 */
const PAGE_LENGTH = 500_000;
const FIRST_PAGE_ROWS = 100;
const MAX_PAGE_ROWS = 10_000;

const SEQUENCES: StoredTable = {
  name: "sqlite_sequence",
  createSql: "",
  columns: ["name", "seq"],
  key: ["name"],
};

/** Reads the schema, without the internal tables of SQLite, libSQL and Litestream. */
export async function readSchema(read: ReadTexts): Promise<StoredSchema> {
  const tables: StoredTable[] = [];
  const textIndexSqls: string[] = [];
  const indexSqls: string[] = [];
  let hasSequences = false;
  const rows = await read("SELECT type, name, sql FROM sqlite_schema ORDER BY rowid");
  const kinds = await read("SELECT name, type FROM pragma_table_list WHERE schema = 'main'");
  const kindOf = new Map(kinds.map((row) => [row["name"], row["type"]]));
  for (const { type, name, sql } of rows) {
    if (name === SEQUENCES.name) hasSequences = true;
    if (typeof name !== "string" || typeof sql !== "string" || /^(sqlite|libsql|_litestream)_/.test(name)) {
      continue;
    }
    const kind = kindOf.get(name);
    if (kind === "shadow") continue;
    if (kind === "virtual") {
      const index = identifier(name);
      textIndexSqls.push(sql, `INSERT INTO ${index} (${index}) VALUES ('rebuild')`);
    } else if (type === "table") tables.push(await readTable(read, name, sql));
    else indexSqls.push(sql);
  }
  return { tables, textIndexSqls, indexSqls, hasSequences };
}

async function readTable(read: ReadTexts, name: string, createSql: string): Promise<StoredTable> {
  const rows = await read(`SELECT name, pk FROM pragma_table_info(${literal(name)}) ORDER BY cid`);
  const key = rows.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a["pk"]) - Number(b["pk"]));
  const names = (columns: typeof rows): string[] => columns.map((column) => String(column["name"]));
  if (key.length === 0) throw new TypeError(`Cannot copy the table ${name}: it has no primary key`);
  return { name, createSql, columns: names(rows), key: names(key) };
}

/** Returns the number of rows in all tables together. */
export async function countRows(read: ReadTexts, { tables }: StoredSchema): Promise<number> {
  let total = 0;
  for (const { name } of tables) {
    const [row] = await read(`SELECT count(*) AS total FROM ${identifier(name)}`);
    total += Number(row?.["total"] ?? 0);
  }
  return total;
}

/** Yields the statements that insert a table's rows, page by page in key order. */
export async function* readInserts(
  read: ReadTexts,
  table: StoredTable,
): AsyncGenerator<{ sql: string; rows: number }> {
  const into = `${identifier(table.name)} (${table.columns.map(identifier).join(", ")})`;
  let after: string | undefined;
  let limit = FIRST_PAGE_ROWS;
  for (;;) {
    const [page] = await read(selectPage(table, after, limit));
    const rows = Number(page?.["page_rows"] ?? 0);
    if (rows === 0) return;
    const texts = page?.["texts"];
    if (typeof texts === "string") {
      yield { sql: `INSERT INTO ${into} VALUES ${texts}`, rows };
      after = String(page?.["place"]);
      limit = clampRows(PAGE_LENGTH * rows / texts.length);
    } else {
      limit = clampRows(rows / 2);
    }
  }
}

/**
 * Returns SQL for one row: the number of rows in the page, the key of the last, and their texts, or NULL if these are
 * too long together.
 */
function selectPage({ name, columns, key }: StoredTable, after: string | undefined, limit: number): string {
  const keyColumns = key.map(identifier).join(", ");
  const keyNames = key.map((_, i) => `key_${i}`);
  const condition = after === undefined ? "" : `WHERE (${keyColumns}) > (${after})`;
  return `
    WITH page AS MATERIALIZED (
      SELECT ${key.map((column, i) => `${identifier(column)} AS ${keyNames[i]}`).join(", ")},
        '(' || ${columns.map(quoted).join(" || ',' || ")} || ')' AS row_text
      FROM ${identifier(name)} ${condition} ORDER BY ${keyColumns} LIMIT ${limit})
    SELECT count(*) AS page_rows,
      (SELECT ${keyNames.map(quoted).join(" || ',' || ")} FROM page
        ORDER BY ${keyNames.map((column) => `${column} DESC`).join(", ")} LIMIT 1) AS place,
      CASE WHEN sum(length(row_text)) <= ${2 * PAGE_LENGTH} OR count(*) = 1
        THEN group_concat(row_text, ',') END AS texts
    FROM page`;
}

function clampRows(rows: number): number {
  return Math.max(1, Math.min(MAX_PAGE_ROWS, Math.floor(rows)));
}

function quoted(column: string): string {
  return `quote(${identifier(column)})`;
}

/** Yields the statements that restore the remembered ids. They must run after all rows are in. */
export async function* readSequences(read: ReadTexts, schema: StoredSchema): AsyncGenerator<string> {
  if (!schema.hasSequences) return;
  yield "DELETE FROM sqlite_sequence";
  for await (const { sql } of readInserts(read, SEQUENCES)) yield sql;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
