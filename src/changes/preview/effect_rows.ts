import type { RightsMask } from "../../graph/rights.ts";

/** Numbers of pairs, or people, that gain or lose something. */
export interface Difference {
  readonly gained: number;
  readonly lost: number;
}

/** A live membership: a principal acts as a role, with these rights. */
export type Holder = readonly [actingRoleId: number, principalId: number, rights: RightsMask];

/**
 * What becomes of the path from an acting role to a role: 1 if there is none before, -1 if there is none after the change,
 * and otherwise 0. 2 if there is one before and after, and devices return to the role.
 */
export type Reach = -1 | 0 | 1 | 2;

/** The rights on a role that an acting role gains and loses, as `[acting role, role, gained, lost, reach]`. */
export type Pair = readonly [
  actingRoleId: number,
  roleId: number,
  gained: RightsMask,
  lost: RightsMask,
  reach: Reach,
];

/** A row of the statements in `effect_queries.ts`. Lists are JSON. */
export interface EffectRow {
  readonly revision: number;
  readonly moved: number;
  /** `Pair`s. */
  readonly pairs: string;
  /**
   * Of roles that acting roles begin or cease to reach: `[role, devices, devices that return]`. Of a change of monitors
   * relations: see `device/effect_queries.ts`.
   */
  readonly watched: string;
  /** The memberships that they change, as `Holder`s. */
  readonly holders: string;
  /** Roles that the change leaves without a manager. */
  readonly unmanaged: string;
  readonly truncated: number;
}

/** The lists of an effect, whole. */
export interface WholeEffect {
  readonly row: EffectRow;
  /** Those with other rights. */
  readonly pairs: readonly Pair[];
  /** All, also those with the same rights. */
  readonly reaches: readonly Pair[];
  readonly holders: readonly Holder[];
  readonly unmanaged: readonly number[];
}
