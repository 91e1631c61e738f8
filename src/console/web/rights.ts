import { forEachRight, RIGHT_NAMES, type RightName, type Rights } from "../../role/rights.ts";

/** How rights are written everywhere in the console: six letters in a fixed order. */
export const LETTERS: Readonly<Record<RightName, string>> = {
  roleManagement: "R",
  userManagement: "U",
  viewManagement: "V",
  deviceManagement: "D",
  reportManagement: "P",
  alarmManagement: "A",
};

/** Rights as the interface gives them: all six, or only those that are held. */
export type SomeRights = Readonly<Partial<Record<RightName, boolean>>>;

/** All six rights, and none of them. */
export const ALL: Rights = forEachRight(() => true);
export const NONE: Rights = forEachRight(() => false);

/** Whether two are the same six. */
export function isSame(a: SomeRights, b: SomeRights): boolean {
  return RIGHT_NAMES.every((name) => (a[name] === true) === (b[name] === true));
}

/** What became of a right: held, not held, or lost here. */
type RightState = "held" | "none" | "lost";

/** The six states in order. `before` are the rights that could have been held. */
export function statesOf(
  rights: SomeRights,
  before?: SomeRights,
): readonly (readonly [RightName, RightState])[] {
  return RIGHT_NAMES.map((name) => [
    name,
    rights[name] === true ? "held" : before?.[name] === true ? "lost" : "none",
  ]);
}
