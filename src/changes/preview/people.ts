import { namesOf, NO_RIGHTS, overPaths, type RightName, type RightsMask } from "../../graph/rights.ts";
import type { Difference, Pair, WholeEffect } from "./effect_rows.ts";

/**
 * What a change does to people and keys. The pairs of an effect tell what each membership of an acting role gains and
 * loses. The named people may have the same rights by other memberships: these are subtracted, so that what is said of
 * them is what the checks say before and after. Only on roles whose lists of access the caller reads, since these lists
 * tell the same.
 */

/** A person, by address, or a key. A key that is not made yet has no id. */
export type Who =
  | { readonly userEmail: string }
  | { readonly key: { readonly id: number | null; readonly name: string } };

/** A person or key with their name. */
export interface Named {
  /** Negative for a key. */
  readonly id: number;
  readonly who: Who;
}

/** What a person gains, loses and keeps on some roles. */
export interface PersonChange {
  readonly roleIds: readonly number[];
  readonly gained: readonly RightName[];
  readonly lost: readonly RightName[];
  /** Of the rights that a role of theirs gains or loses, those that they have before and after. */
  readonly kept: readonly RightName[];
  /** The first roles of theirs by which they keep them, of those that the caller sees. */
  readonly through: readonly number[];
  /** They keep some only through roles that the caller does not see. */
  readonly hidden: boolean;
}

export type Person = Who & {
  readonly on: readonly PersonChange[];
  /** Number of further roles on which they may gain or lose, but what they keep there is not known. */
  readonly others: number;
};

/** A row of `STANDING_OF_PEOPLE`. Lists are JSON. */
export interface StandingRow {
  readonly revision: number;
  readonly moved: number;
  /** The roles that were looked up. */
  readonly roleIds: string;
  /** `[principal, address, name of the key]` of each person. */
  readonly people: string;
  /** `[principal, role, rights]` of each membership of theirs above these roles. */
  readonly held: string;
  /** `[acting role, role, rights]` of each path. */
  readonly rights: string;
}

/** What the named people may do on some roles now. */
export interface Standing {
  readonly roleIds: ReadonlySet<number>;
  readonly people: readonly Named[];
  /** Their memberships, by principal and role. */
  readonly held: Nested<RightsMask>;
  /** The rights of these roles, by acting role and role. */
  readonly rights: Nested<RightsMask>;
}

type Nested<T> = ReadonlyMap<number, ReadonlyMap<number, T>>;

/** A named person, with the change of their rights on each role of which that is known. */
export interface Affected {
  readonly id: number;
  readonly who: Who;
  readonly on: readonly RoleChange[];
  readonly others: number;
  /** Whether they gain, or lose, any right; undefined if that is not known of all roles. */
  readonly whole: { readonly gains: boolean; readonly loses: boolean } | undefined;
}

interface RoleChange {
  readonly roleId: number;
  readonly gained: RightsMask;
  readonly lost: RightsMask;
  readonly kept: RightsMask;
  /** Their roles by which they keep these, in order, with what each carries. */
  readonly ways: readonly (readonly [roleId: number, rights: RightsMask])[];
}

/** Maximum number of people that an effect names. */
export const MOST_NAMED = 20;
/** Maximum number of roles through which somebody keeps a right. */
const MOST_THROUGH = 10;

/** Returns the roles, in order, on which an acting role with members gains or loses. */
export function touchedRoles({ holders }: WholeEffect, shown: readonly Pair[]): number[] {
  const actingIds = new Set(holders.map(([actingRoleId]) => actingRoleId));
  const roleIds = shown.filter(([actingRoleId]) => actingIds.has(actingRoleId)).map(([, roleId]) => roleId);
  return [...new Set(roleIds)].sort((a, b) => a - b);
}

