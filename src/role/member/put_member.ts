import type { Ruled } from "../../changes/ruled.ts";
import {
  type Authorization,
  awake,
  byPowerToGive,
  type GivingMembership,
  managesMembersOf,
  mayGiveUntil,
} from "../../graph/rules/rules.ts";
import { maskOf, type RightsMask } from "../../graph/rights.ts";

const ROLE_MANAGEMENT = maskOf("roleManagement");

type Managing = GivingMembership<"role">;

const managesMembers = (by: Managing): boolean => managesMembersOf(by, by.to.role);

/** The account that has the address. */
export interface Subject {
  readonly id: number;
  /** Its membership of the role. */
  readonly member: {
    readonly id: number;
    readonly rights: RightsMask;
    readonly endsAt: number | null;
  } | null;
  /** One that has ended, whose row a new one replaces. */
  readonly endedId: number | null;
}

export interface PutMemberFacts extends Authorization<Managing> {
  readonly subject: Subject | null;
  /** The subject's membership is the last that keeps a root role, where that matters. */
  readonly keepsAlone: boolean | null;
  /** The previous owner recently gave the address up, so no new account may take it. */
  readonly isReserved: boolean;
  /** A list of access shows the subject to the caller, where that matters. */
  readonly isListed?: boolean | null;
}

export interface PutMemberInput {
  readonly actorId: number;
  /** Null: a member's rights stay. */
  readonly rights: RightsMask | null;
  /** 0: a member's end stays. */
  readonly setsEnd: 0 | 1;
  readonly endsAt: number | null;
}

/** A member before and after the change. */
interface Asked {
  readonly member: Subject["member"];
  readonly rights: RightsMask | null;
  readonly endsAt: number | null;
  /** It changes an existing member. */
  readonly changes: boolean;
  /** It gives one more rights, or a later end. */
  readonly widens: boolean;
}

/** What the giver may give. */
interface Granting {
  readonly by: readonly Managing[];
  readonly mostRights: RightsMask;
  readonly latestEnd: number | null;
}

function askedOf({ subject }: PutMemberFacts, input: PutMemberInput): Asked {
  const member = subject?.member ?? null;
  const rights = input.rights ?? member?.rights ?? null;
  const endsAt = input.setsEnd ? input.endsAt : member?.endsAt ?? null;
  if (member === null || rights === null) return { member, rights, endsAt, changes: false, widens: false };
  const isProlonged = member.endsAt !== null && (endsAt === null || endsAt > member.endsAt);
  return {
    member,
    rights,
    endsAt,
    changes: rights !== member.rights || endsAt !== member.endsAt,
    widens: (rights & ~member.rights) !== 0 || isProlonged,
  };
}

/** Whether the membership covers what is asked. A new membership lies within it, and so does one that is widened. */
function covers(by: Managing, { member, rights, endsAt, widens }: Asked, input: PutMemberInput): boolean {
  if (!managesMembers(by)) return false;
  if (widens) return mayGiveUntil(by, rights ?? 0, endsAt);
  return member !== null || mayGiveUntil(by, input.rights ?? 0, input.setsEnd ? input.endsAt : by.endsAt);
}

/** Returns what the most powerful of these memberships gives, or null without one. */
function grantingOf(by: readonly Managing[]): Granting | null {
  const [first] = by.toSorted(byPowerToGive);
  return first === undefined ? null : { by, mostRights: first.rights, latestEnd: first.endsAt };
}

/** Decides about adding a member, or changing one, by the membership of a user. */
export function decidePutMember(facts: PutMemberFacts, input: PutMemberInput): Ruled {
  const asked = askedOf(facts, input);
  const by = input.actorId > 0 ? awake(facts).filter((each) => covers(each, asked, input)) : [];
  return judge(facts, input, asked, grantingOf(by));
}

export interface ProvisionFacts extends PutMemberFacts {
  /** The key may add and change members. */
  readonly provisions: boolean;
}

/**
 * The same by a key that provisions. What it gives, and whether it may change a membership at all, lies within its own
 * membership and within one that its maker has at that moment, dormant or not. An administrator's key has no maker.
 */
export function decideProvision(facts: ProvisionFacts, input: PutMemberInput): Ruled {
  const asked = askedOf(facts, input);
  const covering = facts.memberships.filter((each) => covers(each, asked, input));
  const ofKey = facts.provisions ? grantingOf(covering.filter(({ isMaker }) => isMaker === 0)) : null;
  const ofMaker = grantingOf(covering.filter(({ isMaker }) => isMaker === 1));
  if (ofKey === null || !facts.hasMaker) return judge(facts, input, asked, ofKey);
  const granting = ofMaker && {
    by: ofKey.by,
    mostRights: ofKey.mostRights & ofMaker.mostRights,
    latestEnd: earlier(ofKey.latestEnd, ofMaker.latestEnd),
  };
  return judge(facts, input, asked, granting);
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

function judge(
  facts: PutMemberFacts,
  { actorId, setsEnd }: PutMemberInput,
  { member, rights, endsAt, changes, widens }: Asked,
  granting: Granting | null,
): Ruled {
  const { subject } = facts;
  const said = {
    kind: changes ? "member.update" : "member.add",
    memberId: member?.id ?? null,
    subjectId: subject?.id ?? null,
    oldRights: member?.rights ?? null,
    newRights: rights ?? granting?.mostRights ?? null,
    endedId: member === null ? subject?.endedId ?? null : null,
  };
  if (granting === null) return { ruling: "denied", ...said };
  const isFirst = member === null;
  const made = {
    by: granting.by,
    chargedBy: awake(facts).filter(managesMembers),
    details: {
      oldUntil: member?.endsAt ?? null,
      until: !isFirst || setsEnd ? endsAt : granting.latestEnd,
      listed: isFirst && facts.isListed ? 1 : 0,
    },
    ...said,
  };
  if (member === null) {
    // The limits of new members come before: an address that is reserved counts like any other.
    const ruling = subject === null && facts.isReserved ? "denied" : "ok";
    return { ...made, ruling, step: "write", isFirst, by: ruling === "ok" ? made.by : [] };
  }
  if (!changes || rights === null) return { ruling: "noop", ...made };
  if (facts.keepsAlone) {
    if ((rights & ROLE_MANAGEMENT) === 0 || endsAt !== null) {
      return { ruling: "root_without_manager", ...said };
    }
    // No other member could give the right back.
    if ((member.rights & ~rights) !== 0 && subject?.id !== actorId) return { ruling: "denied", ...said };
  }
  // An end can be moved earlier a million times, so only the first one is free.
  const takesAway = !widens && (rights !== member.rights || member.endsAt === null);
  return { ruling: "ok", step: "update", takesAway, ...made };
}
