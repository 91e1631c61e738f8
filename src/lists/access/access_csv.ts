import type { PageRequest } from "../../core/page.ts";
import type { CsvFile } from "../../http/csv.ts";
import { RIGHT_NAMES } from "../../graph/rights.ts";
import { eachPage } from "./access_page.ts";
import type { PeoplePage } from "./people_service.ts";

const COLUMNS = [
  "userEmail",
  "keyId",
  "keyName",
  ...RIGHT_NAMES,
  "direct",
  "through",
  "throughNames",
  "hidden",
  "until",
  "revision",
] as const;

/** Returns the file of the people with access to a role. Each line names the revision that it shows. */
export function accessFile(readPage: (page: PageRequest) => Promise<PeoplePage>): CsvFile {
  return { columns: COLUMNS, pages: eachPage(readPage, linesOf) };
}

/** Spaces separate the ids of roles, and semicolons their names. */
function linesOf({ rows, names, revision }: PeoplePage) {
  return rows.map(({ userEmail, key, rights, direct, through, hidden, until }) => [
    userEmail,
    key?.id,
    key?.name,
    ...RIGHT_NAMES.map((name) => String(rights[name])),
    String(direct),
    through.join(" "),
    through.map((id) => names.get(id) ?? "").join("; "),
    hidden,
    until,
    revision,
  ]);
}
