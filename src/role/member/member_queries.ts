import { SECOND_MS } from "../../core/clock.ts";
import { REVISION_COLUMN } from "../../db/revisions.ts";
import { reservedEmail, userAccount } from "../../db/schema/identity.ts";
import { changeLog, member, memberHistory, role, roleKey } from "../../db/schema/role.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  derived,
  inserted,
  int,
  join,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { insertPasswordLink } from "../../identity/password_link_queries.ts";
import { insertUser } from "../../identity/user_queries.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
import {
  DAY_SECONDS,
  INVITATION_WINDOW_SECONDS,
  INVITATIONS_PER_ADDRESS,
  INVITATIONS_PER_CALLER,
  THROTTLE_SCOPES,
} from "../../throttle/limits.ts";
import {
  type Budget,
  type CountedWindow,
  type Counter,
  counterValue,
  countInWindow,
  forgetCounters,
} from "../../throttle/throttle_queries.ts";
import { CHAIN_OF_BROUGHT } from "../change/chain_queries.ts";
import {
  CHANGE,
  GIVEN,
  nextId,
  type Previewable,
  previewable,
  recordChange,
  type Run,
  TAKE_RELATION_ID,
  type Undoing,
  whenEffect,
} from "../change/change_queries.ts";
import { chargeChange } from "../change/charge_queries.ts";
import { type Counts, FEW_MEMBERSHIPS, HAS_FEW, someAuthorizingRole } from "../guard/guard_queries.ts";
import {
  type Acting,
  byPowerToGive,
  managesMembersOf,
  mayGive,
  mayGiveUntil,
} from "../guard/rule_queries.ts";
import {
  ACTOR_IS_USER,
  memberIsAwake,
  memberLives,
  ONE_ROW,
  PRINCIPAL_LIVES,
} from "../guard/principal_queries.ts";
import { COST_OF_MEMBERSHIP } from "../preview/effect_queries.ts";
import { maskOf } from "../rights.ts";
import { isLastKeeper } from "./keeper_queries.ts";
import {
  grantingOfKey,
  MAKER_KEY,
  PROVISION_LIMIT,
  PROVISIONED,
  provisionPerDay,
} from "./provision_queries.ts";

const ROLE_MANAGEMENT = maskOf("roleManagement");

/** The arguments of decisions. Absent fields are null, and `setsEnd` says whether the request names an end. */
const PUT = { roleId: int, email: text, rights: nullable(int), endsAt: nullable(int), setsEnd: int };
const given = placeholdersOf(PUT);
const { opId, actorId, now } = placeholdersOf(CHANGE);
/** The id of a removed membership that an undo makes again. */
const RESTORED = { restoredId: int };
const { restoredId } = placeholdersOf(RESTORED);
/** The arguments of an invitation's mail; see `invitation.ts`. */
const MAIL = {
  opId: text,
  addressKey: text,
  mailId: text,
  mailLanguage: nullable(text),
  brand: nullable(text),
  sealedParams: text,
  linkExpiresAt: int,
};
const { addressKey, mailId, mailLanguage, brand, sealedParams, linkExpiresAt } = placeholdersOf(MAIL);

/** The invitations of a caller, or of the maker of a key. */
function invitationsOf(key: Value): Budget {
  return {
    scope: THROTTLE_SCOPES.invitationByCaller,
    key,
    windowSeconds: INVITATION_WINDOW_SECONDS,
    most: INVITATIONS_PER_CALLER,
  };
}
/** The invitations that the caller sends. */
export const INVITATIONS_OF_CALLER: Budget = invitationsOf(sql`CAST(${actorId} AS TEXT)`);
const BY_MAKER = invitationsOf(MAKER_KEY);
const TO_ADDRESS: Budget = {
  scope: THROTTLE_SCOPES.invitationToAddress,
  key: addressKey,
  windowSeconds: INVITATION_WINDOW_SECONDS,
  most: INVITATIONS_PER_ADDRESS,
};
const INVITED = sql`EXISTS (SELECT 1 FROM ${changeLog} WHERE ${whenEffect("write")})`;
const MAY_MAIL = sql`${counterValue(TO_ADDRESS, "count")} < ${TO_ADDRESS.most}`;

