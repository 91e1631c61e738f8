import type { tagSet } from "../../db/schema/telemetry.ts";
import { long, type Placeholder, type SQL, sql, text } from "../../db/sql.ts";
import type { Cutoffs } from "../retention.ts";

/** The arguments of `CUTOFFS` and `cutoffOf`; see `bindCutoffs`. */
export const CUTOFF_ARGS = { named: text, others: long };

interface CutoffPlaceholders {
  readonly named: Placeholder<"named", string>;
  readonly others: Placeholder<"others", bigint>;
}

/** Returns the arguments: the named ones as a JSON list of `[database, policy or null, time]`. */
export function bindCutoffs({ others, named }: Cutoffs): { readonly named: string; readonly others: bigint } {
  // A number of JavaScript would round the times.
  const entries = named.map(({ database, retentionPolicy = null, time }) =>
    `[${JSON.stringify(database)},${JSON.stringify(retentionPolicy)},${time}]`
  );
  return { named: `[${entries.join(",")}]`, others };
}

/** Returns the common table of the named cutoffs. Materialized, so that the list is parsed once a statement. */
export function namedCutoffs({ named }: Pick<CutoffPlaceholders, "named">): SQL {
  return sql`cutoff(place, policy, time) AS MATERIALIZED (
      SELECT given.value ->> 0, given.value ->> 1, given.value ->> 2 FROM json_each(${named}) given)`;
}

/** Returns the time before which points of a tag set are deleted: that of its policy, its database, or the others. */
export function cutoffOf(
  owner: Pick<typeof tagSet, "database" | "retentionPolicy">,
  { others }: Pick<CutoffPlaceholders, "others">,
): SQL {
  return sql`coalesce((SELECT cutoff.time FROM cutoff WHERE cutoff.place = ${owner.database}
      AND coalesce(cutoff.policy, ${owner.retentionPolicy}) = ${owner.retentionPolicy}
      ORDER BY cutoff.policy IS NULL LIMIT 1), ${others})`;
}
