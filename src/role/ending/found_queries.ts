import { userAccount } from "../../db/schema/identity.ts";
import { manages, member, memberHistory, role, roleClosure } from "../../db/schema/role.ts";
import {
  int,
  nullable,
  placeholdersOf,
  row,
  rowsOf,
  type SQL,
  sql,
  type SQLiteColumn,
  type SQLiteTable,
  text,
  type Value,
} from "../../db/sql.ts";
import { areTooManyAbove, MAX_ID } from "../guard/price_queries.ts";
import { PRINCIPAL } from "../guard/principal_queries.ts";
import { seesActingRole } from "./giver_queries.ts";

/**
 * Finds what a person has, made and gave at and below a role, for a batch that ends it and for reads beside it. The
 * search starts from the roles, so that its cost does not tell what the person has elsewhere. If there are too many
 * roles, it starts from the person.
 */

/** A person, by the id of the account or by the address, and the role at and below which to search. */
export const SEARCH = { ...PRINCIPAL, roleId: int, userId: nullable(int), email: nullable(text), granted: int };
const { actorId, roleId, userId, email, granted } = placeholdersOf(SEARCH);

/** Maximum number of roles from which a search starts, and of rows of each kind if it starts from the person. */
const SEARCHED = 10_000;

/** Maximum number of rows of history that are read of what the person gave, and of memberships that are followed. */
const GIVEN_ROWS = 20_000;
const FOLLOWED = 10_000;

/** Maximum number of things that are judged. */
export const JUDGED_THINGS = 2000;

/** The account that the request names. */
export const NAMED_ACCOUNT: SQL = sql`coalesce(${userId},
    (SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${email}))`;

/** The person to search for: nobody, if callers name themselves. */
const PERSON = sql`(SELECT user_id FROM person)`;
const IS_LARGE = sql`(SELECT is_large FROM side)`;

/** Whether the role is at or below that of the request. */
export function isInScope(on: Value): SQL {
  const upper = row(roleClosure, "upper");
  return sql`(${on} = ${roleId} OR EXISTS (SELECT 1 FROM ${upper}
      WHERE ${upper.descendantId} = ${on} AND ${upper.ancestorId} = ${roleId}))`;
}

/** A table in which a column names the person. */
interface Source<T> {
  readonly table: T;
  readonly personOf: (found: T) => SQLiteColumn;
  readonly roleOf: (found: T) => SQLiteColumn;
  /** The columns of `found`: id, role_id, user_id and via. */
  readonly columns: (found: T) => SQL;
  readonly filter?: (found: T) => SQL;
}

/** Selects the rows of the person in the scope. */
function found<T extends SQLiteTable>({ table, personOf, roleOf, columns, filter }: Source<T>): SQL {
  const [near, far] = [row(table, "near"), row(table, "far")];
  const filtered = (candidate: T): SQL => filter === undefined ? sql`true` : filter(candidate);
  return sql`SELECT ${columns(near)} FROM searched CROSS JOIN ${near}
      ON ${personOf(near)} = ${PERSON} AND ${roleOf(near)} = searched.role_id WHERE ${filtered(near)}
    UNION ALL SELECT * FROM (SELECT ${columns(far)} FROM ${far}
      WHERE ${IS_LARGE} AND ${personOf(far)} = ${PERSON} AND ${filtered(far)} LIMIT ${SEARCHED + 1})
    WHERE ${isInScope(sql`role_id`)}`;
}

/** Whether the search starts from the person, who has too many rows for that. */
function isCrowded<T extends SQLiteTable>({ table, personOf }: Source<T>): SQL {
  const crowd = row(table, "crowd");
  return sql`(${IS_LARGE} AND (SELECT 1 FROM ${crowd} WHERE ${personOf(crowd)} = ${PERSON}
      LIMIT 1 OFFSET ${SEARCHED}) IS NOT NULL)`;
}