/** Returns the seconds until the window ends in which events are counted. */
function secondsLeft(counter: Counter): SQL {
  return sql`(${counterValue(counter, "expiresAt")} - ${now}) / ${SECOND_MS}.0`;
}

const reserved = row(reservedEmail, "reserved");
/** The previous owner recently gave the address up and may want it back, so no new account may take it. */
const IS_RESERVED = sql`EXISTS (SELECT 1 FROM ${reserved}
  WHERE ${reserved.email} = ${given.email} AND ${reserved.reservedUntil} > ${now})`;

function managesMembers(acting: Acting): SQL {
  return managesMembersOf(acting, given.roleId);
}

/**
 * The CTE `asked`: the member before and after the request. An absent field, null `rights` or `setsEnd` 0, keeps a
 * member's.
 */
function askedMember(): SQL {
  const { invited, existing, ended } = rowsOf({ invited: userAccount, existing: member, ended: member });
  const isProlonged = sql`(old_ends_at IS NOT NULL AND coalesce(ends_at > old_ends_at, true))`;
  const asked = sql`SELECT ${invited.id} AS subject_id, ${existing.id} AS member_id, ${ended.id} AS ended_id,
        ${existing.rights} AS old_rights, ${existing.endsAt} AS old_ends_at,
        coalesce(${given.rights}, ${existing.rights}) AS rights,
        CASE WHEN ${given.setsEnd} THEN ${given.endsAt} ELSE ${existing.endsAt} END AS ends_at
      FROM ${ONE_ROW} LEFT JOIN ${invited} ON ${invited.email} = ${given.email}
        LEFT JOIN ${existing} ON ${existing.userId} = ${invited.id} AND ${existing.roleId} = ${given.roleId}
          AND ${memberLives(existing)}
        LEFT JOIN ${ended} ON ${ended.userId} = ${invited.id} AND ${ended.roleId} = ${given.roleId}
          AND ${existing.id} IS NULL
      WHERE ${PRINCIPAL_LIVES}`;
  return sql`asked AS MATERIALIZED (
    SELECT *, member_id IS NOT NULL AND (rights <> old_rights OR ends_at IS NOT old_ends_at) AS changes,
      member_id IS NOT NULL AND (rights & ~old_rights OR ${isProlonged}) AS widens
    FROM (${asked}))`;
}

/**
 * Selects the membership of a principal that authorizes the change, from `asked`. A new membership lies within that,
 * and so does one that is widened or prolonged.
 */
function covering(holder: Value, counts: Counts): SQL {
  const acting = row(member, "acting");
  const givesRights = mayGive(acting, sql`coalesce(${given.rights}, 0)`);
  const givesUntil = mayGiveUntil(acting, 0, given.endsAt);
  return sql`
    SELECT ${acting.rights} AS most_rights, ${acting.endsAt} AS latest_end,
      min(${acting.roleId}) OVER () AS oldest_role_id FROM asked CROSS JOIN ${acting}
    WHERE ${acting.userId} = ${holder} AND ${counts(acting)}
      AND (${managesMembers(acting)}) AND CASE
        WHEN asked.member_id IS NULL THEN ${givesRights}
          AND (NOT ${given.setsEnd} OR ${givesUntil})
        WHEN asked.widens THEN ${mayGiveUntil(acting, sql`asked.rights`, sql`asked.ends_at`)}
        ELSE true END
    ORDER BY ${byPowerToGive(acting)} LIMIT 1`;
}

const kept = row(member, "kept");
/** The member is the last that keeps a root role. */
const KEEPS_ROOT_ALONE = sql`EXISTS (SELECT 1 FROM ${kept}
  WHERE ${kept.id} = member_id AND ${isLastKeeper(kept)})`;

/** The request ends the membership or takes roleManagement from it. */
const UNKEEPS_ROOT = sql`(rights & ${ROLE_MANAGEMENT} = 0 OR ends_at IS NOT NULL)`;

/**
 * Another user takes a right from the membership. If that is the last to keep a root, no other member could give it
 * back.
 */
const NARROWS_ANOTHER = sql`(old_rights & ~rights AND subject_id <> ${actorId})`;

/** A list of no roles. */
const NO_ROLES = quoted(JSON.stringify(Array.from({ length: FEW_MEMBERSHIPS }, () => 0)));

