import { type Actor, keyOfPrincipal } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { bind } from "../../db/statement.ts";
import { toLanguage } from "../../mail/languages.ts";
import { accepted, type DecisionRow } from "../../changes/decision.ts";
import type { RoleDeps } from "../deps.ts";
import { makeInvitation } from "./invitation.ts";
import type { Deletion } from "../manages/manages_service.ts";
import { PROVISION_AND_INVITE_MEMBER, PROVISION_MEMBER, PUT_MEMBER } from "./member_queries.ts";
import { MOST_NAMED_KEYS, REMOVE_MEMBER } from "./member_removal_queries.ts";
import type { Effect } from "../../changes/preview/effect.ts";
import { EFFECT_OF_MEMBERSHIP } from "../../changes/preview/effect_queries.ts";
import { changeOrPreview, MAKE, type Mode } from "../../changes/preview/preview_service.ts";
import { ALL_RIGHTS, type Rights, toMask, toRights } from "../../graph/rights.ts";

export interface Member {
  readonly id: number;
  readonly roleId: number;
  /** The id of the user's account, in listings. */
  readonly userId?: number;
  readonly userEmail: string;
  /** When the membership ends by itself (ISO 8601). Absent if it does not. */
  readonly until?: string;
  /** The most rights that it lets its user use. Absent without a limit. */
  readonly rights?: Rights;
  /** The user's id in another system, in listings. Absent without one, and of memberships that do not tell it. */
  readonly externalId?: string;
  /** When a session that acted by the membership last met the role's demand, or the planned one. Absent without any. */
  readonly lastMetAt?: string | null;
  /**
   * In listings, if the user has never opened their account: when they were added, or null if the log no longer has
   * that. Absent otherwise.
   */
  readonly waitingSince?: string | null;
}

export interface MemberRow {
  readonly id: number;
  readonly roleId: number;
  readonly userEmail: string;
  /** A mask. */
  readonly rights: number;
  readonly endsAt: number | null;
  /** In listings. */
  readonly userId?: number;
  readonly externalId?: string | null;
  /** What the role demands or will, and when the member last met it; in listings. */
  readonly needs?: number | null;
  readonly lastMetAt?: number | null;
  /** Whether the user has never opened their account, and when they were added; in listings. */
  readonly waits?: 0 | 1;
  readonly waitingSince?: number | null;
}

interface PutMemberRow extends MemberRow, DecisionRow {
  readonly retryAfterSeconds: number;
  /** Only in a preview: the mask of an existing membership. */
  readonly oldRights?: number | null;
  /** Only in a preview: the account, if there is one. */
  readonly subjectId?: number | null;
}

interface RemovedMemberRow extends DecisionRow {
  readonly id: number;
  /** JSON: a list of `StayingKey`, or null. */
  readonly stayingKeys: string | null;
  readonly wasLastAwake: 0 | 1;
  /** 0 or 1: there may be others. */
  readonly hasUnscannedKeys: number;
  /** Only in a preview. */
  readonly oldRights: number | null;
  readonly subjectId: number;
}

/** Returns the response's form of a membership. */
export function toMember(
  { id, roleId, userId, userEmail, externalId, rights, endsAt, needs, lastMetAt, waits, waitingSince }:
    MemberRow,
): Member {
  return {
    id,
    roleId,
    ...(userId !== undefined && { userId }),
    userEmail,
    ...(typeof externalId === "string" && { externalId }),
    ...(endsAt === null ? {} : { until: new Date(endsAt).toISOString() }),
    ...(rights === ALL_RIGHTS ? {} : { rights: toRights(rights) }),
    ...(needs && { lastMetAt: toTime(lastMetAt) }),
    ...(waits && { waitingSince: toTime(waitingSince) }),
  };
}

function toTime(time: number | null | undefined): string | null {
  return typeof time === "number" ? new Date(time).toISOString() : null;
}

/** A membership after a change, or a preview of it, which has an effect. A new one has no id in a preview. */
export interface ChangedMember {
  readonly member: Omit<Member, "id"> & { readonly id: number | null };
  readonly effect?: Effect;
}

export interface PutMemberInput {
  readonly roleId: number;
  /** Normalized. */
  readonly userEmail: string;
  /** Name of a sender brand. */
  readonly origin?: string | undefined;
  /** Two letters. By default the account's language, which is the inviter's if the account is new. */
  readonly language?: string | undefined;
  /**
   * Milliseconds; null for no end. Absent: an existing member's stays; a new one's is that of the authorizing
   * membership.
   */
  readonly endsAt?: number | null | undefined;
  /** Null for no limit. Absent: as for `endsAt`. */
  readonly rights?: Rights | null | undefined;
  /** Whether a new member gets a mail: always from a user; by default none from a key. */
  readonly invite?: boolean | undefined;
}

/**
 * Makes the owner of an address a member, or changes their membership, within that of a manager of the role's members.
 * A key that provisions does so within what its maker could. Does not reveal whether the address was known. Throws
 * `TOO_MANY_INVITATIONS` and `TOO_MANY_ADDITIONS`, also in previews, `ROOT_WITHOUT_MANAGER`, `MALFORMED_REQUEST` for an
 * unknown brand, a past end or a user's `invite: false`, and the errors of `changeOrPreview`.
 */
