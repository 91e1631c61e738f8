import { forEachRight, RIGHT_NAMES, type RightName, type Rights } from "../../graph/rights.ts";

/** Rights in responses: all six, or only held ones. */
export type SomeRights = Readonly<Partial<Record<RightName, boolean>>>;

/** All six rights, and none of them. */
export const ALL: Rights = forEachRight(() => true);
export const NONE: Rights = forEachRight(() => false);

/** Whether both have the same rights. */
export function isSame(a: SomeRights, b: SomeRights): boolean {
  return RIGHT_NAMES.every((name) => (a[name] === true) === (b[name] === true));
}

/** Whether all of these rights are among others. */
export function isWithin(rights: Rights, others: Rights): boolean {
  return RIGHT_NAMES.every((name) => !rights[name] || others[name]);
}

/** The state of a right: held, not held, lost here; or what a change would make of it. */
type RightState = "held" | "none" | "lost" | "given" | "taken";

/** The rights that a change gives and takes. */
export interface RightsToBe {
  readonly gained: readonly RightName[];
  readonly lost: readonly RightName[];
}

/** Returns the six states in order. `before`: the rights that could be held. */
export function statesOf(
  rights: SomeRights,
  before?: SomeRights,
  toBe?: RightsToBe,
): readonly (readonly [RightName, RightState])[] {
  const stateOf = (name: RightName): RightState => {
    if (toBe?.gained.includes(name)) return "given";
    if (toBe?.lost.includes(name)) return "taken";
    return rights[name] === true ? "held" : before?.[name] === true ? "lost" : "none";
  };
  return RIGHT_NAMES.map((name) => [name, stateOf(name)]);
}

/** Returns the rights after a change. */
export function rightsAfter(rights: SomeRights, { gained, lost }: RightsToBe): SomeRights {
  return forEachRight((name) => gained.includes(name) || (rights[name] === true && !lost.includes(name)));
}