/**
 * The subject is a member of a role whose members the actor manages, so that its list of access shows them. The first
 * few of their memberships count, and none for an actor with many: this runs under the write lock. Where they have
 * fewer, roles that do not exist are judged in place of these, so that the time does not tell who has an account.
 */
function isListed(subjectId: Value): SQL {
  const [known, few] = [row(member, "known"), derived(member, "few", "roleId")];
  const isManaged = someAuthorizingRole((acting) => managesMembersOf(acting, few.roleId));
  // Not by AND: SQLite evaluates both sides of one whose result is a value.
  return sql`iif(${HAS_FEW}, EXISTS (SELECT 1 FROM (SELECT * FROM (SELECT ${known.roleId} FROM ${known}
      WHERE ${known.userId} = ${subjectId} AND ${memberLives(known)}
      ORDER BY ${known.roleId} LIMIT ${FEW_MEMBERSHIPS})
      UNION ALL SELECT value FROM json_each(${NO_ROLES}) LIMIT ${FEW_MEMBERSHIPS}) ${few} WHERE ${isManaged}), false)`;
}

/** A limit of new members. */
interface Limit {
  readonly counter: CountedWindow;
  readonly most: Value;
  /** The ruling beyond it. */
  readonly refusal: "too_many_invitations" | "too_many_additions";
  /** The arguments of the counters. */
  readonly declared: Declared;
  /** Counts a preview of this addition, which the counter includes, until the member is added. */
  readonly previewed: CountedWindow;
}

function limitOf(limit: Omit<Limit, "previewed">): Limit {
  const { scope, key } = limit.counter;
  return {
    ...limit,
    declared: { ...limit.declared, roleId: int, addressKey: text },
    previewed: {
      scope: THROTTLE_SCOPES.memberPreviewed,
      key: sql`${quoted(scope)} || ' ' || ${key} || ' ' || ${given.roleId} || ' ' || ${addressKey}`,
      windowSeconds: DAY_SECONDS,
    },
  };
}

function invitationLimit(budget: Budget, declared: Declared): Limit {
  return limitOf({ counter: budget, most: budget.most, refusal: "too_many_invitations", declared });
}

/** A preview has counted this addition. */
function isCountedAlready({ previewed }: Limit): SQL {
  return sql`${counterValue(previewed, "count")} > 0`;
}

/** Who adds or changes a member. */
interface Giver {
  /** CTEs after `asked` that end with `granting`: the membership, or what two of them both give; see `covering`. */
  readonly granting: SQL;
  readonly limits: readonly Limit[];
}

const GRANTING_OF_USER = sql`granting AS MATERIALIZED (${
  covering(actorId, (acting) => sql`${memberIsAwake(acting)} AND ${ACTOR_IS_USER}`)
})`;
const USER: Giver = {
  granting: GRANTING_OF_USER,
  limits: [invitationLimit(INVITATIONS_OF_CALLER, { actorId: int })],
};
const ADDITIONS = limitOf({
  counter: PROVISIONED,
  most: provisionPerDay,
  refusal: "too_many_additions",
  declared: { actorId: int },
});
const KEY: Giver = { granting: grantingOfKey(covering), limits: [ADDITIONS] };
const INVITING_KEY: Giver = {
  ...KEY,
  limits: [ADDITIONS, invitationLimit(BY_MAKER, { actorId: int })],
};

/** People whom the actor sees in a list of access count to no invitations. */
function exempts({ refusal }: Limit): boolean {
  return refusal === "too_many_invitations";
}

function refuse(limit: Limit): SQL {
  const { counter, most, refusal } = limit;
  return sql`WHEN ${exempts(limit) ? sql`NOT is_listed AND ` : sql``}${
    counterValue(counter, "count")
  } >= ${most} AND NOT ${isCountedAlready(limit)}
      THEN ${quoted(refusal)}`;
}

/**
 * Decides. A request that changes nothing is a noop. Only new members cause mail and count to limits, known and unknown
 * addresses alike, but for people whom the actor sees in a list of access. An undo does not count.
 */
