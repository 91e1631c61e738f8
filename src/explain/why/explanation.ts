import { type Demand, demandOf } from "../../role/authentication_policy.ts";
import type { LineageRelation } from "../../graph/history/lineage.ts";
import {
  ALL_RIGHTS,
  includesRights,
  maskOf,
  RIGHT_NAMES,
  type RightName,
  type Rights,
  toRights,
} from "../../graph/rights.ts";
import type { Membership, Way, Ways } from "./ways.ts";

/** What is explained: a right, or access itself, which every way gives, whatever its relations carry. */
export const EXPLAINED = [...RIGHT_NAMES, "member"] as const;

export type Explained = typeof EXPLAINED[number];

/** Replaces what the asker does not see. */
export interface Hidden {
  readonly hidden: true;
}

export interface ShownMembership {
  readonly roleId: number;
  readonly name: string;
  /** When the membership ends (ISO 8601). Absent if it does not. */
  readonly until?: string;
  /** The most rights that it lets its holder use. Absent without a limit. */
  readonly rights?: Rights;
  /** What its role demands of the session. Absent if nothing, and for the past. */
  readonly needs?: Demand;
  /** The asker's session does not meet that, so the membership counts as absent. */
  readonly dormant?: true;
}

export interface ShownRelation {
  readonly managesId: number;
  readonly parentRoleId: number;
  readonly childRoleId: number;
  /** The name of the child role. */
  readonly name: string;
  readonly rights: RightName[];
}

export interface ShownWay {
  readonly memberOf: ShownMembership | Hidden;
  readonly relations: (ShownRelation | Hidden)[];
}

export interface BlockedWay extends ShownWay {
  /** Ids of relations. */
  readonly lostAt: (number | Hidden)[];
  readonly lostAtMember?: true;
  readonly lostAtRole?: true;
}

/** An item to widen by the right. */
export type FixItem =
  | { readonly managesId: number; readonly right: RightName; readonly mayYou: boolean }
  | { readonly roleId: number; readonly right: RightName; readonly mayYou: boolean }
  | { readonly memberId: number; readonly right: RightName; readonly mayYou: boolean }
  | Hidden;

export interface Explanation {
  readonly allowed: boolean;
  readonly revision: number;
  readonly ways: ShownWay[];
  readonly blocked: BlockedWay[];
  readonly fix: FixItem[];
  /** The demand that the session would have to meet for the right to get through, which it then does. */
  readonly stepUp?: Demand;
  /** More exists than is followed or listed: ways may be missing, and there is no `fix`. */
  readonly truncated: boolean;
}

/** The answer about a right, before it is shown. */
export interface Answer {
  readonly roleId: number;
  readonly right: Explained;
  readonly allowed: boolean;
  readonly revision: number;
  readonly isCut: boolean;
  readonly ways: Ways;
  /** See `Explanation`. */
  readonly stepUp?: Demand | undefined;
}

/** What the asker sees and may do. */
export interface View {
  /** The names of the roles that they see. */
  readonly names: ReadonlyMap<number, string>;
  readonly seesMember: boolean;
  readonly mayWiden: {
    readonly relations: ReadonlySet<number>;
    readonly role: boolean;
    readonly member: boolean;
  };
}

/** Maximum number of listed items to widen. */
const MAX_FIX = 1000;

const HIDDEN: Hidden = { hidden: true };

/** Returns what one way loses: the least to widen. Undefined if the right is held, or the least is not known. */
export function findLoss({ allowed, isCut, ways, stepUp }: Answer): Way | undefined {
  const [best] = ways.blocked;
  return allowed || isCut || stepUp !== undefined || best === undefined || best.lostAt.length > MAX_FIX
    ? undefined
    : best;
}

/** Returns the roles of an answer, without duplicates. */
export function rolesOf({ ways: { open, blocked } }: Answer): number[] {
  return [
    ...new Set([...open, ...blocked].flatMap(({ membership, relations }) => [
      membership.roleId,
      ...relations.map(([, , childId]) => childId),
    ])),
  ];
}

/** Returns the answer as far as `view` reaches, with `Hidden` in place of the rest. Counts are not hidden. */
export function showAnswer(answer: Answer, view: View): Explanation {
  const { right, allowed, revision, isCut, stepUp, ways: { open, blocked } } = answer;
  const loss = findLoss(answer);
  return {
    allowed,
    revision,
    ways: open.map((way) => showWay(way, view)),
    blocked: blocked.map((way) => showBlocked(way, view)),
    fix: loss === undefined || right === "member" ? [] : showFix(loss, right, answer.roleId, view),
    ...(stepUp && { stepUp }),
    truncated: isCut || (!allowed && blocked.length > 0 && loss === undefined && stepUp === undefined),
  };
}

function showWay({ membership, relations }: Way, view: View): ShownWay {
  return {
    memberOf: showMembership(membership, view),
    relations: relations.map((relation) => showRelation(relation, view)),
  };
}

function showBlocked(way: Way, view: View): BlockedWay {
  return {
    ...showWay(way, view),
    lostAt: way.lostAt.map((relation) => sees(relation, view) ? relation[0] : HIDDEN),
    ...(way.isLostAtMember && { lostAtMember: true }),
    ...(way.isLostAtRole && { lostAtRole: true }),
  };
}

function showMembership(
  { roleId, rights, endsAt, needs = 0, isDormant }: Membership,
  { names }: View,
): ShownMembership | Hidden {
  const name = names.get(roleId);
  if (name === undefined) return HIDDEN;
  return {
    roleId,
    name,
    ...(endsAt === null ? {} : { until: new Date(endsAt).toISOString() }),
    ...(rights === ALL_RIGHTS ? {} : { rights: toRights(rights) }),
    ...(needs === 0 ? {} : { needs: demandOf(needs) }),
    ...(isDormant === 1 && { dormant: true }),
  };
}

function showRelation(relation: LineageRelation, view: View): ShownRelation | Hidden {
  const [managesId, parentRoleId, childRoleId, rights] = relation;
  const name = view.names.get(childRoleId);
  if (name === undefined || !sees(relation, view)) return HIDDEN;
  const carried = RIGHT_NAMES.filter((right) => includesRights(rights, maskOf(right)));
  return { managesId, parentRoleId, childRoleId, name, rights: carried };
}

/**
 * Whether the asker sees the relation, as members of the parent do. A past one may lead to a role that they do not see
 * now.
 */
function sees([, parentId, childId]: LineageRelation, { names }: View): boolean {
  return names.has(parentId) && names.has(childId);
}

function showFix(loss: Way, right: RightName, roleId: number, view: View): FixItem[] {
  const { mayWiden } = view;
  const items: FixItem[] = loss.lostAt.map((relation) => {
    const [managesId] = relation;
    return sees(relation, view) ? { managesId, right, mayYou: mayWiden.relations.has(managesId) } : HIDDEN;
  });
  if (loss.isLostAtRole) {
    items.push(view.names.has(roleId) ? { roleId, right, mayYou: mayWiden.role } : HIDDEN);
  }
  if (loss.isLostAtMember) {
    const { membership } = loss;
    items.push(view.seesMember ? { memberId: membership.id, right, mayYou: mayWiden.member } : HIDDEN);
  }
  return items;
}
