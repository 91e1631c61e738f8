import { timingSafeEqual } from "node:crypto";
import type { Secrets } from "../../core/secrets.ts";
import { includesRights, maskOf, RIGHT_NAMES, type RightName, type RightsMask } from "../rights.ts";

/** How many pairs, or people, gain or lose something. */
export interface Difference {
  readonly gained: number;
  readonly lost: number;
}

/** The rights on a role that an acting role gains or loses. */
export interface ChangedPair {
  readonly actingRoleId: number;
  readonly roleId: number;
  readonly gained: readonly RightName[];
  readonly lost: readonly RightName[];
}

/** What a change would do, apart from what its response says. */
export interface ShownEffect {
  readonly rights: Readonly<Record<RightName, Difference>>;
  readonly people: Difference;
  readonly unmanaged: readonly number[];
  readonly hiddenUnmanaged: number;
  readonly changes: readonly ChangedPair[];
  readonly hidden: number;
  readonly truncated: boolean;
}

export interface Effect extends ShownEffect {
  /** Names the effect in `If-Effect`. */
  readonly tag: string;
  readonly revision: number;
}

/** A row of the statements in `effect_queries.ts`. Lists are JSON. */
export interface EffectRow {
  readonly revision: number;
  readonly moved: number;
  readonly gained: string;
  readonly lost: string;
  readonly peopleGained: number;
  readonly peopleLost: number;
  readonly unmanaged: string;
  readonly hiddenUnmanaged: number;
  readonly changes: string;
  readonly hidden: number;
  readonly truncated: number;
}

const NONE: Difference = { gained: 0, lost: 0 };

function perRight<T>(valueOf: (name: RightName, position: number) => T): Record<RightName, T> {
  return Object.fromEntries(RIGHT_NAMES.map((name, i) => [name, valueOf(name, i)])) as Record<RightName, T>;
}

/** The effect of a change that has nothing to do. */
export const NO_EFFECT: ShownEffect = {
  rights: perRight(() => NONE),
  people: NONE,
  unmanaged: [],
  hiddenUnmanaged: 0,
  changes: [],
  hidden: 0,
  truncated: false,
};

export function toShownEffect(row: EffectRow): ShownEffect {
  const gained = JSON.parse(row.gained) as number[];
  const lost = JSON.parse(row.lost) as number[];
  const changes = JSON.parse(row.changes) as [number, number, RightsMask, RightsMask][];
  return {
    rights: perRight((_, i) => ({ gained: gained[i] ?? 0, lost: lost[i] ?? 0 })),
    people: { gained: row.peopleGained, lost: row.peopleLost },
    unmanaged: JSON.parse(row.unmanaged) as number[],
    hiddenUnmanaged: row.hiddenUnmanaged,
    changes: changes.map(([actingRoleId, roleId, more, less]) => ({
      actingRoleId,
      roleId,
      gained: listRights(more),
      lost: listRights(less),
    })),
    hidden: row.hidden,
    truncated: row.truncated === 1,
  };
}

function listRights(mask: RightsMask): RightName[] {
  return RIGHT_NAMES.filter((name) => includesRights(mask, maskOf(name)));
}

/** What a tag is for: whoever asks, the request in words that no other request has, and the effect. */
export interface Tagged {
  readonly actorId: number;
  readonly request: string;
  readonly effect: ShownEffect;
}

/** The tags of an effect under each key, newest first. They do not depend on the revision. */
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
