import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { bind, bindBatch } from "../../src/db/statement.ts";
import { defineStatement } from "../helpers/text_statement.ts";

const CREATE_MARKS = [
  defineStatement("CREATE TABLE mark (label TEXT NOT NULL)"),
  defineStatement("CREATE TABLE mark_count (n INTEGER NOT NULL)"),
  defineStatement("INSERT INTO mark_count (n) VALUES (0)"),
];
const INSERT_MARK = [
  defineStatement("INSERT INTO mark (label) VALUES (:label)"),
  defineStatement("UPDATE mark_count SET n = n + 1"),
];
const SELECT_MARKS = defineStatement("SELECT label FROM mark ORDER BY label");
const SELECT_COUNT = defineStatement("SELECT n FROM mark_count");

/** Makes two tables that only atomic writes keep in step: one row per mark, and a count of the rows. */
export async function createMarks(database: Database): Promise<void> {
  await database.write(bindBatch(CREATE_MARKS, {}));
}

/** Writes one mark. A repeated write leaves a second row, so that a test notices it. */
export async function writeMark(database: Database, label: string): Promise<void> {
  await database.write(bindBatch(INSERT_MARK, { label }));
}

/** Starts `count` writes at the same time. Returns the labels of those that were acknowledged. */
export async function writeMarks(database: Database, prefix: string, count: number): Promise<string[]> {
  const labels = Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(4, "0")}`);
  const outcomes = await Promise.allSettled(labels.map((label) => writeMark(database, label)));
  return labels.filter((_, i) => outcomes[i]?.status === "fulfilled");
}

/** All marks in order, and the count that was written along with them. */
export async function readMarks(database: Database): Promise<{ labels: string[]; count: number }> {
  const [marks = [], counts = []] = await database.readAll([bind(SELECT_MARKS, {}), bind(SELECT_COUNT, {})]);
  return { labels: marks.map((row) => String(row["label"])), count: Number(counts[0]?.["n"]) };
}

/** Reads through a new connection, since one that reports a false commit could also return the lost rows. */
export async function readAfresh(url: string): Promise<{ labels: string[]; count: number }> {
  const database: Database = await openDatabase(url, { timeoutMs: 60_000 });
  try {
    return await readMarks(database);
  } finally {
    await database.close();
  }
}
