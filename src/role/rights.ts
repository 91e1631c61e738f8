/**
 * The rights model. Six booleans on the wire, a 6-bit mask inside; the two are converted at the border only.
 *
 * A manages relation carries a mask. Along a path rights are attenuated: what every relation on it carries. Over several
 * paths they add up. A role's `selfRights` hold on the role itself, for its direct members, and nowhere else.
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

/** The rights object of the interface: all six, spelled out. */
export type Rights = Record<RightName, boolean>;

/** A set of rights: bit i stands for `RIGHT_NAMES[i]`. Always an integer from 0 to 63. */
export type RightsMask = number;

export const NO_RIGHTS: RightsMask = 0;
export const ALL_RIGHTS: RightsMask = 63;

/** The mask of a single right. */
export function maskOf(name: RightName): RightsMask {
  return 1 << RIGHT_NAMES.indexOf(name);
}

/** Whether every right of `wanted` is in `held`. */
export function includesRights(held: RightsMask, wanted: RightsMask): boolean {
  return (wanted & ~held) === 0;
}

/** What several paths together give. */
export function overPaths(paths: Iterable<RightsMask>): RightsMask {
  let rights = NO_RIGHTS;
  for (const mask of paths) rights |= mask;
  return rights;
}

/** The mask of a rights object; a right that is absent counts as not held. */
export function toMask(rights: Partial<Rights>): RightsMask {
  return overPaths(RIGHT_NAMES.filter((name) => rights[name] === true).map(maskOf));
}

/** The rights object of a mask. */
export function toRights(mask: RightsMask): Rights {
  return Object.fromEntries(RIGHT_NAMES.map((name) => [name, (mask & maskOf(name)) !== 0])) as Rights;
}
