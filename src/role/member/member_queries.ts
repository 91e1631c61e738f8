import { SECOND_MS } from "../../core/clock.ts";
import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { changeLog, member, memberHistory, role, roleKey } from "../../db/schema/role.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
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
import { onSteps, type Statement } from "../../db/statement.ts";
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
import { CHAIN_OF_BROUGHT } from "../../changes/chain_queries.ts";
import {
  CHANGE,
  GIVEN,
  nextId,
  type Previewable,
  previewable,
  TAKE_RELATION_ID,
  undoes,
} from "../../changes/change_queries.ts";
import { chargeChange } from "../../changes/charge_queries.ts";
import { CHARGED_BY, type Command, recordCommand, said, type Undone } from "../../changes/command.ts";
import type { FactSet } from "../../changes/facts.ts";
import { PROVISION, PROVISION_AND_INVITE, PUT, undoOfMemberChange } from "./member_facts.ts";
import { COST_OF_MEMBERSHIP } from "../../changes/preview/effect_queries.ts";
import { MAKER_KEY, PROVISION_LIMIT, PROVISIONED, provisionPerDay } from "./provision_queries.ts";
import { insertMemberships } from "../../changes/insertion_queries.ts";
import { type Run, stepFor, whenStep } from "../../graph/step_queries.ts";

const { email, roleId } = placeholdersOf({ email: text, roleId: int });
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
const INVITED = sql`EXISTS (SELECT 1 FROM ${changeLog} WHERE ${whenStep("write")})`;
const MAY_MAIL = sql`${counterValue(TO_ADDRESS, "count")} < ${TO_ADDRESS.most}`;

