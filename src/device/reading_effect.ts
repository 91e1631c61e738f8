import { bind } from "../db/statement.ts";
import type { DecisionRow } from "../changes/decision.ts";
import type { Difference } from "../changes/preview/effect_rows.ts";
import type { PreviewableChange } from "../changes/preview/preview_service.ts";
import { countPeople, type Reading, type ReadingOf } from "../changes/preview/reading.ts";
import { EFFECT_ON_DEVICES } from "./effect_queries.ts";
import type { Period } from "./grant_service.ts";
import { areWithin, beginOf, endOf, joinPeriods } from "./periods.ts";

/** Who gains and loses the reading of devices by a change of monitors relations. */

/** A monitors relation after a change. A new one has no id yet. */
export interface PutRelation extends Period {
  readonly id: number | null;
  readonly deviceId: number;
  readonly roleId: number;
}

/** A change of monitors relations. */
export interface MonitorsChange {
  readonly deleted?: readonly number[];
  /** Those that end at a time, in milliseconds. */
  readonly ended?: { readonly ids: readonly number[]; readonly at: number };
  readonly put?: readonly PutRelation[];
}

/** A relation of a device that has one that changes, before and after the change. */
interface Stay {
  readonly roleId: number;
  readonly before: Period | undefined;
  readonly after: Period | undefined;
}

/** The relations of devices that are alike, at the times that change. */
interface Kind {
  readonly stays: readonly Stay[];
  readonly count: number;
}

/** Returns how a change of monitors relations reads its effect. */
export function effectOnMonitors<D extends DecisionRow>(
  changeOf: (row: D) => MonitorsChange,
): Pick<PreviewableChange<D>, "effectOf" | "readingOf"> {
  return {
    effectOf: (row, read) => {
      const { deleted = [], ended, put = [] } = changeOf(row);
      const known = put.flatMap(({ id }) => id ?? []);
      return bind(EFFECT_ON_DEVICES, {
        ...read,
        relationIds: JSON.stringify([...deleted, ...ended?.ids ?? [], ...known]),
        roleIds: JSON.stringify([...new Set(put.map(({ roleId }) => roleId))]),
        deviceIds: JSON.stringify([...new Set(put.map(({ deviceId }) => deviceId))]),
      });
    },
    readingOf: (row) => readingOfMonitors(changeOf(row)),
  };
}

/**
 * Maximum number of paths and relations that are looked at for one effect: for each set of roles that an acting role, or
 * a person, reads by. A kind of devices counts for five more. It takes some 50 ms, in which the process does nothing else.
 */
export const MAX_COMPARED = 200_000;

/**
 * An acting role gains and loses what its members read by all roles that it reaches. Of one that the caller does not see,
 * only the relations that change are told, not what it reads by others.
 */
function readingOfMonitors(change: MonitorsChange): ReadingOf {
  return ({ row, reaches, holders }, seen) => {
    const devices = staysOf(change, JSON.parse(row.watched) as RelationEntry[]).map(whereItMatters);
    const alike = Map.groupBy(devices, (stays) => JSON.stringify(stays));
    const kinds = Array.from(
      alike.values(),
      ([stays = [], ...others]) => ({ stays, count: 1 + others.length }),
    );
    const changed = kinds.flatMap((kind) =>
      kind.stays.filter(hasChanged).map(({ roleId }) => ({ roleId, kind }))
    );
    const changedBy = Map.groupBy(changed, ({ roleId }) => roleId);
    const reached = Map.groupBy(reaches, ([actingRoleId]) => actingRoleId);
    const known = new Map<string, Difference>();
    let left = MAX_COMPARED;
    /** Undefined if it is too much to look at. */
    const ofRoles = (actingRoleIds: readonly number[]): Difference | undefined => {
      const [whole, part] = [new Set<number>(), new Set<number>()];
      for (const actingRoleId of actingRoleIds) {
        const paths = reached.get(actingRoleId) ?? [];
        left -= paths.length;
        if (left < 0) return undefined;
        const to = seen.has(actingRoleId) ? whole : part;
        for (const [, roleId] of paths) to.add(roleId);
      }
      const key = JSON.stringify([whole, part].map((ids) => [...ids].sort((a, b) => a - b)));
      const same = known.get(key);
      if (same !== undefined) return same;
      const touched = new Set<Kind>();
      for (const roleId of [...whole, ...part]) {
        for (const { kind } of changedBy.get(roleId) ?? []) touched.add(kind);
      }
      for (const { stays } of touched) left -= 5 + stays.length;
      if (left < 0) return undefined;
      const difference = compare(
        touched,
        (stay) => whole.has(stay.roleId) || (part.has(stay.roleId) && hasChanged(stay)),
      );
      known.set(key, difference);
      return difference;
    };
    // Those that the caller sees come first.
    const inOrder = [...reached.keys()].sort((a, b) => Number(seen.has(b)) - Number(seen.has(a)) || a - b);
    const byRole = new Map(inOrder.map((id) => [id, ofRoles([id])]));
    const all = new Map<number, Difference>();
    for (const [id, one] of byRole) if (one !== undefined && one.gained + one.lost > 0) all.set(id, one);
    return {
      all,
      shown: new Map([...all].filter(([id]) => seen.has(id))),
      people: countPeople(
        holders,
        ([id, ...others]) => others.length > 0 ? ofRoles([id as number, ...others]) : all.get(id as number),
        true,
      ),
      truncated: [...byRole.values()].includes(undefined),
    } satisfies Reading;
  };
}

