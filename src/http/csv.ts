import { stringify } from "csv-stringify/sync";
import type { Context, TypedResponse } from "hono";
import { accepts } from "hono/accepts";
import { AppError } from "../core/errors.ts";
import type { QueueMeter } from "../core/metrics.ts";
import { Shares } from "../core/shares.ts";
import { yieldToEventLoop } from "../core/yield_to_event_loop.ts";
import type { AppEnv } from "./env.ts";
import { respondParts } from "./respond.ts";
import { generated } from "./sender.ts";

/** Lists as files for a spreadsheet (RFC 4180). */

export const CSV = "text/csv";

/** A spreadsheet takes a cell that begins with = + - or @ for a formula, so a ' goes before it. */
const FORMAT = { record_delimiter: "windows", quote_record_delimiter: true, escape_formulas: true } as const;

/** Number of lines that are formatted in one go, some milliseconds. Other requests get their turn in between. */
const LINES_AT_A_TIME = 100;

/** Numbers of pages of files that are read and formatted at the same time, and that wait. */
const FILE_TURNS = { size: 2, waiting: 1000 } as const;

type Cell = string | number | null | undefined;

/** A file: its columns, and its lines by the page that they are read in. */
export interface CsvFile {
  readonly columns: readonly string[];
  readonly pages: AsyncIterable<readonly (readonly Cell[])[]>;
}

/**
 * Yields the text of a file, a page at a time. If the first page cannot be read, yields nothing, not even the header.
 */
export async function* formatCsv({ columns, pages }: CsvFile): AsyncGenerator<string, void, undefined> {
  let header = stringify([columns], FORMAT);
  for await (const lines of pages) {
    let text = header;
    header = "";
    for (let at = 0; at < lines.length; at += LINES_AT_A_TIME) {
      await yieldToEventLoop();
      text += stringify(lines.slice(at, at + LINES_AT_A_TIME), FORMAT);
    }
    yield text;
  }
}

/** Whether the client prefers a file to JSON. */
export function prefersCsv(c: Context<AppEnv>): boolean {
  const type = "application/json";
  return accepts(c, { header: "Accept", supports: [type, CSV], default: type }) === CSV;
}

/** Throws `MALFORMED_REQUEST` if the request names one of these parts of a list: a part could pass for the whole. */
export function requireWhole(parts: Readonly<Record<string, unknown>>): void {
  const named = Object.keys(parts).filter((name) => parts[name] !== undefined);
  if (named.length === 0) return;
  const message = `Expected no ${named.join(" and no ")}: a file is always complete`;
  throw new AppError("MALFORMED_REQUEST", { details: [{ path: "header.Accept", message }] });
}

/** Responds with a file that is made while it is sent, named `name`.csv. */
export type RespondCsv = (
  c: Context<AppEnv>,
  name: string,
  file: CsvFile,
) => Promise<Response & TypedResponse<string, 200, "text">>;

/** Returns a responder whose files take turns: formatting a page takes long. */
export function createCsvResponder(meter?: QueueMeter): RespondCsv {
  const turns = new Shares({ ...FILE_TURNS, meter });
  return async (c, name, file) => {
    const source = generated(formatCsv(file));
    const response = await respondParts(
      c,
      `${CSV}; charset=utf-8; header=present`,
      () => turns.run(source),
    );
    response.headers.set("Content-Disposition", `attachment; filename="${name}.csv"`);
    return response as Response & TypedResponse<string, 200, "text">;
  };
}
