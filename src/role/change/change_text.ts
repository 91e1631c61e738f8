import { changeLog } from "../../db/schema/role.ts";
import { raw, render, type SQL } from "../../db/sql.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import * as change from "./change_queries.ts";
import * as charge from "./charge_queries.ts";
import type { Effect } from "./decision.ts";

/** The parts of `change_queries.ts` and its neighbours for statements that are still texts. */

export const NOBODY_ACTS: string = render(charge.NOBODY_ACTS);

/** Of the change log row that the text reads under any name. */
export function whenEffect(...effects: Effect[]): string {
  return render(change.whenEffect(...effects)).replaceAll("change_log.", "");
}

export function nextId(sequence: "node" | "relation", run?: change.Run): string {
  return render(change.nextId(sequence, run));
}

/** `further` is a number of bytes. */
export function chargeChange(further: string): Statement {
  return defineStatement(render(charge.charging(raw(further))));
}

/** See `charge.ChargedChange`. */
export interface ChargedChange {
  readonly by: string;
  readonly counts?: "roles" | "devices";
  readonly takesAway?: string;
}

/** See `change.RecordedChange`; `values` are by the names that columns have in the database. */
interface RecordedChange {
  readonly kind: string;
  readonly ctes?: string;
  readonly decided: string;
  readonly charged?: ChargedChange | undefined;
  readonly values: Readonly<Record<string, string>>;
  readonly effect?: string;
  readonly dryEffect?: string;
  readonly ownRow?: string;
}

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(changeLog).map((
    [name, column],
  ) => [(column as { readonly name?: string }).name ?? "", name]),
);

export function recordChange(parts: RecordedChange, run: change.Run = "real"): Statement {
  const { charged, values, ...others } = parts;
  const named = Object.entries(values).map(([name, value]) => [NAMES.get(name) ?? name, raw(value)]);
  const texts = Object.entries(others).map(([name, part]) => [name, raw(part)]);
  const recorded = {
    ...Object.fromEntries(texts) as { readonly kind: SQL; readonly decided: SQL },
    ...(charged && { charged: chargedOf(charged) }),
    values: Object.fromEntries(named) as change.RecordedChange["values"],
  };
  // The texts name the row "acting".
  return defineStatement(render(change.changeRow(recorded, run), (name) => name));
}

function chargedOf({ by, takesAway, ...others }: ChargedChange): charge.ChargedChange {
  return { ...others, by: () => raw(by), ...(takesAway !== undefined && { takesAway: raw(takesAway) }) };
}
