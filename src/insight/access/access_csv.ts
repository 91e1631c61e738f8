import { stringify } from "csv-stringify/sync";
import type { PageRequest } from "../../core/page.ts";
import { yieldToEventLoop } from "../../core/yield_to_event_loop.ts";
import { RIGHT_NAMES } from "../../role/rights.ts";
import { type AccessPage, eachPage } from "./access_page.ts";
import type { PersonAccess } from "./people_service.ts";

const COLUMNS = [
  "userEmail",
  "keyId",
  "keyName",
  ...RIGHT_NAMES,
  "direct",
  "through",
  "hidden",
  "until",
  "revision",
] as const;

/** RFC 4180. A spreadsheet takes a cell that begins with = + - or @ for a formula, so a ' goes before it. */
const FORMAT = { record_delimiter: "windows", quote_record_delimiter: true, escape_formulas: true } as const;

/** Number of lines that are formatted in one go, some milliseconds. Other requests get their turn in between. */
const LINES_AT_A_TIME = 100;

/**
 * Yields a file of the people with access to a role, a page at a time. If the first page cannot be read, yields
 * nothing, not even the header.
 */
export async function* formatFile(
  readPage: (page: PageRequest) => Promise<AccessPage<PersonAccess>>,
): AsyncGenerator<string, void, undefined> {
  let header = stringify([[...COLUMNS]], FORMAT);
  for await (const lines of eachPage(readPage, formatPage)) {
    yield header + lines;
    header = "";
  }
}

async function formatPage({ rows, revision }: AccessPage<PersonAccess>): Promise<string> {
  let text = "";
  for (let at = 0; at < rows.length; at += LINES_AT_A_TIME) {
    await yieldToEventLoop();
    text += formatLines(rows.slice(at, at + LINES_AT_A_TIME), revision);
  }
  return text;
}

/** Returns lines that each name the revision that they show. Spaces separate the ids of roles. */
function formatLines(rows: readonly PersonAccess[], revision: number): string {
  return stringify(
    rows.map(({ userEmail, key, rights, direct, through, hidden, until }) => [
      userEmail,
      key?.id,
      key?.name,
      ...RIGHT_NAMES.map((name) => String(rights[name])),
      String(direct),
      through.join(" "),
      hidden,
      until,
      revision,
    ]),
    FORMAT,
  );
}