/** Returns the seconds until the window ends in which events are counted. */
function secondsLeft(counter: Counter): SQL {
  return sql`(${counterValue(counter, "expiresAt")} - ${now}) / ${SECOND_MS}.0`;
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
      key: sql`${quoted(scope)} || ' ' || ${key} || ' ' || ${roleId} || ' ' || ${addressKey}`,
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

const INVITATIONS = invitationLimit(INVITATIONS_OF_CALLER, { actorId: int });
const ADDITIONS = limitOf({
  counter: PROVISIONED,
  most: provisionPerDay,
  refusal: "too_many_additions",
  declared: { actorId: int },
});
/** People whom the actor sees in a list of access count to no invitations. */
function exempts({ refusal }: Limit): boolean {
  return refusal === "too_many_invitations";
}

function refuse(limit: Limit): SQL {
  const { counter, most, refusal } = limit;
  return sql`WHEN ${said("isFirst")}${exempts(limit) ? sql` AND NOT ${said("$.details.listed")}` : sql``}
      AND ${counterValue(counter, "count")} >= ${most} AND NOT ${isCountedAlready(limit)}
      THEN ${quoted(refusal)}`;
}

/**
 * Records what a command decided about a member. Only new members cause mail and count to limits, known and unknown
 * addresses alike, but for people whom the actor sees in a list of access. An undo does not count.
 */
function memberCommand<F extends FactSet>(
  command: Command<F>,
  limits: readonly Limit[],
  run: Run,
): Statement {
  const isUndo = "isRead" in command.facts;
  const isNew = sql`decision = 'ok' AND member_id IS NULL`;
  const isDone = sql`decision IN ('ok', 'noop')`;
  const ruling = limits.length === 0
    ? said("ruling")
    : sql`CASE ${join(limits.map(refuse), " ")} ELSE ${said("ruling")} END`;
  return recordCommand(command, {
    kind: said("kind"),
    ruled: sql`SELECT ${said("memberId")} AS member_id, ${ruling} AS ruling`,
    via: said("via"),
    charged: { by: CHARGED_BY, takesAway: said("takesAway") },
    values: {
      roleId,
      relationId: sql`CASE WHEN ${isNew} THEN ${
        isUndo ? restoredId : nextId("relation", run)
      } ELSE member_id END`,
      // Of a refusal, an account that the caller does not know is not told.
      subjectId: sql`CASE WHEN ${isDone} OR member_id IS NOT NULL THEN ${said("subjectId")} END`,
      oldRights: said("oldRights"),
      newRights: said("newRights"),
      // The row of an earlier membership, which has ended, is replaced.
      deletedRelationIds: sql`CASE WHEN decision = 'ok' AND ${said("endedId")} IS NOT NULL
      THEN json_array(${said("endedId")}) END`,
      ...(run === "preview" && { cost: COST_OF_MEMBERSHIP }),
      details: sql`CASE WHEN ${isDone} THEN ${said("details")} END`,
      ...(isUndo && { undoes }),
    },
    step: sql`CASE decision WHEN 'ok' THEN ${said("step")} ELSE 'none' END`,
  }, {
    roleId: int,
    ...(limits.length > 0 && { addressKey: text }),
    ...(limits.includes(ADDITIONS) && PROVISION_LIMIT),
    ...(isUndo && { undoes: int, ...RESTORED }),
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
  source: sql`FROM ${changeLog} WHERE ${whenStep("write")} AND ${changeLog.subjectId} IS NULL`,
});

const NOTE_SUBJECT = define({ opId: text, email: text }, () => {
  const subject = sql`(SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${email})`;
  return sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { subjectId: subject })}
  WHERE ${whenStep("write")}`;
});

const DELETE_ENDED = stepFor(["write"], () => {
  const ended = sql`SELECT ${changeLog.deletedRelationIds} ->> 0
    FROM ${changeLog} WHERE ${whenStep("write")}`;
  return sql`
  DELETE FROM ${member} WHERE ${member.id} = (${ended})`;
});

/** The end of the membership that the change log row tells of. */
const UNTIL = sql`${changeLog.details} ->> 'until'`;

const INSERT_MEMBER = stepFor(["write"], () => {
  const { relationId: id, roleId, subjectId: userId, newRights: rights } = changeLog;
  // An undo makes a membership again that has a history.
  const past = row(memberHistory, "past");
  const former = sql`(SELECT ${past.chain} FROM ${past} WHERE ${past.memberId} = ${id} LIMIT 1)`;
  const chain = sql`coalesce(${former}, ${CHAIN_OF_BROUGHT})`;
  return insertMemberships(
    { id, roleId, userId, rights, endsAt: UNTIL, ...GIVEN, chain },
    sql`FROM ${changeLog} WHERE ${whenStep("write")}`,
  );
});

const UPDATE_MEMBER = stepFor(["update"], () => {
  const { newRights, relationId } = changeLog;
  const updated = sql`FROM ${changeLog} WHERE ${whenStep("update")}`;
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
  const isCounted = isCountedTo(limit, sql`${whenStep("write")} AND NOT ${isCountedAlready(limit)}`);
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
    WHERE ${whenStep("write")} AND ${invited.passwordHash} IS NULL AND ${MAY_MAIL}`,
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
    WHERE ${whenStep("write")} AND ${MAY_MAIL}`,
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
  SELECT ${decision}, ${cost}, ${REVISION_COLUMN}, ${relationId} AS id, ${roleId} AS roleId, ${email} AS userEmail,
    ${newRights} AS rights, ${UNTIL} AS endsAt, ${retryAfter} AS retryAfterSeconds,
    ${oldRights} AS oldRights, ${subjectId} AS subjectId
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);
}

/** Make an account as needed, and its membership. */
const ADD_MEMBER: readonly Statement[] = [
  INSERT_ACCOUNT,
  NOTE_SUBJECT,
  TAKE_RELATION_ID,
  DELETE_ENDED,
  INSERT_MEMBER,
];
const INVITE: readonly Statement[] = [INSERT_LINK, QUEUE_MAIL, COUNT_TO_ADDRESS];

function forNewMembers(statements: readonly Statement[]): readonly Statement[] {
  return statements.map((statement) => onSteps(["write"], statement));
}

/**
 * Returns the batches that make the owner of an address a member of a role, with an account as needed, or change the
 * rights and the end of their membership. Their last statement returns a `PutMemberRow`.
 */
function putMemberBatches<F extends FactSet>(
  command: Command<F>,
  limits: readonly Limit[],
  reader: Reader,
  mails: readonly Statement[],
): Previewable {
  return previewable({
    make: [
      memberCommand(command, limits, "change"),
      ...forNewMembers([...limits.flatMap(count), ...ADD_MEMBER]),
      UPDATE_MEMBER,
      ...forNewMembers(mails),
      chargeChange(),
      readPut(reader),
    ],
    preview: [
      memberCommand(command, limits, "preview"),
      ...limits.flatMap(countPreviewed),
      readPreviewed(reader),
    ],
  });
}

/** A user adds or changes a member. New members get a mail. */
export const PUT_MEMBER: Previewable = putMemberBatches(PUT, [INVITATIONS], BY_USER, INVITE);

/** A key that provisions adds or changes a member. No mail is sent. */
export const PROVISION_MEMBER: Previewable = putMemberBatches(PROVISION, [ADDITIONS], BY_KEY, []);

/** The same, with a mail to a new member, which counts to the invitations of the key's maker. */
export const PROVISION_AND_INVITE_MEMBER: Previewable = putMemberBatches(
  PROVISION_AND_INVITE,
  [ADDITIONS, invitationLimit(BY_MAKER, { actorId: int })],
  BY_KEY,
  INVITE,
);

/**
 * Makes a removed membership again under its id, given by the actor, or gives one its former rights and end, without a
 * mail and without counting it as an invitation. The last statement returns a `PutMemberRow`.
 */
export function undoMemberBatches(undone: Undone): Previewable {
  const command = undoOfMemberChange(undone);
  return previewable({
    make: [
      memberCommand(command, [], "change"),
      DELETE_ENDED,
      INSERT_MEMBER,
      UPDATE_MEMBER,
      chargeChange(),
      readPut(BY_USER),
    ],
    preview: [memberCommand(command, [], "preview"), readPreviewed(BY_USER)],
  });
}