function decidePut(run: Run, giver: Giver, undoing?: Undoing): Statement {
  const isNew = sql`decision = 'ok' AND member_id IS NULL`;
  const until = sql`CASE WHEN member_id IS NOT NULL OR ${given.setsEnd} THEN ends_at ELSE latest_end END`;
  const isFirst = sql`most_rights IS NOT NULL AND member_id IS NULL`;
  const limits = undoing === undefined ? giver.limits : [];
  const listed = limits.some(exempts)
    ? sql`CASE WHEN ${isFirst} THEN ${isListed(sql`subject_id`)} ELSE false END`
    : sql`false`;
  return recordChange({
    ...PUT,
    ...(limits.length > 0 && { addressKey: text }),
    ...(limits.includes(ADDITIONS) && PROVISION_LIMIT),
    ...(undoing && RESTORED),
  }, {
    kind: sql`CASE WHEN changes THEN 'member.update' ELSE 'member.add' END`,
    ctes: sql`${askedMember()},
  ${giver.granting}`,
    ruled: sql`SELECT *, CASE
      WHEN most_rights IS NULL THEN 'denied'
      WHEN member_id IS NOT NULL AND NOT changes THEN 'noop'
      WHEN ${UNKEEPS_ROOT} AND ${KEEPS_ROOT_ALONE} THEN 'root_without_manager'
      WHEN ${NARROWS_ANOTHER} AND ${KEEPS_ROOT_ALONE} THEN 'denied'
      WHEN changes THEN 'ok'
      ${join(limits.map(refuse), " ")}
      WHEN subject_id IS NULL AND ${IS_RESERVED} THEN 'denied'
      ELSE 'ok' END AS ruling
    FROM (SELECT *, ${listed} AS is_listed FROM asked LEFT JOIN granting ON true)`,
    via: sql`oldest_role_id`,
    charged: {
      by: managesMembers,
      // An end can be moved earlier a million times, so only the first one is free.
      takesAway: sql`changes AND NOT widens AND (rights <> old_rights OR old_ends_at IS NULL)`,
    },
    values: {
      roleId: given.roleId,
      relationId: sql`CASE WHEN ${isNew} THEN ${
        undoing ? restoredId : nextId("relation", run)
      } ELSE member_id END`,
      // Refusals are merged by this column, so a row of its own would reveal an account that the caller does not know.
      subjectId: sql`CASE WHEN decision IN ('ok', 'noop') OR member_id IS NOT NULL THEN subject_id END`,
      oldRights: sql`old_rights`,
      newRights: sql`coalesce(rights, most_rights)`,
      // The row of an earlier membership, which has ended, is replaced.
      deletedRelationIds:
        sql`CASE WHEN decision = 'ok' AND ended_id IS NOT NULL THEN json_array(ended_id) END`,
      ...(run === "preview" && { cost: COST_OF_MEMBERSHIP }),
      details: sql`CASE WHEN decision IN ('ok', 'noop')
      THEN json_object('oldUntil', old_ends_at, 'until', ${until}, 'listed', is_listed) END`,
    },
    effect: sql`CASE WHEN decision <> 'ok' THEN 'none' WHEN changes THEN 'update' ELSE 'write' END`,
    undoing,
  }, run);
}

const { invited, inviter, inviting } = rowsOf({
  invited: userAccount,
  inviter: userAccount,
  inviting: roleKey,
});
/** The user who adds the member, or who made the key that does. */
const INVITER = sql`iif(${changeLog.actorId} > 0, ${changeLog.actorId},
        (SELECT ${inviting.createdBy} FROM ${inviting} WHERE ${inviting.id} = -${changeLog.actorId}))`;
/** A new account speaks the language of the mail, which by default is the inviter's. */
const NEW_LANGUAGE = sql`coalesce(${mailLanguage},
      (SELECT ${inviter.language} FROM ${inviter} WHERE ${inviter.id} = ${INVITER}), 'en')`;
const INSERT_ACCOUNT = insertUser({ opId: text, mailLanguage: nullable(text) }, {
  language: NEW_LANGUAGE,
  source: sql`FROM ${changeLog} WHERE ${whenEffect("write")} AND ${changeLog.subjectId} IS NULL`,
});

