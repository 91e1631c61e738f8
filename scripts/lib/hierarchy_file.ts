import { CsvError, parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ExportSink } from "../../src/role/transfer/export_service.ts";
import {
  type Cells,
  COLUMNS,
  formatRow,
  type HierarchyRow,
  quote,
} from "../../src/role/transfer/import_format.ts";
import { type CheckedGraph, type GraphOptions, GraphReader } from "../../src/role/transfer/import_graph.ts";
import { writeText } from "./output.ts";
import { TaskError } from "./run_task.ts";

type Column = typeof COLUMNS[number];

/** A record, and the line at which it ends. */
interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const COLUMNS_NEEDED = `the header must name the columns ${COLUMNS.join(",")}, in any order`;

/**
 * Reads and checks a hierarchy from a CSV file (RFC 4180, UTF-8, byte order mark optional). Throws a `TaskError` if
 * the file is unreadable, and a `ClosureTooLargeError` if its rights table is too large.
 */
export async function readHierarchyFile(path: string, options: GraphOptions): Promise<CheckedGraph> {
  const reader = new GraphReader();
  using file = await openFile(path);
  // The decoder removes a byte order mark, and throws on bytes that are not UTF-8.
  const text = file.readable.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }));
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ["\r\n", "\n", "\r"],
  });
  try {
    await pipeline(Readable.from(text), parser, (records: AsyncIterable<CsvRecord>) => {
      return readRecords(records, reader);
    });
  } catch (error) {
    if (error instanceof CsvError) reader.report(Number(error["lines"]), error.message);
    else if (error instanceof TypeError) throw new TaskError(`${path} is not UTF-8: ${error.message}`);
    else throw error;
  }
  return reader.finish(options);
}

async function openFile(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new TaskError(`The file ${path} does not exist.`);
    throw error;
  }
}

async function readRecords(records: AsyncIterable<CsvRecord>, reader: GraphReader): Promise<void> {
  let header: ReadonlyMap<Column, number> | "wrong" | undefined;
  for await (const { record, info: { lines: line } } of records) {
    // Without the columns, nothing else can be read, but leaving early would abort the pipeline.
    if (header === "wrong") continue;
    if (header === undefined) {
      header = readHeader(record, line, reader);
    } else if (record.length !== COLUMNS.length) {
      reader.report(line, `the line has ${record.length} columns, the header ${COLUMNS.length}`);
    } else {
      reader.add(line, pickCells(record, header));
    }
  }
  if (header === undefined) reader.report(1, COLUMNS_NEEDED);
}

function readHeader(
  record: readonly string[],
  line: number,
  reader: GraphReader,
): ReadonlyMap<Column, number> | "wrong" {
  const names = record.map((name) => name.trim());
  const places = new Map(COLUMNS.map((column) => [column, names.indexOf(column)]));
  const unknown = names.find((name, i) => places.get(name as Column) !== i);
  if (unknown === undefined && names.length === COLUMNS.length) return places;
  const read = unknown === undefined ? record.join() : unknown;
  reader.report(line, `${COLUMNS_NEEDED}, not ${quote(read)}`);
  return "wrong";
}

function pickCells(record: readonly string[], header: ReadonlyMap<Column, number>): Cells {
  const cell = (column: Column): string => record[header.get(column) ?? -1] ?? "";
  return {
    key: cell("key"),
    name: cell("name"),
    parents: cell("parents"),
    manages: cell("manages"),
    selfRights: cell("selfRights"),
  };
}

/** Creates a sink that writes exported roles into an open file. Each attempt starts at its beginning. */
export function createFileSink(file: Deno.FsFile): ExportSink {
  return {
    async begin(): Promise<void> {
      await file.truncate();
      await file.seek(0, Deno.SeekMode.Start);
      await writeText(file, stringify([[...COLUMNS]]));
    },
    async write(rows: readonly HierarchyRow[]): Promise<void> {
      await writeText(file, stringify(rows.map(formatRow), { columns: [...COLUMNS] }));
    },
  };
}
