import { CsvError, parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  exportedColumns,
  type ExportTablesOptions,
  type TableSink,
} from "../../src/transfer/export_tables.ts";
import {
  findDelimiter,
  readTableHeader,
  TABLE_KINDS,
  type TableHeader,
  type TableKind,
} from "../../src/transfer/table_header.ts";
import { TableReader } from "../../src/transfer/table_reader.ts";
import { writeText } from "./output.ts";
import { TaskError } from "./run_task.ts";
import { createUnfinished, type UnfinishedFile } from "./unfinished_file.ts";

/** A record, and the line at which it ends. */
interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** A problem of a file, and its line. The header is line 1. */
export interface FileProblem {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export interface TableFiles {
  readonly tables: TableReader;
  /** The files by what they hold. */
  readonly paths: ReadonlyMap<TableKind, string>;
  /** Problems of files whose kind is unknown. */
  readonly problems: readonly FileProblem[];
}

/** More than a header has, in characters. */
const BEGINNING = 64 * 1024;

/**
 * Reads CSV files (RFC 4180, UTF-8, byte order mark optional; separated by commas, semicolons or tabs), one of each
 * kind. Throws a `TaskError` for an unreadable file and for a second one of a kind.
 */
export async function readTableFiles(
  paths: readonly string[],
  options?: ConstructorParameters<typeof TableReader>[0],
): Promise<TableFiles> {
  const tables = new TableReader(options);
  const found = new Map<TableKind, string>();
  const problems: FileProblem[] = [];
  for (const path of paths) {
    const kind = await readTableFile(path, tables, (line, message) => problems.push({ path, line, message }));
    if (kind === undefined) continue;
    const other = found.get(kind);
    if (other !== undefined) {
      throw new TaskError(`${other} and ${path} are both files of ${kind}: join them.`);
    }
    found.set(kind, path);
  }
  return { tables, paths: found, problems };
}

type Report = (line: number, message: string) => void;

/** Reads one file, and returns its kind. */
async function readTableFile(
  path: string,
  tables: TableReader,
  reportUnknown: Report,
): Promise<TableKind | undefined> {
  using file = await openFile(path);
  // The decoder removes a byte order mark, and throws on bytes that are not UTF-8.
  const text = file.readable.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }))
    [Symbol.asyncIterator]();
  let header: TableHeader | undefined;
  const report: Report = (line, message) => {
    if (header === undefined) reportUnknown(line, message);
    else tables.report(header.kind, line, message);
  };
  try {
    const beginning = await readBeginning(text);
    const parser = parse({
      info: true,
      delimiter: findDelimiter(beginning),
      relax_column_count: true,
      skip_empty_lines: true,
      // Spreadsheets write rows of delimiters alone.
      skip_records_with_empty_values: true,
      record_delimiter: ["\r\n", "\n", "\r"],
    });
    await pipeline(
      Readable.from(followedBy(beginning, text)),
      parser,
      async (records: AsyncIterable<CsvRecord>) => {
        let read: TableHeader | string | undefined;
        for await (const { record, info: { lines: line } } of records) {
          // Without a header nothing else can be read, but leaving early would abort the pipeline.
          if (typeof read === "string") continue;
          if (read !== undefined) {
            tables.add(read, line, record);
            continue;
          }
          read = readTableHeader(record);
          if (typeof read === "string") report(line, read);
          else header = read;
        }
        if (read === undefined) report(1, `${readTableHeader([])}`);
      },
    );
  } catch (error) {
    if (error instanceof CsvError) report(Number(error["lines"]), error.message);
    else if (error instanceof TypeError) throw new TaskError(`${path} is not UTF-8: ${error.message}`);
    else throw error;
  }
  return header?.kind;
}

async function openFile(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new TaskError(`The file ${path} does not exist.`);
    throw error;
  }
}

async function readBeginning(text: AsyncIterator<string>): Promise<string> {
  let beginning = "";
  while (beginning.length < BEGINNING && !/[^\s,;"][^\r\n]*[\r\n]/.test(beginning)) {
    const { value, done } = await text.next();
    if (done === true) break;
    beginning += value;
  }
  return beginning;
}

async function* followedBy(beginning: string, text: AsyncIterator<string>): AsyncGenerator<string> {
  yield beginning;
  yield* { [Symbol.asyncIterator]: () => text };
}

/** Four files of an export, written beside their places. Disposal before `finish` deletes them. */
export interface UnfinishedTables extends AsyncDisposable {
  readonly sink: TableSink;
  /** Renames the files to their places, replacing existing ones. */
  finish(): Promise<void>;
}

/** Begins `roles.csv`, `people.csv`, `members.csv` and `devices.csv` in a folder. */
export async function createTableFiles(
  folder: string,
  options: Pick<ExportTablesOptions, "hashes">,
): Promise<UnfinishedTables> {
  const stack = new AsyncDisposableStack();
  const files = new Map<TableKind, { readonly unfinished: UnfinishedFile; readonly file: Deno.FsFile }>();
  for (const kind of TABLE_KINDS) {
    const unfinished = stack.use(await createUnfinished(join(folder, `${kind}.csv`)));
    files.set(kind, { unfinished, file: stack.use(await Deno.open(unfinished.path, { write: true })) });
  }
  return {
    sink: {
      async begin(): Promise<void> {
        for (const [kind, { file }] of files) {
          await file.truncate();
          await file.seek(0, Deno.SeekMode.Start);
          await writeText(file, stringify([exportedColumns(kind, options)]));
        }
      },
      async write(kind, rows): Promise<void> {
        const file = files.get(kind)?.file;
        if (file !== undefined && rows.length > 0) {
          await writeText(file, stringify(rows.map((row) => [...row])));
        }
      },
    },
    async finish(): Promise<void> {
      for (const { unfinished } of files.values()) await unfinished.finish();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
