/**
 * The rights model: six booleans on the wire, a 6-bit mask inside. A manages relation carries a mask. Along a path,
 * only rights that every relation carries get through; several paths add up. A role's `selfRights` apply only to the
 * role itself, for its direct members.
 */
export const RIGHT_NAMES = [
  "roleManagement",
  "userManagement",
  "viewManagement",
  "deviceManagement",
  "reportManagement",
  "alarmManagement",
] as const;

export type RightName = typeof RIGHT_NAMES[number];

/** The sign of each right, for people, in any language. */
export const LETTERS: Readonly<Record<RightName, string>> = {
  roleManagement: "R",
  userManagement: "U",
  viewManagement: "V",
  deviceManagement: "D",
  reportManagement: "P",
  alarmManagement: "A",
};

/** The question whether a caller holds a right on a role. */
export interface RightCheck {
  readonly roleId: number;
  readonly right: RightName;
}

/** The rights object on the wire, with all six rights. */
export type Rights = Readonly<Record<RightName, boolean>>;

/** A set of rights: bit i stands for `RIGHT_NAMES[i]`. Always an integer from 0 to 63. */
export type RightsMask = number;

export const NO_RIGHTS: RightsMask = 0;
export const ALL_RIGHTS: RightsMask = 2 ** RIGHT_NAMES.length - 1;

/** Returns a record with an entry for each right. */
export function forEachRight<T>(entryOf: (name: RightName) => T): Record<RightName, T> {
  return Object.fromEntries(RIGHT_NAMES.map((name) => [name, entryOf(name)])) as Record<RightName, T>;
}

/** Returns the mask of a single right. */
export function maskOf(name: RightName): RightsMask {
  return 1 << RIGHT_NAMES.indexOf(name);
}

/** Whether every right of `wanted` is in `held`. */
export function includesRights(held: RightsMask, wanted: RightsMask): boolean {
  return (wanted & ~held) === 0;
}

/** Returns the names of the rights in a mask. */
export function namesOf(mask: RightsMask): RightName[] {
  return RIGHT_NAMES.filter((name) => includesRights(mask, maskOf(name)));
}

/** Returns the rights that several paths give together. */
export function overPaths(paths: Iterable<RightsMask>): RightsMask {
  let rights = NO_RIGHTS;
  for (const mask of paths) rights |= mask;
  return rights;
}

/** Returns the mask of a rights object. Absent rights count as not held. */
export function toMask(rights: Partial<Rights>): RightsMask {
  return overPaths(RIGHT_NAMES.filter((name) => rights[name] === true).map(maskOf));
}

/** The rights objects of all masks. */
const RIGHTS_OF: readonly Rights[] = Array.from(
  { length: ALL_RIGHTS + 1 },
  (_, mask) => forEachRight((name) => (mask & maskOf(name)) !== 0),
);

/** Returns the rights object of a mask. */
export function toRights(mask: RightsMask): Rights {
  // During a rollout, masks may have a right of a newer version.
  return RIGHTS_OF[mask & ALL_RIGHTS] as Rights;
}