const HELD: Source<typeof member> = {
  table: member,
  personOf: (held) => held.userId,
  roleOf: (held) => held.roleId,
  columns: (held) => sql`${held.id} AS id, ${held.roleId} AS role_id, ${held.userId} AS user_id, NULL AS via`,
};
const MADE: Source<typeof member> = {
  table: member,
  personOf: (made) => made.givenBy,
  roleOf: (made) => made.roleId,
  columns: (made) =>
    sql`${made.id} AS id, ${made.roleId} AS role_id, ${made.userId} AS user_id, ${made.givenVia} AS via`,
  filter: (made) => sql`${made.userId} < 0`,
};
/** The history tells of givers who have left since. */
const GAVE: Source<typeof memberHistory> = {
  table: memberHistory,
  personOf: (gave) => gave.givenBy,
  roleOf: (gave) => gave.roleId,
  columns: (gave) =>
    sql`${gave.memberId} AS id, ${gave.roleId} AS role_id, ${gave.userId} AS user_id, ${gave.givenVia} AS via`,
  filter: (gave) => sql`(${granted} OR ${gave.userId} < 0)`,
};
const SET: Source<typeof role> = {
  table: role,
  personOf: (own) => own.passwordSetBy,
  roleOf: (own) => own.id,
  columns: (own) =>
    sql`${own.id} AS id, ${own.id} AS role_id, ${own.passwordSetBy} AS user_id, ${own.passwordSetVia} AS via`,
};

/** The relations that the person made, by the child or the parent in the scope. */
function relationsBy(roleOf: (made: typeof manages) => SQLiteColumn): SQL {
  return found({
    table: manages,
    personOf: (made: typeof manages) => made.givenBy,
    roleOf,
    columns: (made) =>
      sql`${made.id} AS id, ${roleOf(made)} AS role_id, ${made.givenBy} AS user_id, ${made.givenVia} AS via`,
  });
}

/** A search by address finds only what the caller sees with its address; see `seesActingRole`. */
const IS_NAMED = sql`(${email} IS NULL OR via IN (SELECT role_id FROM seen_via))`;

/**
 * CTE `followed`: the memberships that the person gave, and those that were given through them, by people who are or
 * were members by them; and keys. Each holds until the next membership of the same user in the same role, of which
 * somebody else may be the giver. Through the actor nothing is followed.
 */
function followed(): SQL {
  const { next, given } = rowsOf({ next: memberHistory, given: memberHistory });
  const until = (id: Value, user: Value, on: Value): SQL =>
    sql`coalesce((SELECT min(${next.memberId}) FROM ${next} WHERE ${next.roleId} = ${on}
        AND ${next.userId} = ${user} AND ${next.memberId} > ${id}), ${MAX_ID})`;
  return sql`followed(id, user_id, role_id, until_id) AS MATERIALIZED (
    SELECT id, user_id, role_id, ${until(sql`gave.id`, sql`gave.user_id`, sql`gave.role_id`)}
      FROM gave WHERE ${IS_NAMED}
    UNION SELECT ${given.memberId}, ${given.userId}, ${given.roleId},
        ${until(given.memberId, given.userId, given.roleId)}
      FROM followed CROSS JOIN ${given}
      ON ${given.givenBy} = followed.user_id AND ${given.givenVia} = followed.role_id
        AND ${given.memberId} > followed.id AND ${given.memberId} < followed.until_id
      WHERE ${granted} AND followed.user_id > 0 AND followed.user_id <> ${actorId}
        AND ${isInScope(given.roleId)}
    LIMIT ${FOLLOWED + 1})`;
}

/** Selects the roles whose password was set by people of `followed`, through a membership that they got so. */
function passwordsOfFollowed(): SQL {
  const own = row(role, "own");
  return sql`SELECT role_id FROM (
      SELECT ${own.id} AS role_id, ${own.passwordSetBy} AS user_id, ${own.passwordSetVia} AS via
      FROM (SELECT DISTINCT user_id FROM followed WHERE user_id > 0 AND user_id <> ${actorId}) giver
        CROSS JOIN ${own} ON ${own.passwordSetBy} = giver.user_id LIMIT ${SEARCHED + 1})
    WHERE ${isInScope(sql`role_id`)}
      AND (user_id, via) IN (SELECT user_id, role_id FROM followed WHERE until_id = ${MAX_ID})`;
}

/**
 * Returns CTEs that follow `asked`, which has `subject_id`, and `goes`: whether the actor may search. They end with
 * `held`, `made`, `gave` and `own_password` of the person, and `followed`. `scope` are the roles at and below that of
 * the request, cut behind `SEARCHED`.
 */