/** Returns the first people who may gain or lose by these pairs: users in order of id, then keys. */
export function pickPeople({ holders }: WholeEffect, shown: readonly Pair[]): number[] {
  const changes = uniteByActing(shown);
  const ids = holders.flatMap(([actingRoleId, id, rights]) => {
    const { gained, lost } = changes.get(actingRoleId) ?? NOTHING;
    return ((gained | lost) & rights) === 0 ? [] : [id];
  });
  return [...new Set(ids)].sort((a, b) => placeOf(a) - placeOf(b)).slice(0, MOST_NAMED);
}

/** Keys follow users. */
function placeOf(principalId: number): number {
  return principalId < 0 ? 2 ** 52 - principalId : principalId;
}

const NOTHING = { gained: NO_RIGHTS, lost: NO_RIGHTS };

/** Returns all that each acting role gains and loses. */
function uniteByActing(pairs: readonly Pair[]): Map<number, { gained: RightsMask; lost: RightsMask }> {
  const changes = new Map<number, { gained: RightsMask; lost: RightsMask }>();
  for (const [actingRoleId, , gained, lost] of pairs) {
    const known = changes.get(actingRoleId);
    if (known === undefined) {
      changes.set(actingRoleId, { gained, lost });
    } else {
      known.gained |= gained;
      known.lost |= lost;
    }
  }
  return changes;
}

/** Reads a row about people. `subject` is the one of the change, who may have no account or key yet: then the id is 0. */
export function toStanding(row: StandingRow, subject: Named | undefined): Standing {
  const people = JSON.parse(row.people) as [number, string | null, string | null][];
  return {
    roleIds: new Set(JSON.parse(row.roleIds) as number[]),
    people: people.flatMap(([id, userEmail, name]) => {
      const who = id === subject?.id
        ? subject.who
        : userEmail !== null
        ? { userEmail }
        : name === null
        ? undefined
        : { key: { id: -id, name } };
      return who === undefined ? [] : [{ id, who }];
    }),
    held: nest(JSON.parse(row.held) as [number, number, RightsMask][]),
    rights: nest(JSON.parse(row.rights) as [number, number, RightsMask][]),
  };
}

function nest<T>(rows: Iterable<readonly [number, number, T]>): Nested<T> {
  const nested = new Map<number, Map<number, T>>();
  for (const [outer, inner, value] of rows) {
    nested.set(outer, (nested.get(outer) ?? new Map<number, T>()).set(inner, value));
  }
  return nested;
}

/**
 * Returns what the change does to the people, told from all that they are members of, for a caller who sees these roles
 * and reads these lists of access.
 */
export function weighPeople(
  { pairs, holders }: WholeEffect,
  { seen, readable }: { readonly seen: ReadonlySet<number>; readonly readable: ReadonlySet<number> },
  { roleIds, people, held, rights }: Standing,
): Affected[] {
  const isKnown = (roleId: number): boolean => roleIds.has(roleId) && readable.has(roleId);
  const ids = new Set(people.map(({ id }) => id));
  const touched = nest(
    holders.filter(([, id]) => ids.has(id)).map(([acting, id, mask]) => [id, acting, mask]),
  );
  const actingIds = new Set([...touched.values(), ...held.values()].flatMap((own) => [...own.keys()]));
  const changes = nest(
    pairs.filter(([acting]) => actingIds.has(acting)).map((pair) => [pair[0], pair[1], pair]),
  );

  function changeOn(id: number, roleId: number): RoleChange {
    const own = touched.get(id);
    const ways: [number, RightsMask][] = [];
    let [before, changed] = [NO_RIGHTS, NO_RIGHTS];
    for (const actingId of new Set([...held.get(id)?.keys() ?? [], ...own?.keys() ?? []])) {
      const now = (rights.get(actingId)?.get(roleId) ?? NO_RIGHTS) &
        (held.get(id)?.get(actingId) ?? NO_RIGHTS);
      const [, , more, less] = changes.get(actingId)?.get(roleId) ?? [0, 0, NO_RIGHTS, NO_RIGHTS];
      const mask = own?.get(actingId) ?? NO_RIGHTS;
      before |= now;
      if (seen.has(actingId)) changed |= (more | less) & mask;
      ways.push([actingId, (now & ~less) | (more & mask)]);
    }
    const after = overPaths(ways.map(([, mask]) => mask));
    const kept = changed & before & after;
    return {
      roleId,
      gained: after & ~before,
      lost: before & ~after,
      kept,
      ways: ways.filter(([, mask]) => (mask & kept) !== 0).sort((a, b) => a[0] - b[0]),
    };
  }

  return people.flatMap(({ id, who }) => {
    const onRoles = new Map<number, boolean>();
    for (const [actingId, mask] of touched.get(id) ?? []) {
      for (const [roleId, [, , more, less]] of changes.get(actingId) ?? []) {
        if (((more | less) & mask) === 0) continue;
        onRoles.set(roleId, onRoles.get(roleId) === true || seen.has(actingId));
      }
    }
    const known = [...onRoles.keys()].filter(isKnown).sort((a, b) => a - b)
      .map((roleId) => changeOn(id, roleId));
    const on = known.filter(({ roleId }) => onRoles.get(roleId) === true);
    if (on.length === 0) return [];
    const others = [...onRoles].filter(([roleId, isSeen]) => isSeen && !isKnown(roleId)).length;
    const whole = known.length < onRoles.size ? undefined : {
      gains: known.some(({ gained }) => gained !== 0),
      loses: known.some(({ lost }) => lost !== 0),
    };
    return [{ id, who, on, others, whole }];
  });
}

