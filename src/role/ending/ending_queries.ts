import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { changeLog, deletedKey, member, role, roleKey } from "../../db/schema/role.ts";
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
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import {
  CHARGE_PREVIEW,
  type Previewable,
  previewable,
  recordChange,
  type Run,
} from "../change/change_queries.ts";
import { chargeChange } from "../change/charge_queries.ts";
import { fromEitherSide, someAuthorizingRole, startsFromMemberships } from "../guard/guard_queries.ts";
import { areTooManyAbove } from "../guard/price_queries.ts";
import { ACTOR_IS_USER, LACKS_SUDO, memberLives, ONE_ROW, PRINCIPAL_LIVES } from "../guard/principal_queries.ts";
import { type Acting, holds, holdsIndirectly, managesMembersOf } from "../guard/rule_queries.ts";
import { keepsRoot } from "../member/member_queries.ts";
import { candidates, IS_CUT, NAMED_ACCOUNT, SEARCH, searching } from "./found_queries.ts";

/**
 * Ends the access of a person at and below a role: memberships, the keys they made, and the passwords they set; with
 * `granted` also what they gave. One statement finds and judges all, so that the decision is one. Its row lists what
 * ends, and bars the person from every restore at and below the role; each thing that ends has a row of its own.
 */

/** Maximum number of things that end at once. */
export const MOST_ENDED = 1000;

const END = { ...SEARCH, isPreview: int, sudoVersion: nullable(int) };
const { roleId, actorId, granted, isPreview, opId } = placeholdersOf({ ...END, opId: text });

function managesMembers(acting: Acting): SQL {
  return managesMembersOf(acting, roleId);
}

/** Selects the oldest role by which the actor meets a rule about the role of `place`, or null. */
function oldestMeeting(meets: (acting: Acting, on: SQL) => SQL): SQL {
  const on = sql`place.role_id`;
  return fromEitherSide(
    on,
    (memberships, acting) => sql`(SELECT min(${acting.roleId}) FROM ${memberships} WHERE ${meets(acting, on)})`,
    startsFromMemberships(on),
  );
}

/**
 * CTEs `place`, the roles of what was found; `judged`, how the actor may end things of each; and what ends. Nothing is
 * judged if there is too much to judge.
 */
function judging(): SQL {
  const isPassword = sql`place.role_id IN (SELECT role_id FROM password)`;
  const [byMembers, byPassword, through] = [
    oldestMeeting(managesMembersOf),
    oldestMeeting((acting, on) => holds(acting, "roleManagement", on)),
    oldestMeeting((acting, on) => holdsIndirectly(acting, "roleManagement", on)),
  ];
  return sql`place(role_id) AS MATERIALIZED (SELECT role_id FROM living UNION SELECT role_id FROM password),
  extent(is_cut) AS MATERIALIZED (SELECT ${IS_CUT} OR ${areTooManyAbove(sql`place`)}),
  judged(role_id, via, password_via, through) AS MATERIALIZED (
    SELECT place.role_id, ${byMembers}, CASE WHEN ${isPassword} THEN ${byPassword} END,
      CASE WHEN ${isPassword} THEN coalesce(${through}, place.role_id) END
    FROM place WHERE NOT (SELECT is_cut FROM extent)),
  ending(id, role_id, user_id, via) AS MATERIALIZED (
    SELECT living.id, living.role_id, living.user_id, judged.via FROM living
    CROSS JOIN judged ON judged.role_id = living.role_id WHERE judged.via IS NOT NULL),
  ending_password(role_id, via, through) AS MATERIALIZED (
    SELECT password.role_id, judged.password_via, judged.through FROM password
    CROSS JOIN judged ON judged.role_id = password.role_id WHERE judged.password_via IS NOT NULL)`;
}

/** A root would lose its last member who keeps it. */
function leavesRootAlone(): SQL {
  const { keeper, root, other } = rowsOf({ keeper: member, root: role, other: member });
  return sql`EXISTS (SELECT 1 FROM (SELECT DISTINCT ${keeper.roleId} AS role_id FROM ending
      CROSS JOIN ${keeper} ON ${keeper.id} = ending.id
      CROSS JOIN ${root} ON ${root.id} = ${keeper.roleId} AND ${root.isRoot}
      WHERE ${keepsRoot(keeper)}) at_stake
    WHERE NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other.roleId} = at_stake.role_id AND ${keepsRoot(other)}
      AND ${other.id} NOT IN (SELECT id FROM ending)))`;
}

/**
 * Decides. Known and unknown people are alike: each request that is permitted has a row. What was searched counts as
 * cost, and a full bucket refuses only a request that ends nothing.
 */
