import { seesAsManager } from "./oracle_access.ts";
import { rightNames } from "./oracle_answers.ts";
import type { Pair } from "./oracle_effect.ts";
import {
  ascending,
  isLive,
  isMember,
  type ModelMember,
  principalsOf,
  rightsBy,
  userRights,
  type World,
} from "./oracle_rights.ts";

/** What a dry run says of people and keys: what the checks say of them in the worlds before and after the change. */

/** A change of pairs of roles, or of one membership, whose pairs are of that member alone. */
export interface PeopleChange {
  readonly before: World;
  readonly after: World;
  readonly callerId: number;
  readonly pairs: readonly Pair[];
  /** The member, if one membership changes. */
  readonly subjectId?: number | undefined;
}

/** The rights on a role that change for a principal by their memberships, and whether the caller sees one of these. */
interface Touched {
  readonly roleId: number;
  readonly rights: number;
  readonly isSeen: boolean;
}

function touchedBy({ before, callerId, pairs, subjectId }: PeopleChange, id: number): Touched[] {
  return pairs.flatMap(({ actingRoleId, roleId, gained, lost }) => {
    const mask = subjectId === undefined ? maskIn(before, id, actingRoleId) : subjectId === id ? 63 : 0;
    const rights = (gained | lost) & mask;
    return rights === 0 ? [] : [{ roleId, rights, isSeen: isMember(before, callerId, actingRoleId) }];
  });
}

function maskIn(world: World, id: number, roleId: number): number {
  const member = [...world.members.values()].find((each) => each.userId === id && each.roleId === roleId);
  return member === undefined || !isLive(world, member) ? 0 : member.rights;
}

interface PersonOutcome {
  readonly gains: boolean;
  readonly loses: boolean;
  /** Whether all roles on which they may gain or lose are ones whose lists of access the caller reads. */
  readonly isWhole: boolean;
  readonly others: number;
  readonly wire: Record<string, unknown>;
}

function outcomeFor(change: PeopleChange, id: number): PersonOutcome | undefined {
  const { before, after, callerId } = change;
  const touched = touchedBy(change, id);
  const idsOf = (some: readonly Touched[]): number[] => ascending(new Set(some.map(({ roleId }) => roleId)));
  const isRead = (roleId: number): boolean => seesAsManager(before, callerId, roleId);
  const seen = touched.filter(({ isSeen }) => isSeen);
  const shownIds = idsOf(seen).filter(isRead);
  if (shownIds.length === 0) return undefined;
  const checksOf = (roleId: number): { before: number; after: number } => ({
    before: userRights(before, id, roleId),
    after: after.roles.has(roleId) ? userRights(after, id, roleId) : 0,
  });
  const known = idsOf(touched).filter(isRead).map(checksOf);
  const groups = new Map<string, Record<string, unknown> & { roleIds: number[] }>();
  for (const roleId of shownIds) {
    const checks = checksOf(roleId);
    const changed = seen.filter((each) => each.roleId === roleId).reduce(
      (mask, { rights }) => mask | rights,
      0,
    );
    const kept = changed & checks.before & checks.after;
    const shown = {
      gained: rightNames(checks.after & ~checks.before),
      lost: rightNames(checks.before & ~checks.after),
      kept: rightNames(kept),
      ...waysOf(change, id, roleId, kept),
    };
    const group = groups.get(JSON.stringify(shown)) ?? { roleIds: [], ...shown };
    group.roleIds.push(roleId);
    groups.set(JSON.stringify(shown), group);
  }
  const others = idsOf(seen).filter((roleId) => !isRead(roleId)).length;
  return {
    gains: known.some((checks) => (checks.after & ~checks.before) !== 0),
    loses: known.some((checks) => (checks.before & ~checks.after) !== 0),
    isWhole: idsOf(touched).every(isRead),
    others,
    wire: { ...nameIn(change, id), on: [...groups.values()], others },
  };
}

/** The visible roles of which they stay a member and by which they keep these rights. */
function waysOf(
  { before, after, callerId }: PeopleChange,
  id: number,
  roleId: number,
  kept: number,
): { through: number[]; hidden: boolean } {
  const carries = (own: ModelMember): number => rightsBy(after, own, roleId) & kept;
  const ways = [...after.members.values()].filter((own) =>
    own.userId === id && isLive(after, own) && isMember(before, callerId, own.roleId) && carries(own) !== 0
  );
  return {
    through: ascending(ways.map((own) => own.roleId)),
    hidden: ways.reduce((mask, own) => mask | carries(own), 0) !== kept,
  };
}

/** A key that is not made yet has no id. */
function nameIn({ before, after }: PeopleChange, id: number): Record<string, unknown> {
  if (id > 0) return { userEmail: before.users.get(id) };
  return {
    key: { id: before.keys.has(-id) ? -id : null, name: (before.keys.get(-id) ?? after.keys.get(-id))?.name },
  };
}

/** The people of an effect. No world has more than 20. */
export function wirePeople(change: PeopleChange): Record<string, unknown> {
  const { before, pairs, subjectId } = change;
  const gaining = new Set<number>();
  const losing = new Set<number>();
  const named: unknown[] = [];
  const keeps: unknown[] = [];
  for (const id of subjectId === undefined ? principalsOf(before) : [subjectId]) {
    const mask = (actingRoleId: number): number =>
      subjectId === undefined ? maskIn(before, id, actingRoleId) : 63;
    if (pairs.some((pair) => (pair.gained & mask(pair.actingRoleId)) !== 0)) gaining.add(id);
    if (pairs.some((pair) => (pair.lost & mask(pair.actingRoleId)) !== 0)) losing.add(id);
    const outcome = outcomeFor(change, id);
    if (outcome === undefined) continue;
    const { gains, loses, isWhole, others, wire } = outcome;
    if (isWhole && !gains) gaining.delete(id);
    if (isWhole && !loses) losing.delete(id);
    const isUnchanged = (wire["on"] as { gained: string[]; lost: string[] }[])
      .every((each) => each.gained.length + each.lost.length === 0);
    (others === 0 && isUnchanged ? keeps : named).push(wire);
  }
  return { people: { gained: gaining.size, lost: losing.size }, named, keeps };
}
