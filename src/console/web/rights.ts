import { forEachRight, RIGHT_NAMES, type RightName, type Rights } from "../../role/rights.ts";

/** Rights in responses: all six, or only held ones. */
export type SomeRights = Readonly<Partial<Record<RightName, boolean>>>;

/** All six rights, and none of them. */
export const ALL: Rights = forEachRight(() => true);
export const NONE: Rights = forEachRight(() => false);

/** Whether both have the same rights. */
export function isSame(a: SomeRights, b: SomeRights): boolean {
  return RIGHT_NAMES.every((name) => (a[name] === true) === (b[name] === true));
}

/** The state of a right: held, not held, or lost here. */
type RightState = "held" | "none" | "lost";

/** Returns the six states in order. `before`: the rights that could be held. */
export function statesOf(
  rights: SomeRights,
  before?: SomeRights,
): readonly (readonly [RightName, RightState])[] {
  return RIGHT_NAMES.map((name) => [
    name,
    rights[name] === true ? "held" : before?.[name] === true ? "lost" : "none",
  ]);
}