function decide(run: Run): Statement {
  const asked = sql`SELECT ${NAMED_ACCOUNT} AS subject_id, is_permitted, lacks_proof,
      is_permitted AND NOT lacks_proof AS goes
    FROM (SELECT ${ACTOR_IS_USER} AND ${someAuthorizingRole(managesMembers)} AS is_permitted,
        NOT ${isPreview} AND ${LACKS_SUDO} AS lacks_proof
      FROM ${ONE_ROW} WHERE ${PRINCIPAL_LIVES})`;
  return recordChange(END, {
    kind: sql`'access.end'`,
    ctes: sql`asked AS MATERIALIZED (${asked}),
  ${searching()},
  ${candidates(memberLives)},
  ${judging()}`,
    ruled: sql`SELECT *, CASE
      WHEN lacks_proof THEN 'proof_required'
      WHEN NOT is_permitted THEN 'denied'
      WHEN is_cut OR things > ${MOST_ENDED} THEN 'too_much_to_end'
      WHEN ${leavesRootAlone()} THEN 'root_without_member'
      ELSE 'ok' END AS ruling
    FROM (SELECT asked.*, extent.is_cut, (SELECT count(*) FROM scope) AS searched_roles,
        CASE WHEN extent.is_cut THEN (SELECT count(*) FROM living) + (SELECT count(*) FROM password)
          ELSE (SELECT count(*) FROM ending) + (SELECT count(*) FROM ending_password) END AS things
      FROM asked CROSS JOIN extent)`,
    charged: { by: managesMembers, takesAway: sql`things > 0` },
    values: {
      roleId,
      subjectId: sql`CASE WHEN decision = 'ok' AND subject_id <> ${actorId} THEN subject_id END`,
      cost: sql`CASE decision WHEN 'ok' THEN searched_roles + things WHEN 'too_much_to_end' THEN things END`,
      details: sql`CASE decision WHEN 'ok' THEN json_object(
        'granted', json(iif(${granted}, 'true', 'false')),
        'members', (SELECT json_group_array(json_array(id, role_id, user_id, via))
          FROM (SELECT * FROM ending ORDER BY id)),
        'passwords', (SELECT json_group_array(json_array(role_id, via, through))
          FROM (SELECT * FROM ending_password ORDER BY role_id))) END`,
    },
  }, run);
}

/** The row of the decision. */
const head = row(changeLog, "head");
const IS_MADE = sql`${head.opId} = ${opId} AND ${head.decision} = 'ok' AND ${head.effect} = 'write'`;
/** Sources for FROM: the row of the decision, with each `item` of one of its lists. */
const EACH_MEMBER = sql`${head} CROSS JOIN json_each(${head.details}, '$.members') item`;
const EACH_PASSWORD = sql`${head} CROSS JOIN json_each(${head.details}, '$.passwords') item`;
const FIRST = sql`(item.value ->> 0)`;
const SECOND = sql`(item.value ->> 1)`;
const THIRD = sql`(item.value ->> 2)`;
const FOURTH = sql`(item.value ->> 3)`;

/** The common columns of the rows of things that end. */
const OF_HEAD: ValuesBy<typeof changeLog> = {
  at: head.at,
  actorId: head.actorId,
  sessionId: head.sessionId,
  decision: sql`'ok'`,
  effect: sql`'write'`,
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
    details: sql`CASE WHEN ${key.id} IS NOT NULL THEN json_object('name', ${key.name}) END`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names})
  SELECT ${values} FROM ${EACH_MEMBER} CROSS JOIN ${gone} ON ${gone.id} = ${FIRST}
    LEFT JOIN ${key} ON ${key.id} = ${FIRST} WHERE ${IS_MADE} ORDER BY item.key`;
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
const DELETE_MEMBERS = define({ opId: text }, () => sql`DELETE FROM ${member} WHERE ${member.id} IN ${ENDED_IDS}`);
const DELETE_KEYS = define({ opId: text }, () => sql`DELETE FROM ${roleKey} WHERE ${roleKey.id} IN ${ENDED_IDS}`);
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
const READ = define({ opId: text }, () => {
  const { person, key, tomb } = rowsOf({ person: userAccount, key: roleKey, tomb: deletedKey });
  return sql`
  SELECT ${head.decision}, ${head.cost}, ${REVISION_COLUMN},
    (SELECT json_group_array(json_object('id', ${FIRST}, 'roleId', ${SECOND}, 'userId', ${THIRD},
        'userEmail', (SELECT ${person.email} FROM ${person} WHERE ${person.id} = ${THIRD}),
        'name', coalesce((SELECT ${key.name} FROM ${key} WHERE ${key.id} = ${FIRST}),
          (SELECT ${tomb.name} FROM ${tomb} WHERE ${tomb.id} = ${FIRST}))))
      FROM json_each(${head.details}, '$.members') item) AS members,
    (SELECT json_group_array(${FIRST}) FROM json_each(${head.details}, '$.passwords') item) AS passwords
  FROM ${head} WHERE ${head.opId} = ${opId}`;
});

/** Ends access; see above. The last statement returns an `EndedRow`. `isPreview` waives the proof. */
export const END_ACCESS: Previewable = previewable({
  make: [
    decide("change"),
    RECORD_MEMBERS,
    RECORD_PASSWORDS,
    DELETE_MEMBERS,
    DELETE_KEYS,
    REMOVE_PASSWORDS,
    chargeChange(),
    READ,
  ],
  preview: [decide("preview"), CHARGE_PREVIEW, READ],
});
