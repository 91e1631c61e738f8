import fc from "fast-check";
import { UNKNOWN_ID } from "./oracle_answers.ts";
import { ascending, principalsOf, type World } from "./oracle_rights.ts";

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

/** Commands of one kind with these other fields, as often beside others as the weight says. */
export function commands<K extends string, F extends object>(
  weight: number,
  kind: K,
  fields: { readonly [N in keyof F]: fc.Arbitrary<F[N]> },
): fc.WeightedArbitrary<{ kind: K } & F> {
  const arbitrary = fc.record({ kind: fc.constant(kind), ...fields }) as fc.Arbitrary<{ kind: K } & F>;
  return { weight, arbitrary };
}

/** One of these values, each as often as its weight says. */
export function chosen<const T>(...choices: (readonly [weight: number, value: T])[]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
}

/** The id that a reference stands for among these rows. */
export function pick(rows: ReadonlyMap<number, unknown>, ref: Ref): number {
  return at(ascending(rows.keys()), ref);
}

/** The user that a reference stands for, or minus the id of a key. */
export function pickPrincipal(world: World, ref: Ref): number {
  return at(principalsOf(world), ref);
}

function at(ids: readonly number[], ref: Ref): number {
  return ref < 0 ? UNKNOWN_ID : ids[ref % ids.length] ?? UNKNOWN_ID;
}
