import type { Database } from "../../src/db/database.ts";
import { bind } from "../../src/db/statement.ts";
import { readStoredTriggers, type Trigger } from "../../src/db/triggers.ts";
import { defineStatement } from "../helpers/text_statement.ts";

const COLUMNS = defineStatement(`
  SELECT 'column ' || tables.name || '.' || columns.name || ' ' || lower(columns.type)
    || CASE WHEN columns."notnull" THEN ' not null' ELSE '' END
    || CASE WHEN columns.dflt_value IS NULL THEN '' ELSE ' default ' || columns.dflt_value END
    || CASE WHEN columns.pk > 0 THEN ' key ' || columns.pk ELSE '' END AS part
  FROM pragma_table_list tables CROSS JOIN pragma_table_xinfo(tables.name) columns
  WHERE tables.schema = 'main' AND tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'`);

const INDEXES = defineStatement(`
  SELECT CASE indexes."unique" WHEN 1 THEN 'unique ' ELSE '' END || 'index ' || indexes.name || ' on ' || tables.name
    || ' (' || (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(indexes.name) ORDER BY seqno))
    || ')' AS part
  FROM sqlite_schema tables CROSS JOIN pragma_index_list(tables.name) indexes
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND indexes.origin = 'c'`);

const CHECKS = defineStatement(
  `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
);

/** The line of a trigger. */
export function describeTrigger({ name, table, sql }: Trigger): string {
  return `trigger ${name} on ${table}: ${sql}`;
}

/**
 * Describes the tables of a database, with a line for each column, index, check and trigger. Indexes of texts, which are virtual
 * tables with tables of their own, are only in the migrations: Drizzle cannot express them.
 */
export async function readShape(database: Database): Promise<Set<string>> {
  const parts = new Set<string>();
  for (const statement of [COLUMNS, INDEXES]) {
    for (const { part } of await database.read<{ part: string }>(bind(statement, {}))) parts.add(part);
  }
  for (const { name, sql } of await database.read<{ name: string; sql: string }>(bind(CHECKS, {}))) {
    for (const [constraint] of sql.matchAll(/CONSTRAINT .*? CHECK\(.*\)/g)) {
      parts.add(`${name}: ${constraint}`);
    }
  }
  for (const trigger of await readStoredTriggers(database)) parts.add(describeTrigger(trigger));
  return parts;
}