export function searching(): SQL {
  const below = row(roleClosure, "below");
  return sql`person(user_id) AS MATERIALIZED (
    SELECT CASE WHEN subject_id = ${actorId} THEN 0 ELSE coalesce(subject_id, 0) END FROM asked),
  scope(role_id) AS MATERIALIZED (
    SELECT ${roleId} FROM asked WHERE goes
    UNION ALL SELECT * FROM (SELECT ${below.descendantId} FROM asked CROSS JOIN ${below}
      ON ${below.ancestorId} = ${roleId} WHERE goes LIMIT ${SEARCHED + 1})),
  side(is_large) AS MATERIALIZED (SELECT count(*) > ${SEARCHED} FROM scope),
  searched(role_id) AS MATERIALIZED (SELECT role_id FROM scope WHERE NOT ${IS_LARGE}),
  held AS MATERIALIZED (${found(HELD)}),
  made AS MATERIALIZED (SELECT * FROM (${found(MADE)}) LIMIT ${SEARCHED + 1}),
  gave AS MATERIALIZED (SELECT DISTINCT * FROM (SELECT * FROM (${found(GAVE)}) LIMIT ${GIVEN_ROWS + 1})),
  own_password AS MATERIALIZED (${found(SET)}),
  acted_via(role_id) AS MATERIALIZED (
    SELECT via FROM (SELECT via FROM made UNION SELECT via FROM gave UNION SELECT via FROM own_password)
    WHERE ${email} IS NOT NULL LIMIT ${JUDGED_THINGS + 1}),
  seen_via(role_id) AS MATERIALIZED (SELECT role_id FROM acted_via
    WHERE CASE WHEN ${areTooManyAbove(sql`acted_via`)} THEN false ELSE ${
    seesActingRole(sql`acted_via.role_id`)
  } END),
  ${followed()}`;
}

/** CTEs after these: `living`, the memberships and keys, and `password`, the roles with a password, both cut. */
export function candidates(lives: (living: typeof member) => SQL): SQL {
  const living = row(member, "living_one");
  return sql`living(id, role_id, user_id) AS MATERIALIZED (
    SELECT ${living.id}, ${living.roleId}, ${living.userId} FROM (
      SELECT id FROM held UNION SELECT id FROM made WHERE ${IS_NAMED} UNION SELECT id FROM followed) found
    CROSS JOIN ${living} ON ${living.id} = found.id
    WHERE ${lives(living)} AND ${living.userId} <> ${actorId} LIMIT ${JUDGED_THINGS + 1}),
  password(role_id) AS MATERIALIZED (
    SELECT role_id FROM own_password WHERE ${IS_NAMED} UNION ${passwordsOfFollowed()} LIMIT ${
    JUDGED_THINGS + 1
  })`;
}

/** Whether the search has found only a part. */
export const IS_CUT: SQL = sql`((SELECT count(*) FROM living) > ${JUDGED_THINGS}
      OR (SELECT count(*) FROM password) > ${JUDGED_THINGS}
      OR (SELECT count(*) FROM made) > ${SEARCHED}
      OR (SELECT count(*) FROM acted_via) > ${JUDGED_THINGS} OR ${areTooManyAbove(sql`acted_via`)}
      OR (${granted} AND ((SELECT count(*) FROM gave) > ${GIVEN_ROWS} OR ${isCrowded(GAVE)}
        OR (SELECT count(*) FROM followed) > ${FOLLOWED}))
      OR ${isCrowded(HELD)} OR ${isCrowded(MADE)} OR ${isCrowded(SET)})`;

/** Maximum number of relations that are judged. */
export const JUDGED_RELATIONS = 200;

/**
 * CTE `relation`, cut: the ids of relations from or to a role of the scope that the person made, or their keys, and with
 * `granted` those who got access by them.
 */
export function relations(): SQL {
  const { by, made } = rowsOf({ by: manages, made: manages });
  const isNamed = sql`CASE WHEN ${email} IS NULL THEN true ELSE ${seesActingRole(sql`via`)} END`;
  return sql`relation(id) AS MATERIALIZED (
    SELECT id FROM (SELECT id, via FROM (${relationsBy((own) => own.childId)})
      UNION SELECT id, via FROM (${relationsBy((own) => own.parentId)}) LIMIT ${JUDGED_RELATIONS + 1})
    WHERE ${isNamed}
    UNION SELECT ${made.id} FROM (
      SELECT ${by.id} AS id FROM (SELECT DISTINCT user_id FROM followed WHERE user_id <> ${actorId}) giver
        CROSS JOIN ${by} ON ${by.givenBy} = giver.user_id LIMIT ${SEARCHED}) given
      CROSS JOIN ${made} ON ${made.id} = given.id
      CROSS JOIN followed ON followed.user_id = ${made.givenBy} AND followed.role_id = ${made.givenVia}
        AND followed.id < ${made.id} AND followed.until_id > ${made.id}
    WHERE ${isInScope(made.childId)} OR ${isInScope(made.parentId)}
    LIMIT ${JUDGED_RELATIONS + 1})`;
}
