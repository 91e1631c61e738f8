import { timingSafeEqual } from "node:crypto";
import type { Secrets } from "../../core/secrets.ts";
import { namesOf, RIGHT_NAMES, type RightName } from "../../graph/rights.ts";
import type { Difference, EffectRow, Holder, Pair, WholeEffect } from "./effect_rows.ts";
import type { Person } from "./people.ts";
import type { Reading } from "./reading.ts";

/** The rights on a role that an acting role gains or loses. */
export interface ChangedPair {
  readonly actingRoleId: number;
  readonly roleId: number;
  readonly gained: readonly RightName[];
  readonly lost: readonly RightName[];
}

/** Numbers of roles and devices that a change deletes. */
export interface Deletes {
  readonly roles: number;
  readonly devices: number;
}

/** Who gains and loses the reading of devices. */
export interface ShownReading {
  readonly roles: Difference;
  readonly people: Difference;
  readonly changes: readonly ({ readonly actingRoleId: number } & Difference)[];
  readonly hidden: number;
}

/** What a change would do, apart from what its response says. */
export interface ShownEffect {
  readonly rights: Readonly<Record<RightName, Difference>>;
  readonly people: Difference;
  readonly named: readonly Person[];
  readonly keeps: readonly Person[];
  readonly unmanaged: readonly number[];
  readonly hiddenUnmanaged: number;
  readonly deletes: Deletes;
  readonly reading: ShownReading;
  readonly changes: readonly ChangedPair[];
  readonly hidden: number;
  readonly truncated: boolean;
}

export interface Effect extends ShownEffect {
  /** Names the effect in `If-Effect`. */
  readonly tag: string;
  readonly revision: number;
}

/** Maximum number of entries of an effect's lists. */
export const MAX_LISTED = 1000;

const NONE: Difference = { gained: 0, lost: 0 };

function perRight<T>(valueOf: (name: RightName, position: number) => T): Record<RightName, T> {
  return Object.fromEntries(RIGHT_NAMES.map((name, i) => [name, valueOf(name, i)])) as Record<RightName, T>;
}

/** The effect of a noop. */
export const NO_EFFECT: ShownEffect = {
  rights: perRight(() => NONE),
  people: NONE,
  named: [],
  keeps: [],
  unmanaged: [],
  hiddenUnmanaged: 0,
  deletes: { roles: 0, devices: 0 },
  reading: { roles: NONE, people: NONE, changes: [], hidden: 0 },
  changes: [],
  hidden: 0,
  truncated: false,
};

export function toWholeEffect(row: EffectRow): WholeEffect {
  const reaches = JSON.parse(row.pairs) as Pair[];
  return {
    row,
    pairs: reaches.filter(([, , more, less]) => (more | less) !== 0),
    reaches,
    holders: JSON.parse(row.holders) as Holder[],
    unmanaged: JSON.parse(row.unmanaged) as number[],
  };
}

/** Returns the roles that an effect is about, in order. */
export function rolesOf({ reaches }: WholeEffect): number[] {
  const roleIds = new Set<number>();
  for (const [actingRoleId, roleId] of reaches) roleIds.add(actingRoleId).add(roleId);
  return [...roleIds].sort((a, b) => a - b);
}

/** Returns the pairs of which the caller sees both roles, in order. */
export function listShown({ pairs }: WholeEffect, seen: ReadonlySet<number>): Pair[] {
  return pairs.filter(([actingRoleId, roleId]) => seen.has(actingRoleId) && seen.has(roleId))
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** Returns the effect for a caller who sees these roles, pairs and people. */
export function toShownEffect(
  { row, pairs, unmanaged }: WholeEffect,
  { seen, shown, reading, people, deletes = NO_EFFECT.deletes }: {
    readonly seen: ReadonlySet<number>;
    readonly shown: readonly Pair[];
    readonly reading: Reading;
    readonly people: Pick<ShownEffect, "people" | "named" | "keeps">;
    readonly deletes?: Deletes | undefined;
  },
): ShownEffect {
  const shownUnmanaged = unmanaged.filter((roleId) => seen.has(roleId));
  return {
    rights: countByRight(pairs),
    ...people,
    unmanaged: shownUnmanaged.sort((a, b) => a - b).slice(0, MAX_LISTED),
    hiddenUnmanaged: unmanaged.length - shownUnmanaged.length,
    deletes,
    reading: showReading(reading),
    changes: shown.slice(0, MAX_LISTED).map(([actingRoleId, roleId, more, less]) => ({
      actingRoleId,
      roleId,
      gained: namesOf(more),
      lost: namesOf(less),
    })),
    hidden: pairs.length - shown.length,
    truncated: row.truncated === 1 || reading.truncated ||
      Math.max(shown.length, shownUnmanaged.length, reading.shown.size) > MAX_LISTED,
  };
}

function showReading({ all, shown, people }: Reading): ShownReading {
  const roles = [...all.values()];
  const changes = [...shown].sort(([one], [other]) => one - other).slice(0, MAX_LISTED);
  return {
    roles: {
      gained: roles.filter(({ gained }) => gained > 0).length,
      lost: roles.filter(({ lost }) => lost > 0).length,
    },
    people,
    changes: changes.map(([actingRoleId, difference]) => ({ actingRoleId, ...difference })),
    hidden: all.size - shown.size,
  };
}

/** Counts the pairs that gain and lose each right. */
function countByRight(pairs: readonly Pair[]): Record<RightName, Difference> {
  const counts = RIGHT_NAMES.map(() => ({ gained: 0, lost: 0 }));
  for (const [, , more, less] of pairs) {
    for (const [i, count] of counts.entries()) {
      count.gained += more >> i & 1;
      count.lost += less >> i & 1;
    }
  }
  return perRight((_, i) => counts[i] ?? NONE);
}

/** The content of a tag: the actor, the request in words that no other request has, and the effect. */
export interface Tagged {
  readonly actorId: number;
  readonly request: string;
  readonly effect: object;
}

/** Returns the tags of an effect under each key, newest first. They do not depend on the revision. */
export function tagsOf(secrets: Secrets, { actorId, request, effect }: Tagged): ReturnType<Secrets["macs"]> {
  return secrets.macs("effect", String(actorId), request, JSON.stringify(effect));
}

/** Whether the tag is one of the tags, in a time that does not tell how much of it is right. */
export function isOneOfTags(tag: string, tags: readonly string[]): boolean {
  const given = Buffer.from(tag);
  return tags.some((each) => {
    const expected = Buffer.from(each);
    return expected.byteLength === given.byteLength && timingSafeEqual(expected, given);
  });
}
