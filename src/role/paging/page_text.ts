import { device, monitors } from "../../db/schema/telemetry.ts";
import { role } from "../../db/schema/role.ts";
import { Placeholder, raw, render, type SQL } from "../../db/sql.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import { textOf } from "../guard_text.ts";
import * as page from "./page_queries.ts";

/** The parts of `page_queries.ts` for statements that are still texts. */

export const BY_REACH: string = render(page.BY_REACH);
export const BY_WALK: string = render(page.BY_WALK);
export const HORIZON: string = render(page.HORIZON);

export interface PageRows {
  readonly columns: Readonly<Record<string, string>>;
  readonly from: string;
  readonly ctes?: readonly string[];
  readonly isStretch?: boolean;
  readonly isPriced?: boolean;
  readonly bytes?: string;
  readonly lookedTo?: string;
}

function rowsOf({ columns, from, ctes, bytes, lookedTo, ...others }: PageRows): page.PageRows {
  const values = Object.entries(columns).map(([name, value]) => [name, raw(value)]);
  return {
    ...others,
    columns: Object.fromEntries(values) as { id: SQL },
    from: raw(from),
    ...(ctes && { ctes: ctes.map(raw) }),
    ...(bytes !== undefined && { bytes: raw(bytes) }),
    ...(lookedTo !== undefined && { lookedTo: raw(lookedTo) }),
  };
}

export function whileSessionLives(rows: PageRows): Statement {
  return defineStatement(textOf(page.livingPage(rowsOf(rows))));
}

export function whileSessionReaches(
  rows: PageRows,
  { table, candidates, pacedCtes = [] }: {
    readonly table: string;
    readonly candidates: string;
    readonly pacedCtes?: readonly string[];
  },
): Statement {
  const reached = { candidates: raw(candidates), pacedCtes: pacedCtes.map(raw) };
  const ofTable = { device, monitors, role }[table] as page.PagedTable;
  const query = page.reachedPage({ ...rowsOf(rows), ...reached, table: ofTable });
  // The texts have a CTE of this name.
  return defineStatement(render(query, (name) => name === "held" ? "guard_held" : name));
}

export function priced(conditions: Readonly<Record<string, string>>): string {
  const [list = "", isTooMuch = ""] = Object.entries(conditions)[0] ?? [];
  return textOf(page.priced(new Placeholder(list.slice(1)), raw(isTooMuch)));
}

export function unlessCostly(list: string): string {
  return render(page.unlessCostly(raw(list)));
}
