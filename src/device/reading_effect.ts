import { bind } from "../db/statement.ts";
import type { DecisionRow } from "../role/change/decision.ts";
import type { Difference } from "../role/preview/effect_rows.ts";
import type { PreviewableChange } from "../role/preview/preview_service.ts";
import { countPeople, type Reading, type ReadingOf } from "../role/preview/reading.ts";
import { EFFECT_ON_DEVICES } from "./effect_queries.ts";
import type { Period } from "./grant_service.ts";
import { areWithin, joinPeriods } from "./periods.ts";

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
 * An acting role gains and loses what its members read by all roles that it reaches. Of one that the caller does not see,
 * only the relations that change are told, not what it reads by others.
 */
function readingOfMonitors(change: MonitorsChange): ReadingOf {
  return ({ row, reaches, holders }, seen) => {
    const devices = staysOf(change, JSON.parse(row.watched) as RelationEntry[]);
    const reached = Map.groupBy(reaches, ([actingRoleId]) => actingRoleId);
    const known = new Map<string, Difference>();
    const ofRoles = (actingRoleIds: readonly number[]): Difference => {
      const [whole, part] = [new Set<number>(), new Set<number>()];
      for (const actingRoleId of actingRoleIds) {
        const to = seen.has(actingRoleId) ? whole : part;
        for (const [, roleId] of reached.get(actingRoleId) ?? []) to.add(roleId);
      }
      const key = JSON.stringify([whole, part].map((ids) => [...ids].sort((a, b) => a - b)));
      const difference = known.get(key) ??
        compare(devices, (stay) => whole.has(stay.roleId) || (part.has(stay.roleId) && hasChanged(stay)));
      known.set(key, difference);
      return difference;
    };
    const all = [...reached.keys()].map((id) => [id, ofRoles([id])] as const)
      .filter(([, { gained, lost }]) => gained + lost > 0);
    return {
      all: new Map(all),
      shown: new Map(all.filter(([id]) => seen.has(id))),
      people: countPeople(holders, ofRoles, true),
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

/** Returns the relations before and after the change, by device. */
function staysOf(
  { deleted = [], ended, put = [] }: MonitorsChange,
  relations: readonly RelationEntry[],
): ReadonlyMap<number, readonly Stay[]> {
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
  return new Map(Array.from(byDevice, ([deviceId, of]) => [deviceId, of.map(({ stay }) => stay)]));
}

function hasChanged({ before, after }: Stay): boolean {
  return before?.from !== after?.from || before?.until !== after?.until;
}

/** Counts the devices of which these relations together let one read a time that they did not before, or no longer. */
function compare(
  devices: ReadonlyMap<number, readonly Stay[]>,
  counts: (stay: Stay) => boolean,
): Difference {
  let [gained, lost] = [0, 0];
  for (const stays of devices.values()) {
    const own = stays.filter(counts);
    if (!own.some(hasChanged)) continue;
    const before = joinPeriods(own.flatMap((stay) => stay.before ?? []));
    const after = joinPeriods(own.flatMap((stay) => stay.after ?? []));
    if (!areWithin(after, before)) gained++;
    if (!areWithin(before, after)) lost++;
  }
  return { gained, lost };
}
