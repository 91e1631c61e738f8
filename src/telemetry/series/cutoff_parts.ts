import type { tagSet } from "../../db/schema/telemetry.ts";
import { type Placeholder, type SQL, sql, text } from "../../db/sql.ts";
import { hourOf } from "../points/time.ts";
import type { Cutoffs, CutoffTimes } from "../retention.ts";

/** The argument of `cutoffTable`; see `bindCutoffs`. */
export const CUTOFF_ARGS = { cutoffs: text };

/** Returns the argument: a JSON list of `[database, policy, time, hours]`, null for each database or policy. `hours` counts them since 1970. */
export function bindCutoffs({ others, named }: Cutoffs): { readonly cutoffs: string } {
  const entryOf = (
    { time, hours = time }: CutoffTimes,
    database: string | null = null,
    policy: string | null = null,
    // A number of JavaScript would round the times.
  ): string => `[${JSON.stringify(database)},${JSON.stringify(policy)},${time},${hourOf(hours)}]`;
  const entries = named.map((cutoff) => entryOf(cutoff, cutoff.database, cutoff.retentionPolicy));
  return { cutoffs: `[${[...entries, entryOf(others)].join(",")}]` };
}

/** Returns the common table of cutoffs. Materialized, so that the list is parsed once a statement. */
export function cutoffTable({ cutoffs }: { readonly cutoffs: Placeholder<"cutoffs", string> }): SQL {
  return sql`cutoff(place, policy, time, hours) AS MATERIALIZED (
      SELECT given.value ->> 0, given.value ->> 1, given.value ->> 2, given.value ->> 3
      FROM json_each(${cutoffs}) given)`;
}

/** Returns a time of a tag set's cutoff: that of its policy, its database, or the others. */
export function cutoffOf(
  owner: Pick<typeof tagSet, "database" | "retentionPolicy">,
  column: keyof CutoffTimes,
): SQL {
  const time = column === "time" ? sql`cutoff.time` : sql`cutoff.hours`;
  return sql`(SELECT ${time} FROM cutoff WHERE coalesce(cutoff.place, ${owner.database}) = ${owner.database}
      AND coalesce(cutoff.policy, ${owner.retentionPolicy}) = ${owner.retentionPolicy}
      ORDER BY cutoff.place IS NULL, cutoff.policy IS NULL LIMIT 1)`;
}