const NOTE_SUBJECT = define({ opId: text, email: text }, ({ email }) => {
  const subject = sql`(SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${email})`;
  return sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { subjectId: subject })}
  WHERE ${whenEffect("write")}`;
});

const DELETE_ENDED = define({ opId: text }, () => {
  const ended = sql`SELECT ${changeLog.deletedRelationIds} ->> 0
    FROM ${changeLog} WHERE ${whenEffect("write")}`;
  return sql`
  DELETE FROM ${member} WHERE ${member.id} = (${ended})`;
});

/** The end of the membership that the change log row tells of. */
const UNTIL = sql`${changeLog.details} ->> 'until'`;

const INSERT_MEMBER = define({ opId: text }, () => {
  const { relationId: id, roleId, subjectId: userId, newRights: rights } = changeLog;
  // An undo makes a membership again that has a history.
  const past = row(memberHistory, "past");
  const former = sql`(SELECT ${past.chain} FROM ${past} WHERE ${past.memberId} = ${id} LIMIT 1)`;
  const chain = sql`coalesce(${former}, ${CHAIN_OF_BROUGHT})`;
  const { names, values } = inserted(member, { id, roleId, userId, rights, endsAt: UNTIL, ...GIVEN, chain });
  return sql`
  INSERT INTO ${member} (${names}) SELECT ${values} FROM ${changeLog} WHERE ${whenEffect("write")}`;
});

const UPDATE_MEMBER = define({ opId: text }, () => {
  const { newRights, relationId } = changeLog;
  const updated = sql`FROM ${changeLog} WHERE ${whenEffect("update")}`;
  return sql`
  UPDATE ${member} SET (${bare(member.rights, member.endsAt)}) = (SELECT ${newRights}, ${UNTIL} ${updated})
  WHERE ${member.id} = (SELECT ${relationId} ${updated})`;
});

const IS_UNLISTED = sql`NOT ${changeLog.details} ->> 'listed'`;

/** The row of this operation adds a member who counts to the limit, or previews that. */
function isCountedTo(limit: Limit, condition: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM ${changeLog} WHERE ${condition}${
    exempts(limit) ? sql` AND ${IS_UNLISTED}` : sql``
  })`;
}

/** Counts a new member, unless a preview has: then the next addition counts again. */
function count(limit: Limit): readonly Statement[] {
  const declared = { opId: text, ...limit.declared };
  const isCounted = isCountedTo(limit, sql`${whenEffect("write")} AND NOT ${isCountedAlready(limit)}`);
  return [
    countInWindow(declared, limit.counter, isCounted),
    forgetCounters(declared, [limit.previewed], INVITED),
  ];
}

/** Previews of new members count, so that they cannot exceed the limit; those of one address in a role count once. */
function countPreviewed(limit: Limit): readonly Statement[] {
  const declared = { opId: text, ...limit.declared };
  const isCounted = isCountedTo(
    limit,
    sql`${changeLog.opId} = ${opId} AND ${changeLog.decision} = 'ok'
    AND ${changeLog.oldRights} IS NULL AND NOT ${isCountedAlready(limit)}`,
  );
  return [limit.counter, limit.previewed].map((counter) => countInWindow(declared, counter, isCounted));
}

/** An account without a password gets a link to set one. Any other account only gets a notice. */
const INSERT_LINK = insertPasswordLink({ opId: text, addressKey: text, linkExpiresAt: int }, {
  purpose: "invitation",
  user: invited.id,
  expiresAt: linkExpiresAt,
  source: sql`FROM ${changeLog} CROSS JOIN ${invited} ON ${invited.id} = ${changeLog.subjectId}
    WHERE ${whenEffect("write")} AND ${invited.passwordHash} IS NULL AND ${MAY_MAIL}`,
});

const QUEUE_MAIL = queueMail(MAIL, {
  id: mailId,
  template: {
    when: sql`${invited.passwordHash} IS NULL`,
    then: "invitation",
    otherwise: "member_added",
  },
  language: sql`coalesce(${mailLanguage}, ${invited.language})`,
  brand,
  recipient: invited.email,
  roleName: role.name,
  actorEmail: inviter.email,
  sealedParams: sql`CASE WHEN ${invited.passwordHash} IS NULL THEN ${sealedParams} END`,
  expiresAt: linkExpiresAt,
  source: sql`FROM ${changeLog} CROSS JOIN ${invited} ON ${invited.id} = ${changeLog.subjectId}
      CROSS JOIN ${role} ON ${role.id} = ${changeLog.roleId}
      LEFT JOIN ${inviter} ON ${inviter.id} = ${INVITER}
    WHERE ${whenEffect("write")} AND ${MAY_MAIL}`,
});