type RelationEntry = readonly [
  id: number,
  deviceId: number,
  roleId: number,
  from: number | null,
  until: number | null,
];

/** Returns the relations before and after the change, of each device. */
function staysOf(
  { deleted = [], ended, put = [] }: MonitorsChange,
  relations: readonly RelationEntry[],
): (readonly Stay[])[] {
  const [deletedIds, endedIds] = [new Set(deleted), new Set(ended?.ids)];
  const putIds = new Map(put.flatMap((one) => one.id === null ? [] : [[one.id, one]]));
  const stays = relations.map(([id, deviceId, roleId, from, until]) => {
    const before = { from, until };
    const changed = putIds.get(id);
    putIds.delete(id);
    const after = deletedIds.has(id)
      ? undefined
      : endedIds.has(id)
      ? { from, until: ended?.at ?? until }
      : changed ?? before;
    return { deviceId, stay: { roleId, before, after } };
  });
  const made = put.filter(({ id }) => id === null || putIds.has(id)).map((
    { deviceId, roleId, ...after },
  ) => ({
    deviceId,
    stay: { roleId, before: undefined, after },
  }));
  const byDevice = Map.groupBy([...stays, ...made], ({ deviceId }) => deviceId);
  return Array.from(byDevice.values(), (of) => of.map(({ stay }) => stay));
}

function hasChanged({ before, after }: Stay): boolean {
  return before?.from !== after?.from || before?.until !== after?.until;
}

/**
 * Returns the relations of a device that have a time between the first and the last that changes, cut to that. At all
 * other times, roles read it as before: most of its past counts for nothing, and devices that move together are alike.
 */
function whereItMatters(stays: readonly Stay[]): readonly Stay[] {
  let [first, last] = [Infinity, -Infinity];
  for (const stay of stays.filter(hasChanged)) {
    const periods = [stay.before, stay.after].filter((period) => period !== undefined);
    const [begins, ends] = [periods.map(beginOf), periods.map(endOf)];
    // Two periods that begin together differ from the first end on, and two that end together until the last begin.
    const [isOne, from, until] = [periods.length === 1, Math.min(...begins), Math.max(...ends)];
    first = Math.min(first, isOne || begins[0] !== begins[1] ? from : Math.min(...ends));
    last = Math.max(last, isOne || ends[0] !== ends[1] ? until : Math.max(...begins));
  }
  const cut = (period: Period | undefined): Period | undefined => {
    if (period === undefined) return undefined;
    const [from, until] = [Math.max(beginOf(period), first), Math.min(endOf(period), last)];
    return from < until ? { from, until } : undefined;
  };
  return stays.map(({ roleId, before, after }) => ({ roleId, before: cut(before), after: cut(after) }))
    .filter(({ before, after }) => before !== undefined || after !== undefined)
    .sort((one, other) => one.roleId - other.roleId);
}

/** Counts the devices of which these relations together let one read a time that they did not before, or no longer. */
function compare(
  kinds: Iterable<Kind>,
  counts: (stay: Stay) => boolean,
): Difference {
  let [gained, lost] = [0, 0];
  for (const { stays, count } of kinds) {
    const own = stays.filter(counts);
    const before = joinPeriods(own.flatMap((stay) => stay.before ?? []));
    const after = joinPeriods(own.flatMap((stay) => stay.after ?? []));
    if (!areWithin(after, before)) gained += count;
    if (!areWithin(before, after)) lost += count;
  }
  return { gained, lost };
}
