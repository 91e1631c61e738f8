import { stringify } from "csv-stringify/sync";
import { RIGHT_NAMES } from "../../role/rights.ts";
import type { AccessPage } from "./access_page.ts";
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

/** A file of who has access to a role, a page at a time. */
export async function* formatFile(
  pages: AsyncIterable<AccessPage<PersonAccess>>,
): AsyncGenerator<string, void> {
  yield stringify([[...COLUMNS]], FORMAT);
  for await (const page of pages) {
    if (page.rows.length > 0) yield formatPage(page);
  }
}

/** The lines of a page. Each names the revision that it shows; the ids of roles are separated by spaces. */
function formatPage({ rows, revision }: AccessPage<PersonAccess>): string {
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
