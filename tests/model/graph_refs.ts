import fc from "fast-check";
import { UNKNOWN_ID } from "./oracle_answers.ts";
import { principalsOf, type World } from "./oracle_rights.ts";

/** The k-th existing id, modulo their number; -1 is an id that does not exist. */
export type Ref = number;

export const ref: fc.Arbitrary<Ref> = fc.oneof(
  { weight: 40, arbitrary: fc.nat({ max: 83 }) },
  { weight: 1, arbitrary: fc.constant(-1) },
);

/**
 * The first user is a member of the first root. Half of the requests come from any user, most of whom hold fewer
 * rights or none.
 */
export const actor: fc.Arbitrary<Ref> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat({ max: 83 }) },
);

export const rarely: fc.Arbitrary<boolean> = fc.integer({ min: 0, max: 11 }).map((n) => n === 11);
export const often: fc.Arbitrary<boolean> = fc.integer({ min: 0, max: 3 }).map((n) => n !== 3);

/** The id that a reference stands for among these rows. */
export function pick(rows: ReadonlyMap<number, unknown>, ref: Ref): number {
  return at([...rows.keys()].sort((a, b) => a - b), ref);
}

/** The user that a reference stands for, or minus the id of a key. */
export function pickPrincipal(world: World, ref: Ref): number {
  return at(principalsOf(world), ref);
}

function at(ids: readonly number[], ref: Ref): number {
  return ref < 0 ? UNKNOWN_ID : ids[ref % ids.length] ?? UNKNOWN_ID;
}
