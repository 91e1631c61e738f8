import { render, sql } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import * as idempotency from "./idempotency_queries.ts";

/** The parts of `idempotency_queries.ts` for statements that are still texts. */
export interface KeyParts {
  readonly join: string;
  readonly branches: string;
  /** `column` is by its name in the database. */
  readonly ofFirst: (column: string) => string;
  readonly keep: readonly Statement[];
}

/** The row of the first request is `first` in the texts. */
export function withAndWithoutKey(
  batch: (key: KeyParts) => readonly Statement[],
): idempotency.CreatingBatch {
  return idempotency.withAndWithoutKey(({ join, branches, mayRepeat, keep }) => {
    const [joined = "", asBranches = ""] = render(sql`${join}§${branches}`).split("§");
    const ofFirst = (column: string): string => mayRepeat ? `first.${column}` : "NULL";
    return batch({ join: joined, branches: asBranches, ofFirst, keep });
  });
}
