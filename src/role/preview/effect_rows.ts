import type { RightsMask } from "../rights.ts";

/** Numbers of pairs, or people, that gain or lose something. */
export interface Difference {
  readonly gained: number;
  readonly lost: number;
}

/** A live membership: a principal acts as a role, with these rights. */
export type Holder = readonly [actingRoleId: number, principalId: number, rights: RightsMask];

/** The rights on a role that an acting role gains and loses, as `[acting role, role, gained, lost]`. */
export type Pair = readonly [actingRoleId: number, roleId: number, gained: RightsMask, lost: RightsMask];

/** A row of the statements in `effect_queries.ts`. Lists are JSON. */
export interface EffectRow {
  readonly revision: number;
  readonly moved: number;
  /** `Pair`s. */
  readonly pairs: string;
  /** The memberships that they change, as `Holder`s. */
  readonly holders: string;
  /** Roles that the change leaves without a manager. */
  readonly unmanaged: string;
  readonly truncated: number;
}

/** The lists of an effect, whole. */
export interface WholeEffect {
  readonly row: EffectRow;
  readonly pairs: readonly Pair[];
  readonly holders: readonly Holder[];
  readonly unmanaged: readonly number[];
}
