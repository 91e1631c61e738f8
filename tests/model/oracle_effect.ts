import type { Operation } from "./oracle.ts";
import { rightNames } from "./oracle_answers.ts";
import { wirePeople } from "./oracle_people.ts";
import { type MadeOrTaken, wireReading } from "./oracle_reading.ts";
import {
  ascending,
  closureOf,
  isLive,
  isMember,
  type ModelMember,
  RIGHT_NAMES,
  rightsBy,
  rightsOfRole,
  ROLE_MANAGEMENT,
  type World,
} from "./oracle_rights.ts";

/** What a dry run shows of a change, told from the worlds before and after it. */

export interface Pair {
  readonly actingRoleId: number;
  readonly roleId: number;
  readonly gained: number;
  readonly lost: number;
}

/** The effect as it goes over the wire, without its tag and revision. */
export function wireEffect(before: World, after: World, operation: Operation): Record<string, unknown> {
  const { userId } = operation;
  const change = changedMembership(before, after);
  const pairs = change === undefined ? changedPairs(before, after) : pairsOfMembership(before, change);
  const isSeen = (roleId: number): boolean => isMember(before, userId, roleId);
  const shown = pairs.filter(({ actingRoleId, roleId }) => isSeen(actingRoleId) && isSeen(roleId));
  const unmanaged = ascending(after.roles.keys())
    .filter((roleId) => isManaged(before, roleId) && !isManaged(after, roleId));
  return {
    rights: Object.fromEntries(RIGHT_NAMES.map((name, i) => [name, {
      gained: pairs.filter(({ gained }) => (gained & (1 << i)) !== 0).length,
      lost: pairs.filter(({ lost }) => (lost & (1 << i)) !== 0).length,
    }])),
    ...wirePeople({ before, after, callerId: userId, pairs, subjectId: change?.userId }),
    unmanaged: unmanaged.filter(isSeen),
    hiddenUnmanaged: unmanaged.filter((roleId) => !isSeen(roleId)).length,
    deletes: {
      roles: [...before.roles.keys()].filter((id) => !after.roles.has(id)).length,
      devices: [...before.devices.keys()].filter((id) => !after.devices.has(id)).length,
    },
    reading: wireReading(before, after, operation, change && madeOrTaken(change)),
    changes: shown.map(({ actingRoleId, roleId, gained, lost }) => ({
      actingRoleId,
      roleId,
      gained: rightNames(gained),
      lost: rightNames(lost),
    })),
    hidden: pairs.length - shown.length,
    truncated: false,
  };
}

/** The pairs of an acting role and a role whose rights differ, in order. A role that is deleted has none. */
function changedPairs(before: World, after: World): Pair[] {
  const ids = ascending(before.roles.keys());
  const rightsIn = (world: World, actingRoleId: number, roleId: number): number =>
    world.roles.has(actingRoleId) && world.roles.has(roleId) ? rightsOfRole(world, actingRoleId, roleId) : 0;
  return ids.flatMap((actingRoleId) =>
    ids.flatMap((roleId) => {
      const [old, now] = [rightsIn(before, actingRoleId, roleId), rightsIn(after, actingRoleId, roleId)];
      return old === now ? [] : [{ actingRoleId, roleId, gained: now & ~old, lost: old & ~now }];
    })
  );
}

interface MembershipChange {
  readonly userId: number;
  readonly roleId: number;
  readonly oldRights: number;
  readonly newRights: number;
  readonly wasThere: boolean;
  readonly isThere: boolean;
}

function madeOrTaken({ roleId, wasThere, isThere }: MembershipChange): MadeOrTaken | null {
  return wasThere === isThere ? null : { roleId, isMade: isThere };
}

/** The one live membership in a role that stays which is added, changed or removed; undefined if there is none. */
function changedMembership(before: World, after: World): MembershipChange | undefined {
  const rightsIn = (world: World, member: ModelMember): number =>
    [...world.members.values()]
      .find(({ roleId, userId }) => roleId === member.roleId && userId === member.userId)?.rights ?? 0;
  if (before.relations !== after.relations || before.roles !== after.roles) return undefined;
  for (const member of [...before.members.values(), ...after.members.values()]) {
    if (!isLive(before, member)) continue;
    const old = before.members.get(member.id);
    const now = after.members.get(member.id);
    if (old?.rights === now?.rights && old?.endsAt === now?.endsAt) continue;
    const wasLive = old !== undefined && isLive(before, old);
    return {
      userId: member.userId,
      roleId: member.roleId,
      oldRights: wasLive ? old.rights : 0,
      newRights: now === undefined ? 0 : rightsIn(after, now),
      wasThere: wasLive,
      isThere: now !== undefined,
    };
  }
  return undefined;
}

/** The pairs of a membership's role and the roles that it reaches, as if its owner had no other. */
function pairsOfMembership(
  world: World,
  { roleId: actingRoleId, oldRights, newRights }: MembershipChange,
): Pair[] {
  const reached = ascending([actingRoleId, ...closureOf(world).get(actingRoleId)?.keys() ?? []]);
  return reached.flatMap((roleId) => {
    const rights = rightsOfRole(world, actingRoleId, roleId);
    const [old, now] = [rights & oldRights, rights & newRights];
    return old === now ? [] : [{ actingRoleId, roleId, gained: now & ~old, lost: old & ~now }];
  });
}

/** Whether a person has roleManagement on the role. */
function isManaged(world: World, roleId: number): boolean {
  return [...world.members.values()].some((member) =>
    member.userId > 0 && isLive(world, member) && (rightsBy(world, member, roleId) & ROLE_MANAGEMENT) !== 0
  );
}

/** Whether a change of this kind can be previewed. */
export function isPreviewable({ kind }: Operation): boolean {
  return PREVIEWABLE.includes(kind);
}

const PREVIEWABLE: readonly Operation["kind"][] = [
  "putRelation",
  "putRelationById",
  "deleteRelation",
  "updateRole",
  "addMember",
  "removeMember",
  "createKey",
  "deleteKey",
  "attachDevice",
  "transferDevice",
  "detachDevice",
];
