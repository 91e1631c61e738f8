import { raiseSetting } from "../../db/setting_queries.ts";
import { sql, text } from "../../db/sql.ts";
import { bind, type BoundStatement, type Statement } from "../../db/statement.ts";
import { costsOfForeign, FOREIGN_KINDS, type ForeignCost, type ForeignKind } from "./foreign_hash.ts";

/** The setting that notes the costliest hash of a kind. It stays when the last such account has signed in. */
export function costSetting(kind: ForeignKind): string {
  return `foreign_hash_cost.${kind}`;
}

/** The settings begin with the work, by which they are compared. A hash of that cost, which nothing matches, follows. */
export const NOTE_COST = Object.fromEntries(
  FOREIGN_KINDS.map((
    kind,
  ) => [kind, raiseSetting({ cost: text }, costSetting(kind), ({ cost }) => sql`${cost}`)]),
) as Readonly<Record<ForeignKind, Statement<{ readonly cost: string }, never>>>;

/**
 * Returns statements that note what it costs to compare these stored hashes, for the batch that stores them: from then
 * on, a comparison that fails takes as long as one with the costliest (`hasher.ts`).
 */
export function noteForeignHashes(hashes: Iterable<string>): BoundStatement[] {
  const costliest = new Map<ForeignKind, ForeignCost>();
  for (const hash of hashes) {
    for (const cost of costsOfForeign(hash)) {
      if (cost.work > (costliest.get(cost.kind)?.work ?? 0)) costliest.set(cost.kind, cost);
    }
  }
  return Array.from(
    costliest.values(),
    ({ kind, work, dummy }) => bind(NOTE_COST[kind], { cost: `${work} ${dummy}` }),
  );
}
