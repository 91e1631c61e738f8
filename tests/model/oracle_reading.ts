import type { Operation } from "./oracle.ts";
import { begin, end } from "./oracle_devices.ts";
import { ascending, isAbove, isLive, isMember, type ModelMonitors, type World } from "./oracle_rights.ts";

/** What a dry run says of the reading of devices, told from the worlds before and after the change. */

interface Difference {
  readonly gained: number;
  readonly lost: number;
}

/** A membership that a change makes or takes. */
export interface MadeOrTaken {
  readonly roleId: number;
  readonly isMade: boolean;
}

/** The effect as it goes over the wire. `membership`: the one that is made or taken; null if another one changes. */
export function wireReading(
  before: World,
  after: World,
  { userId, kind }: Operation,
  membership: MadeOrTaken | null | undefined,
): Record<string, unknown> {
  const isOfDevices = kind.endsWith("Device");
  const { actingIds, ofRoles, shownOf } = isOfDevices
    ? byRelations(before, after, userId)
    : byPaths(before, after, userId, membership);
  const all = actingIds.map((id) => [id, ofRoles([id])] as const).filter(([, each]) => isAny(each));
  const shown = all.map(([id]) => [id, shownOf(id)] as const).filter(([, each]) => isAny(each));
  const count = (some: readonly Difference[]): Difference => ({
    gained: some.filter(({ gained }) => gained > 0).length,
    lost: some.filter(({ lost }) => lost > 0).length,
  });
  const holders = membership === undefined
    ? Map.groupBy(
      [...before.members.values()].filter((member) =>
        isLive(before, member) && actingIds.includes(member.roleId)
      ),
      (member) => member.userId,
    )
    : new Map([[0, membership === null ? [] : [{ roleId: membership.roleId }]]]);
  const people = [...holders.values()].map((held) => {
    const ids = held.map(({ roleId }) => roleId);
    if (isOfDevices) return ofRoles(ids);
    const each = ids.map((id) => ofRoles([id]));
    return {
      gained: each.some(({ gained }) => gained > 0) ? 1 : 0,
      lost: each.some(({ lost }) => lost > 0) ? 1 : 0,
    };
  });
  return {
    roles: count(all.map(([, each]) => each)),
    people: count(people),
    changes: shown.map(([actingRoleId, each]) => ({ actingRoleId, ...each })),
    hidden: all.length - shown.length,
  };
}

function isAny({ gained, lost }: Difference): boolean {
  return gained + lost > 0;
}

interface Told {
  readonly actingIds: readonly number[];
  readonly ofRoles: (ids: readonly number[]) => Difference;
  readonly shownOf: (id: number) => Difference;
}

function byPaths(
  before: World,
  after: World,
  userId: number,
  membership: MadeOrTaken | null | undefined,
): Told {
  const ids = ascending(before.roles.keys());
  const devicesOf = (roleId: number): number =>
    new Set(
      [...before.monitors.values()].filter((each) => each.roleId === roleId).map((each) => each.deviceId),
    ).size;
  const tell = (actingId: number, counts: (roleId: number) => boolean): Difference => {
    let [gained, lost] = [0, 0];
    for (const roleId of ids.filter(counts)) {
      const was = membership === undefined ? isReached(before, actingId, roleId) : !membership?.isMade;
      const is = membership === undefined ? isReached(after, actingId, roleId) : membership?.isMade === true;
      if (membership !== undefined && !isReached(before, actingId, roleId)) continue;
      if (is && !was) gained += devicesOf(roleId);
      if (was && !is) lost += devicesOf(roleId);
    }
    return { gained, lost };
  };
  return {
    actingIds: membership === undefined ? ids : membership === null ? [] : [membership.roleId],
    ofRoles: ([id]) => tell(id as number, () => true),
    shownOf: (id) =>
      isMember(before, userId, id)
        ? tell(id, (roleId) => isMember(before, userId, roleId))
        : { gained: 0, lost: 0 },
  };
}

function isReached(world: World, actingId: number, roleId: number): boolean {
  if (!world.roles.has(actingId) || !world.roles.has(roleId)) return false;
  return actingId === roleId || isAbove(world, actingId, roleId);
}

function byRelations(before: World, after: World, userId: number): Told {
  const all = [...before.monitors.values(), ...after.monitors.values()];
  const isSame = (one: ModelMonitors | undefined, other: ModelMonitors | undefined): boolean =>
    one?.from === other?.from && one?.until === other?.until;
  const hasChanged = ({ id }: ModelMonitors): boolean =>
    !isSame(before.monitors.get(id), after.monitors.get(id));
  const changed = all.filter(hasChanged);
  const actingIds = ascending(before.roles.keys())
    .filter((id) => changed.some(({ roleId }) => isReached(before, id, roleId)));
  const moments = all.flatMap((each) => [begin(each), end(each)]).filter(Number.isFinite)
    .flatMap((time) => [time - 1, time]);
  const times = [-Infinity, ...moments];
  const ofRoles = (ids: readonly number[]): Difference => {
    const counts = (relation: ModelMonitors): boolean =>
      ids.some((id) =>
        isReached(before, id, relation.roleId) && (isMember(before, userId, id) || hasChanged(relation))
      );
    const reads = (world: World, deviceId: number, time: number): boolean =>
      [...world.monitors.values()].some((each) =>
        each.deviceId === deviceId && counts(each) && begin(each) <= time && time < end(each)
      );
    let [gained, lost] = [0, 0];
    for (const deviceId of new Set(changed.map((each) => each.deviceId))) {
      const was = times.map((time) => reads(before, deviceId, time));
      const is = times.map((time) => reads(after, deviceId, time));
      if (is.some((reading, i) => reading && was[i] === false)) gained++;
      if (was.some((reading, i) => reading && is[i] === false)) lost++;
    }
    return { gained, lost };
  };
  return {
    actingIds,
    ofRoles,
    shownOf: (id) => isMember(before, userId, id) ? ofRoles([id]) : { gained: 0, lost: 0 },
  };
}
