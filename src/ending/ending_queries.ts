import { SECOND_MS } from "../core/clock.ts";
import { REVISION_COLUMN } from "../db/revisions.ts";
import { userAccount } from "../db/schema/identity.ts";
import {
  changeLog,
  deletedKey,
  manages,
  member,
  memberHistory,
  role,
  roleClosure,
  roleKey,
} from "../db/schema/role.ts";
import {
  assigned,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
  type ValuesBy,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { type Previewable, previewable, recordChange } from "../changes/change_queries.ts";
import { chargeChange } from "../changes/charge_queries.ts";
import {
  fromEitherSide,
  isVisible,
  someAuthorizingRole,
  someRoleAbove,
  startsFromMemberships,
} from "../graph/rules/guard_queries.ts";
import { areTooManyAbove } from "../graph/rules/price_queries.ts";
import {
  ACTOR_IS_USER,
  LACKS_SUDO,
  ONE_ROW,
  PRINCIPAL,
  PRINCIPAL_LIVES,
} from "../graph/rules/principal_queries.ts";
import { type Acting, holds, holdsIndirectly, managesMembersOf } from "../graph/rules/rule_queries.ts";
import { keepsRoot } from "../role/member/keeper_queries.ts";
import {
  eachNoted,
  IS_SEARCHED,
  ITEM,
  JUDGED_RELATIONS,
  NOTE_FOLLOWED,
  NOTE_FOUND,
  NOTE_LOST,
  NOTE_RELATIONS,
  noted,
  PERSON,
  SEARCHED,
} from "./found_queries.ts";
import { type Run, whenStep } from "../graph/step_queries.ts";

/**
 * Ends the access of a person at and below a role: memberships, the keys they made, and the passwords they set; with
 * `granted` also what they gave, in the trash, too. The row of the decision lists what ends, and bars the person from
 * every restore at and below the role; each thing that ends has a row of its own.
 */

/** Maximum number of things that end at once. */
export const MOST_ENDED = 1000;

/** Maximum number of relations in a response. */
export const LISTED_RELATIONS = 100;

const END = {
  roleId: int,
  userId: nullable(int),
  email: nullable(text),
  isPreview: int,
  sudoVersion: nullable(int),
};
const { roleId, userId, email, isPreview, actorId, opId } = placeholdersOf({
  ...PRINCIPAL,
  ...END,
  opId: text,
});

/** The account that the request names. */
export const NAMED_ACCOUNT: SQL = sql`coalesce(${userId},
    (SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${email}))`;

function managesMembers(acting: Acting): SQL {
  return managesMembersOf(acting, roleId);
}

/** What statements that judge take. */
const JUDGE = { opId: text, actorId: int, sessionId: text, now: int };

/** Selects the oldest role by which the actor meets a rule about the role of `place`, or null. */
function oldestMeeting(meets: (acting: Acting, on: SQL) => SQL): SQL {
  const on = sql`place.role_id`;
  return fromEitherSide(
    on,
    (memberships, acting) =>
      sql`(SELECT min(${acting.roleId}) FROM ${memberships} WHERE ${meets(acting, on)})`,
    startsFromMemberships(on),
  );
}

/**
 * Decides whether the actor may end anything, and whom the request names. Later statements find the things. Known and
 * unknown people are alike: each request that is permitted has a row, and the roles at and below count as its cost.
 */
function decide(run: Run): Statement {
  const below = row(roleClosure, "below");
  const size = sql`(SELECT count(*) FROM (SELECT 1 FROM ${below} WHERE ${below.ancestorId} = ${roleId}
      LIMIT ${SEARCHED})) + 1`;
  const wait = run === "preview" ? sql`0` : sql`coalesce(wait_ms, 0)`;
  return recordChange(END, {
    kind: sql`'access.end'`,
    ctes: sql`requested AS MATERIALIZED (SELECT CASE
        WHEN NOT ${isPreview} AND ${LACKS_SUDO} THEN 'proof_required'
        WHEN ${ACTOR_IS_USER} AND ${someAuthorizingRole(managesMembers)} THEN 'ok'
        ELSE 'denied' END AS ruling FROM ${ONE_ROW} WHERE ${PRINCIPAL_LIVES})`,
    ruled: sql`SELECT ruling, CASE ruling WHEN 'ok' THEN ${NAMED_ACCOUNT} END AS subject_id,
      CASE ruling WHEN 'ok' THEN ${size} END AS searched_roles FROM requested`,
    // A full bucket refuses only a request that ends nothing; see `REFUSE`.
    charged: { by: managesMembers, takesAway: sql`true` },
    values: {
      roleId,
      subjectId: sql`CASE WHEN decision = 'ok' AND subject_id <> ${actorId} THEN subject_id END`,
      cost: sql`searched_roles`,
      details: sql`CASE decision WHEN 'ok' THEN json_object(
        'person', iif(subject_id = ${actorId}, 0, coalesce(subject_id, 0)),
        'isLarge', searched_roles > ${SEARCHED}, 'wait', ${wait}) END`,
    },
    previewStep: sql`'write'`,
  }, run);
}

/**
 * Notes what ends, of what was found: `members`, the memberships and keys, as [id, role, user, via, rights, end];
 * `trashed`, the same of memberships in deleted roles, by the rights on the role that stands for each; `passwords`, as [role, via, through, rights]; and `things`, their number. Judges each role once, and nothing if there
 * is too much to judge. Notes as `known` the first role by which readers of the log may learn who the person is: of a
 * membership of theirs that ends, or through which they made what ends.
 */
const NOTE_ENDING: Statement = define(JUDGE, () => {
  const { held, secured, lying, latest } = rowsOf({
    held: member,
    secured: role,
    lying: memberHistory,
    latest: memberHistory,
  });
  const isPassword = sql`place.role_id IN (SELECT value FROM ${eachNoted(sql`'$.set'`)})`;
  const [byMembers, byPassword, through] = [
    oldestMeeting(managesMembersOf),
    oldestMeeting((acting, on) => holds(acting, "roleManagement", on)),
    oldestMeeting((acting, on) => holdsIndirectly(acting, "roleManagement", on)),
  ];
  return sql`
  WITH place(role_id) AS MATERIALIZED (SELECT ${ITEM[1]} FROM ${eachNoted(sql`'$.living'`)}
    UNION SELECT item.value FROM ${eachNoted(sql`'$.set'`)}
    UNION SELECT ${ITEM[1]} FROM ${eachNoted(sql`'$.inTrash'`)}),
  extent(is_cut) AS MATERIALIZED (SELECT ${areTooManyAbove(sql`place`)}),
  judged(role_id, via, password_via, through) AS MATERIALIZED (
    SELECT place.role_id, ${byMembers}, CASE WHEN ${isPassword} THEN ${byPassword} END,
      CASE WHEN ${isPassword} THEN coalesce(${through}, place.role_id) END
    FROM place WHERE NOT (SELECT is_cut FROM extent)),
  ending AS MATERIALIZED (SELECT json_array(${held.id}, ${held.roleId}, ${held.userId}, judged.via,
      ${held.rights}, ${held.endsAt}) AS text
    FROM ${eachNoted(sql`'$.living'`)} CROSS JOIN judged ON judged.role_id = ${ITEM[1]}
    CROSS JOIN ${held} ON ${held.id} = ${ITEM[0]}
    WHERE judged.via IS NOT NULL ORDER BY ${ITEM[0]}),
  ending_in_trash AS MATERIALIZED (SELECT json_array(${lying.memberId}, ${lying.roleId}, ${lying.userId}, judged.via,
      ${lying.rights}, ${lying.endsAt}) AS text
    FROM ${eachNoted(sql`'$.inTrash'`)} CROSS JOIN judged ON judged.role_id = ${ITEM[1]}
    CROSS JOIN ${lying} ON ${lying.memberId} = ${ITEM[0]}
      AND ${lying.toRev} = (SELECT max(${latest.toRev}) FROM ${latest} WHERE ${latest.memberId} = ${ITEM[0]})
    WHERE judged.via IS NOT NULL ORDER BY ${ITEM[0]}),
  ending_password AS MATERIALIZED (SELECT json_array(role_id, password_via, through,
      coalesce(${secured.passwordRights}, 0)) AS text
    FROM judged CROSS JOIN ${secured} ON ${secured.id} = judged.role_id
    WHERE password_via IS NOT NULL ORDER BY role_id),
  known(role_id) AS MATERIALIZED (
    SELECT CASE ${held.userId} WHEN ${PERSON} THEN ${held.roleId} ELSE ${held.givenVia} END
      FROM ${eachNoted(sql`'$.living'`)} CROSS JOIN judged ON judged.role_id = ${
    ITEM[1]
  } AND judged.via IS NOT NULL
      CROSS JOIN ${held} ON ${held.id} = ${ITEM[0]}
      WHERE ${held.userId} = ${PERSON} OR ${held.userId} < 0 AND ${held.givenBy} = ${PERSON}
    UNION ALL SELECT ${secured.passwordSetVia} FROM judged CROSS JOIN ${secured} ON ${secured.id} = judged.role_id
      WHERE password_via IS NOT NULL AND ${secured.passwordSetBy} = ${PERSON})
  UPDATE ${changeLog} SET details = json_set(${changeLog.details},
    '$.members', json((SELECT json_group_array(json(text)) FROM ending)),
    '$.trashed', json((SELECT json_group_array(json(text)) FROM ending_in_trash)),
    '$.passwords', json((SELECT json_group_array(json(text)) FROM ending_password)),
    '$.known', (SELECT min(role_id) FROM known),
    '$.isCut', (SELECT is_cut FROM extent),
    '$.things', iif((SELECT is_cut FROM extent), ${changeLog.details} ->> '$.things',
      (SELECT count(*) FROM ending) + (SELECT count(*) FROM ending_in_trash) + (SELECT count(*) FROM ending_password)))
  WHERE ${IS_SEARCHED}`;
});

/** Notes `relations`: those of `made` on whose parent or child the caller has roleManagement. */
const NOTE_LISTED: Statement = define(JUDGE, () => {
  const shown = row(manages, "shown");
  const isManaged = someRoleAbove(
    sql`place.role_id`,
    (acting) => holds(acting, "roleManagement", sql`place.role_id`),
  );
  return sql`
  WITH place(role_id) AS MATERIALIZED (
    SELECT ${shown.childId} FROM ${eachNoted(sql`'$.made'`)} CROSS JOIN ${shown} ON ${shown.id} = item.value
    UNION SELECT ${shown.parentId} FROM ${
    eachNoted(sql`'$.made'`)
  } CROSS JOIN ${shown} ON ${shown.id} = item.value),
  managed(role_id) AS MATERIALIZED (SELECT role_id FROM place
    WHERE CASE WHEN ${areTooManyAbove(sql`place`)} THEN false ELSE ${isManaged} END)
  UPDATE ${changeLog} SET details = json_set(${changeLog.details}, '$.relations', json((
    SELECT json_group_array(id) FROM (SELECT ${shown.id} FROM ${eachNoted(sql`'$.made'`)}
      CROSS JOIN ${shown} ON ${shown.id} = item.value
      WHERE ${shown.childId} IN (SELECT role_id FROM managed) OR ${shown.parentId} IN (SELECT role_id FROM managed)
      ORDER BY ${shown.id} LIMIT ${LISTED_RELATIONS + 1}))),
    '$.more', ${changeLog.details} ->> '$.more' OR json_array_length(${changeLog.details}, '$.made') > ${JUDGED_RELATIONS} OR ${
    areTooManyAbove(sql`place`)
  })
  WHERE ${IS_SEARCHED}`;
});

/** A root would lose its last member who keeps it. */
function leavesRootAlone(): SQL {
  const { keeper, root, other } = rowsOf({ keeper: member, root: role, other: member });
  return sql`EXISTS (SELECT 1 FROM (SELECT DISTINCT ${keeper.roleId} AS role_id FROM ${
    eachNoted(sql`'$.members'`)
  }
      CROSS JOIN ${keeper} ON ${keeper.id} = ${ITEM[0]}
      CROSS JOIN ${root} ON ${root.id} = ${keeper.roleId} AND ${root.isRoot}
      WHERE ${keepsRoot(keeper)}) at_stake
    WHERE NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other.roleId} = at_stake.role_id AND ${keepsRoot(other)}
      AND ${other.id} NOT IN (SELECT ${ITEM[0]} FROM ${eachNoted(sql`'$.members'`)})))`;
}

/**
 * Turns an `ok` into a refusal if too much would end, or a root would be left alone, or nothing ends and the bucket is
 * full. Leaves only what the row should tell.
 */
function refuse(run: Run): Statement {
  const things = noted(sql`'$.things'`);
  const refusal = sql`SELECT CASE
      WHEN ${noted(sql`'$.isCut'`)} OR ${things} > ${MOST_ENDED} THEN 'too_much_to_end'
      WHEN ${leavesRootAlone()} THEN 'root_without_member'
      WHEN ${things} = 0 AND ${noted(sql`'$.wait'`)} > 0 THEN 'too_much_stored' END`;
  const kept =
    sql`json_remove(${changeLog.details}, '$.person', '$.isLarge', '$.wait', '$.lost', '$.followed', '$.living', '$.inTrash', '$.set',
      '$.made', '$.isCut', '$.things')`;
  return define({ opId: text }, () =>
    sql`
  WITH refused(decision) AS MATERIALIZED (${refusal})
  UPDATE ${changeLog} SET ${
      assigned(changeLog, {
        decision: sql`coalesce((SELECT decision FROM refused), ${changeLog.decision})`,
        step: run === "preview"
          ? sql`'none'`
          : sql`iif((SELECT decision FROM refused) IS NULL, ${changeLog.step}, 'none')`,
        cost: sql`CASE (SELECT decision FROM refused)
      WHEN 'too_much_stored' THEN ${noted(sql`'$.wait'`)} / ${SECOND_MS}.0
      WHEN 'too_much_to_end' THEN ${things} ELSE ${changeLog.cost} + ${things} END`,
        details: sql`CASE WHEN (SELECT decision FROM refused) IS NULL THEN ${kept} END`,
      })
    }
  WHERE ${whenStep("write")}`);
}

/** The row of the decision. */
const head = row(changeLog, "head");
const IS_MADE = sql`${head.opId} = ${opId} AND ${head.decision} = 'ok' AND ${head.step} = 'write'`;
/** Sources for FROM: the row of the decision, with each `item` of one of its lists. */
const EACH_MEMBER = sql`${head} CROSS JOIN json_each(${head.details}, '$.members') item`;
const EACH_TRASHED = sql`${head} CROSS JOIN json_each(${head.details}, '$.trashed') item`;
const EACH_PASSWORD = sql`${head} CROSS JOIN json_each(${head.details}, '$.passwords') item`;
const [FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH] = ITEM;

/** The common columns of the rows of things that end. */
const OF_HEAD: ValuesBy<typeof changeLog> = {
  at: head.at,
  actorId: head.actorId,
  sessionId: head.sessionId,
  decision: sql`'ok'`,
  step: sql`'write'`,
};

const RECORD_MEMBERS = define({ opId: text }, () => {
  const { gone, key } = rowsOf({ gone: member, key: roleKey });
  const { names, values } = inserted(changeLog, {
    ...OF_HEAD,
    opId: sql`${head.opId} || ' ' || ${FIRST}`,
    kind: sql`CASE WHEN ${key.id} IS NULL THEN 'member.remove' ELSE 'key.delete' END`,
    roleId: SECOND,
    relationId: FIRST,
    subjectId: THIRD,
    viaRoleId: FOURTH,
    oldRights: gone.rights,
    details: sql`CASE WHEN ${key.id} IS NULL THEN json_object('oldUntil', ${gone.endsAt}, 'endsAccess', true)
      ELSE json_object('name', ${key.name}) END`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names})
  SELECT ${values} FROM ${EACH_MEMBER} CROSS JOIN ${gone} ON ${gone.id} = ${FIRST}
    LEFT JOIN ${key} ON ${key.id} = ${FIRST} WHERE ${IS_MADE} ORDER BY item.key`;
});

/** These rows are what the undo of the deletion looks up: the deleted role stays as it is, in history. */
const RECORD_TRASHED = define({ opId: text }, () => {
  const { names, values } = inserted(changeLog, {
    ...OF_HEAD,
    opId: sql`${head.opId} || ' ' || ${FIRST}`,
    kind: sql`'access.end'`,
    roleId: SECOND,
    relationId: FIRST,
    subjectId: THIRD,
    viaRoleId: FOURTH,
    oldRights: FIFTH,
    details: sql`json_object('known', ${SECOND})`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names})
  SELECT ${values} FROM ${EACH_TRASHED} WHERE ${IS_MADE} ORDER BY item.key`;
});

const RECORD_PASSWORDS = define({ opId: text }, () => {
  const shown = row(role, "shown");
  const { names, values } = inserted(changeLog, {
    ...OF_HEAD,
    opId: sql`${head.opId} || ' password ' || ${FIRST}`,
    kind: sql`'role.password_removed'`,
    parentId: THIRD,
    roleId: FIRST,
    viaRoleId: SECOND,
    oldRights: shown.passwordRights,
  });
  return sql`
  INSERT INTO ${changeLog} (${names})
  SELECT ${values} FROM ${EACH_PASSWORD} CROSS JOIN ${shown} ON ${shown.id} = ${FIRST}
  WHERE ${IS_MADE} ORDER BY item.key`;
});

const ENDED_IDS = sql`(SELECT ${FIRST} FROM ${EACH_MEMBER} WHERE ${IS_MADE})`;
const DELETE_MEMBERS = define(
  { opId: text },
  () => sql`DELETE FROM ${member} WHERE ${member.id} IN ${ENDED_IDS}`,
);
const DELETE_KEYS = define(
  { opId: text },
  () => sql`DELETE FROM ${roleKey} WHERE ${roleKey.id} IN ${ENDED_IDS}`,
);
const REMOVE_PASSWORDS = define({ opId: text }, () => {
  const none = sql`NULL`;
  const removed = assigned(role, {
    passwordHash: none,
    passwordRights: none,
    passwordSetBy: none,
    passwordSetAt: none,
    passwordSetVia: none,
  });
  return sql`UPDATE ${role} SET ${removed}
  WHERE ${role.id} IN (SELECT ${FIRST} FROM ${EACH_PASSWORD} WHERE ${IS_MADE})`;
});

/** Returns an `EndedRow`. The names of keys are those of their tombstones once they are deleted. */
const READ = define(JUDGE, () => {
  const { person, key, tomb, stays } = rowsOf({
    person: userAccount,
    key: roleKey,
    tomb: deletedKey,
    stays: manages,
  });
  return sql`
  SELECT ${head.decision}, ${head.cost}, ${REVISION_COLUMN},
    (SELECT json_group_array(json_object('id', ${FIRST}, 'roleId', ${SECOND}, 'userId', ${THIRD},
        'userEmail', (SELECT ${person.email} FROM ${person} WHERE ${person.id} = ${THIRD}),
        'rights', ${FIFTH}, 'endsAt', ${SIXTH}, 'inTrash', list.key = 'trashed', 'name', coalesce((SELECT ${key.name} FROM ${key} WHERE ${key.id} = ${FIRST}),
          (SELECT ${tomb.name} FROM ${tomb} WHERE ${tomb.id} = ${FIRST}))))
      FROM json_each(${head.details}) list CROSS JOIN json_each(list.value) item
      WHERE list.key IN ('members', 'trashed')) AS members,
    (SELECT json_group_array(json_object('roleId', ${FIRST}, 'rights', ${FOURTH}))
      FROM json_each(${head.details}, '$.passwords') item) AS passwords,
    (SELECT json_group_array(json_object('id', ${stays.id},
        'parentRoleId', CASE WHEN ${isVisible(stays.parentId)} THEN ${stays.parentId} END,
        'childRoleId', ${stays.childId}, 'rights', ${stays.rights}))
      FROM json_each(${head.details}, '$.relations') item CROSS JOIN ${stays} ON ${stays.id} = item.value) AS relations,
    ${head.details} ->> '$.more' AS more
  FROM ${head} WHERE ${head.opId} = ${opId}`;
});

/** Finds and judges what would end, and lists the relations that stay. */
function judge(run: Run): readonly Statement[] {
  return [
    decide(run),
    NOTE_LOST,
    NOTE_FOLLOWED,
    NOTE_FOUND,
    NOTE_ENDING,
    NOTE_RELATIONS,
    NOTE_LISTED,
    refuse(run),
  ];
}

/** Ends access; see above. The last statement returns an `EndedRow`. `isPreview` waives the proof. */
export const END_ACCESS: Previewable = previewable({
  make: [
    ...judge("change"),
    RECORD_MEMBERS,
    RECORD_TRASHED,
    RECORD_PASSWORDS,
    DELETE_MEMBERS,
    DELETE_KEYS,
    REMOVE_PASSWORDS,
    chargeChange(),
    READ,
  ],
  preview: [...judge("preview"), READ],
});