/** Returns the roles by which the people keep rights. */
export function listWays(affected: readonly Affected[]): number[] {
  const ids = affected.flatMap(({ on }) => on.flatMap(({ ways }) => ways.map(([roleId]) => roleId)));
  return [...new Set(ids)].sort((a, b) => a - b);
}

/**
 * Returns the people for a caller who sees the roles `seen`, and up to how many gain and lose: all whom the pairs touch,
 * without those known to gain or lose nothing.
 */
export function toShownPeople(
  { pairs, holders }: WholeEffect,
  affected: readonly Affected[],
  seen: ReadonlySet<number>,
): { readonly people: Difference; readonly named: readonly Person[]; readonly keeps: readonly Person[] } {
  const changes = uniteByActing(pairs);
  const [gaining, losing] = [new Set<number>(), new Set<number>()];
  for (const [actingRoleId, id, mask] of holders) {
    const { gained, lost } = changes.get(actingRoleId) ?? NOTHING;
    if ((gained & mask) !== 0) gaining.add(id);
    if ((lost & mask) !== 0) losing.add(id);
  }
  for (const { id, whole } of affected) {
    if (whole?.gains === false) gaining.delete(id);
    if (whole?.loses === false) losing.delete(id);
  }
  const keepsAll = ({ on, others }: Affected): boolean =>
    others === 0 && on.every(({ gained, lost }) => (gained | lost) === 0);
  return {
    people: { gained: gaining.size, lost: losing.size },
    named: affected.filter((each) => !keepsAll(each)).map((each) => toPerson(each, seen)),
    keeps: affected.filter(keepsAll).map((each) => toPerson(each, seen)),
  };
}

function toPerson({ who, on, others }: Affected, seen: ReadonlySet<number>): Person {
  const groups = new Map<string, PersonChange & { readonly roleIds: number[] }>();
  for (const { roleId, gained, lost, kept, ways } of on) {
    const through = ways.filter(([id]) => seen.has(id)).slice(0, MOST_THROUGH);
    const hidden = (kept & ~overPaths(through.map(([, mask]) => mask))) !== 0;
    const shown = {
      gained: namesOf(gained),
      lost: namesOf(lost),
      kept: namesOf(kept),
      through: through.map(([id]) => id),
      hidden,
    };
    const key = JSON.stringify(shown);
    const group = groups.get(key) ?? { roleIds: [], ...shown };
    group.roleIds.push(roleId);
    groups.set(key, group);
  }
  return { ...who, on: [...groups.values()], others };
}
