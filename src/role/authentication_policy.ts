import { DEMAND_LEVELS, type Meets } from "../identity/session_proof.ts";

/** What a role demands of the sessions of its members, by name. */
export type Demand = keyof typeof DEMAND_LEVELS;
export const DEMANDS = Object.keys(DEMAND_LEVELS) as [Demand, ...Demand[]];

/** Returns the name of a level. */
export function demandOf(level: number): Demand {
  return DEMANDS[level as Meets] ?? "none";
}

/** What a role demands of its members: `secondFactor`, if `from` is a time then from that on, until then `before`. */
export interface AuthenticationPolicy {
  readonly secondFactor: Demand;
  /** ISO 8601, in the future; null: at once. */
  readonly from: string | null;
  /** Null without `from`. */
  readonly before: Demand | null;
}

/** The levels of a role's row; see `demand` in the schema. */
export interface DemandColumns {
  readonly needs: number;
  readonly needsBefore: number;
  readonly needsFrom: number | null;
}

/** A demand as statements select it; see `demandAsJson`. */
export type DemandList = readonly [needs: number, needsBefore: number, needsFrom: number | null];

/** Returns the columns of a demand. */
export function readDemand([needs, needsBefore, needsFrom]: DemandList): DemandColumns {
  return { needs, needsBefore, needsFrom };
}

/** Returns the policy of a role. */
export function toPolicy(
  { needs, needsBefore, needsFrom }: DemandColumns,
  now: number,
): AuthenticationPolicy {
  const isPlanned = needsFrom !== null && needsFrom > now;
  return {
    secondFactor: demandOf(needs),
    from: isPlanned ? new Date(needsFrom).toISOString() : null,
    before: isPlanned ? demandOf(needsBefore) : null,
  };
}
