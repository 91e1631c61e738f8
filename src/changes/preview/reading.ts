import type { Difference, WholeEffect } from "./effect_rows.ts";

/**
 * What a change does to the reading of devices. Members of a role read the telemetry of the devices that it monitors, or did,
 * and of those of all roles below it, whatever rights get through. So an acting role gains and loses with the roles that
 * it begins and ceases to reach, and with their monitors relations.
 */

/** Numbers of devices that an acting role gains and loses, or some times of them. */
export type ByActing = ReadonlyMap<number, Difference>;

export interface Reading {
  /** All acting roles that gain or lose. */
  readonly all: ByActing;
  /** Of those that the caller sees, what they see. */
  readonly shown: ByActing;
  /** Up to how many people and keys gain and lose. */
  readonly people: Difference;
  /** Whether some acting roles were not looked at. */
  readonly truncated: boolean;
}

/** Tells what an effect does, for a caller who sees these roles. */
export type ReadingOf = (whole: WholeEffect, seen: ReadonlySet<number>) => Reading;

/** Of a change of paths. A device that two of the roles monitor counts twice. */
export const readingOfPaths: ReadingOf = ({ row, reaches, holders }, seen) => {
  const watched = new Map(
    (JSON.parse(row.watched) as [number, number, number][]).map(([roleId, ...counts]) => [roleId, counts]),
  );
  const [all, shown] = [new Map<number, Difference>(), new Map<number, Difference>()];
  for (const [actingRoleId, roleId, , , reach] of reaches) {
    const [standing, returning] = watched.get(roleId) ?? [0, 0];
    const gained = reach === 1 ? standing + returning : reach === 2 ? returning : 0;
    const lost = reach === -1 ? standing : 0;
    if (gained + lost === 0) continue;
    add(all, actingRoleId, { gained, lost });
    if (seen.has(actingRoleId) && seen.has(roleId)) add(shown, actingRoleId, { gained, lost });
  }
  return {
    all,
    shown,
    people: countPeople(holders, ([first]) => all.get(first as number)),
    truncated: false,
  };
};

function add(to: Map<number, Difference>, actingRoleId: number, { gained, lost }: Difference): void {
  const known = to.get(actingRoleId) ?? { gained: 0, lost: 0 };
  to.set(actingRoleId, { gained: known.gained + gained, lost: known.lost + lost });
}

/** Maximum number of people whose acting roles are looked at together. */
const MOST_UNITED = 1000;

/**
 * Counts the people who gain and lose. `ofAll` tells what members of all of these acting roles gain and lose; of one role,
 * if there is too much to ask about all of theirs: no fewer people gain and lose by those.
 */
export function countPeople(
  holders: WholeEffect["holders"],
  ofRoles: (actingRoleIds: readonly number[]) => Difference | undefined,
  unites = false,
): Difference {
  const roles = Map.groupBy(holders, ([, principalId]) => principalId);
  let [gained, lost, united] = [0, 0, 0];
  for (const held of roles.values()) {
    const ids = [...new Set(held.map(([actingRoleId]) => actingRoleId))];
    const union = unites && ids.length > 1 && ++united <= MOST_UNITED ? ofRoles(ids) : undefined;
    const differences = union === undefined ? ids.map((id) => ofRoles([id])) : [union];
    if (differences.some((one) => one !== undefined && one.gained > 0)) gained++;
    if (differences.some((one) => one !== undefined && one.lost > 0)) lost++;
  }
  return { gained, lost };
}