export async function putMember(
  deps: RoleDeps,
  actor: Actor,
  input: PutMemberInput,
  mode: Mode = MAKE,
): Promise<ChangedMember> {
  const { roleId, userEmail, origin, language, endsAt, rights } = input;
  const isKey = keyOfPrincipal(actor.userId) !== undefined;
  const invites = input.invite ?? !isKey;
  if (!invites && !isKey) {
    throw new AppError("MALFORMED_REQUEST", {
      details: [{ path: "query.invite", message: "Expected true: only keys add members without a mail" }],
    });
  }
  if (typeof endsAt === "number" && endsAt <= deps.clock()) {
    throw new AppError("MALFORMED_REQUEST", {
      details: [{ path: "body.until", message: "Expected a time in the future" }],
    });
  }
  if (origin !== undefined && !deps.mailBrands.has(origin)) {
    throw new AppError("MALFORMED_REQUEST", {
      details: [{ path: "query.origin", message: "Expected the name of a configured sender" }],
    });
  }
  const [invitation, [addressKey]] = await Promise.all([
    invites ? makeInvitation(deps) : {},
    deps.secrets.macs("throttle", userEmail),
  ]);
  const mask = rights === undefined ? null : rights === null ? ALL_RIGHTS : toMask(rights);
  const setsEnd = endsAt === undefined ? 0 : 1;
  const { row, ...preview } = await changeOrPreview<PutMemberRow>(deps, actor, mode, {
    request: [
      "member.put",
      roleId,
      userEmail,
      mask,
      setsEnd,
      endsAt ?? null,
      origin ?? null,
      language ?? null,
      invites ? 1 : 0,
    ],
    batches: isKey ? invites ? PROVISION_AND_INVITE_MEMBER : PROVISION_MEMBER : PUT_MEMBER,
    args: {
      roleId,
      email: userEmail,
      mailLanguage: language === undefined ? null : toLanguage(language),
      brand: origin ?? null,
      addressKey,
      rights: mask,
      endsAt: endsAt ?? null,
      setsEnd,
      ...invitation,
    },
    accept: (put) => accepted(put, put === undefined ? {} : { retryAfterSeconds: put.retryAfterSeconds }),
    subject: ({ subjectId }) => ({ id: subjectId ?? 0, who: { userEmail } }),
    effectOf: ({ id, rights: newRights, oldRights, subjectId }, read) => {
      const holderId = subjectId ?? 0;
      const membership = {
        roleId,
        memberId: id ?? 0,
        oldRights: oldRights ?? null,
        newRights,
        isPerson: 1,
        holderId,
      };
      return bind(EFFECT_OF_MEMBERSHIP, { ...read, ...membership });
    },
  });
  return { member: { ...toMember(row), userEmail }, ...preview };
}

/** A key that stays although its maker was removed. */
export interface StayingKey {
  readonly id: number;
  readonly roleId: number;
  readonly name: string;
}

export interface RemovedMember extends Deletion {
  /** Up to 100 keys that the removed member made, in the role and roles below it; absent if there are none. */
  readonly keys?: readonly StayingKey[];
  /**
   * True if there may be others: the member made more keys than are scanned or named. Absent if `keys` are all that the
   * caller may see.
   */
  readonly moreKeys?: true;
  /** No other member who keeps the root role is known to meet its demand of a second factor. */
  readonly lastAwake?: true;
}

export interface RemoveMemberInput {
  readonly roleId: number;
  readonly memberId: number;
}

/**
 * Ends a membership: the actor's own, or one in a role whose members they manage. Returns the keys that another member
 * made and that the actor may end: they stay. Throws `ROOT_WITHOUT_MEMBER` for the last member that keeps a root role.
 */
export async function removeMember(
  deps: RoleDeps,
  actor: Actor,
  { roleId, memberId }: RemoveMemberInput,
  mode: Mode = MAKE,
): Promise<RemovedMember> {
  const { row, ...preview } = await changeOrPreview<RemovedMemberRow>(deps, actor, mode, {
    request: ["member.remove", roleId, memberId],
    batches: REMOVE_MEMBER,
    args: { roleId, relationId: memberId },
    accept: accepted,
    effectOf: ({ oldRights, subjectId: holderId }, read) => {
      const membership = { roleId, memberId, oldRights, newRights: null, isPerson: 1, holderId };
      return bind(EFFECT_OF_MEMBERSHIP, { ...read, ...membership });
    },
  });
  const keys = JSON.parse(row.stayingKeys ?? "[]") as StayingKey[];
  return {
    deletedNodeIds: [],
    deletedRelationIds: [row.id],
    ...(keys.length > 0 ? { keys } : {}),
    ...(row.hasUnscannedKeys === 1 || keys.length === MOST_NAMED_KEYS ? { moreKeys: true } : {}),
    ...(row.wasLastAwake === 1 ? { lastAwake: true } : {}),
    ...preview,
  };
}