const COUNT_TO_ADDRESS = countInWindow(
  { opId: text, addressKey: text },
  TO_ADDRESS,
  sql`${INVITED} AND ${MAY_MAIL}`,
);

/** How a caller reads their change back. */
interface Reader {
  /** Selects the seconds until the limit that refused the change has room. */
  readonly retryAfter: SQL;
  /** The arguments of that. */
  readonly declared: Declared;
}
const BY_USER: Reader = { retryAfter: secondsLeft(INVITATIONS_OF_CALLER), declared: { actorId: int } };
const BY_KEY: Reader = {
  retryAfter: sql`CASE ${changeLog.decision} WHEN 'too_many_additions' THEN ${secondsLeft(PROVISIONED)}
      ELSE ${secondsLeft(BY_MAKER)} END`,
  declared: { actorId: int },
};

function readPut({ retryAfter, declared }: Reader): Statement {
  const { decision, cost, relationId, roleId, subjectId, newRights } = changeLog;
  return define({ opId: text, now: int, ...declared }, () =>
    sql`
  SELECT ${decision}, ${cost}, ${REVISION_COLUMN}, ${relationId} AS id,
    ${roleId} AS roleId, ${userAccount.email} AS userEmail, ${newRights} AS rights,
    ${UNTIL} AS endsAt, ${retryAfter} AS retryAfterSeconds
  FROM ${changeLog} LEFT JOIN ${userAccount} ON ${userAccount.id} = ${subjectId}
  WHERE ${changeLog.opId} = ${opId}`);
}

/** Returns the same for known and unknown addresses. */
function readPreviewed({ retryAfter, declared }: Reader): Statement {
  const { decision, cost, relationId, roleId, newRights, oldRights, subjectId } = changeLog;
  return define({ opId: text, email: text, now: int, ...declared }, () =>
    sql`
  SELECT ${decision}, ${cost}, ${REVISION_COLUMN}, ${relationId} AS id, ${roleId} AS roleId, ${given.email} AS userEmail,
    ${newRights} AS rights, ${UNTIL} AS endsAt, ${retryAfter} AS retryAfterSeconds,
    ${oldRights} AS oldRights, ${subjectId} AS subjectId
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);
}

const MAKE_MEMBER: readonly Statement[] = [
  INSERT_ACCOUNT,
  NOTE_SUBJECT,
  TAKE_RELATION_ID,
  DELETE_ENDED,
  INSERT_MEMBER,
  UPDATE_MEMBER,
];
const INVITE: readonly Statement[] = [INSERT_LINK, QUEUE_MAIL, COUNT_TO_ADDRESS];

/**
 * Returns the batches that make the owner of an address a member of a role, with an account as needed, or change the
 * rights and the end of their membership. Their last statement returns a `PutMemberRow`.
 */
function putMemberBatches(giver: Giver, reader: Reader, mails: readonly Statement[]): Previewable {
  const { limits } = giver;
  return previewable({
    make: [
      decidePut("change", giver),
      ...limits.flatMap(count),
      ...MAKE_MEMBER,
      ...mails,
      chargeChange(),
      readPut(reader),
    ],
    preview: [
      decidePut("preview", giver),
      ...limits.flatMap(countPreviewed),
      readPreviewed(reader),
    ],
  });
}

/** A user adds or changes a member. New members get a mail. */
export const PUT_MEMBER: Previewable = putMemberBatches(USER, BY_USER, INVITE);

/** A key that provisions adds or changes a member. No mail is sent. */
export const PROVISION_MEMBER: Previewable = putMemberBatches(KEY, BY_KEY, []);

/** The same, with a mail to a new member, which counts to the invitations of the key's maker. */
export const PROVISION_AND_INVITE: Previewable = putMemberBatches(INVITING_KEY, BY_KEY, INVITE);

/**
 * Makes a removed membership again under its id, given by the actor, or gives one its former rights and end, without a
 * mail and without counting it as an invitation. The last statement returns a `PutMemberRow`.
 */
export function undoMemberBatches(undoing: Undoing): Previewable {
  return previewable({
    make: [
      decidePut("change", USER, undoing),
      DELETE_ENDED,
      INSERT_MEMBER,
      UPDATE_MEMBER,
      chargeChange(),
      readPut(BY_USER),
    ],
    preview: [decidePut("preview", USER, undoing), readPreviewed(BY_USER)],
  });
}
