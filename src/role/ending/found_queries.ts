import { changeLog, manages, member, memberHistory, role, roleClosure } from "../../db/schema/role.ts";
import {
  define,
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
import type { Statement } from "../../db/statement.ts";
import { whenEffect } from "../change/change_queries.ts";
import { someRoleOfUserAbove } from "../guard/guard_queries.ts";
import { areTooManyAbove, MAX_ID } from "../guard/price_queries.ts";
import { memberLives } from "../guard/principal_queries.ts";
import { seesStanding } from "../guard/standing_queries.ts";

/**
 * Statements of a batch that find what a person has, made and gave at and below a role. They note it in `details` of the
 * row of the decision: one statement for all would take seconds to prepare. The search starts from the roles, so that
 * its cost does not tell what the person has elsewhere. If there are too many roles, it starts from the person.
 */

/** The role at and below which to search, and the address, if the person is named by it. */
const SEARCH = { opId: text, actorId: int, now: int, roleId: int, email: nullable(text) };
const { opId, actorId, roleId, email, granted } = placeholdersOf({ ...SEARCH, granted: int });

/** Maximum number of roles from which a search starts, and of rows of each kind if it starts from the person. */
export const SEARCHED = 4000;

/** Maximum number of rows of history that are read of what is followed, and of memberships that are followed. */
const GIVEN_ROWS = 5000;
const FOLLOWED = 3000;

/** Maximum number of things that are judged. */
const JUDGED_THINGS = 2000;

/** Maximum number of relations that are judged. */
export const JUDGED_RELATIONS = 200;

const head = row(changeLog, "head");
/** The value of a field that an earlier statement has noted. */
export function noted(path: SQL): SQL {
  return sql`(SELECT ${head.details} ->> ${path} FROM ${head} WHERE ${head.opId} = ${opId})`;
}
/** A source for FROM: the items of a list that an earlier statement has noted. */
export function eachNoted(path: SQL): SQL {
  return sql`json_each((SELECT ${head.details} FROM ${head} WHERE ${head.opId} = ${opId}), ${path}) item`;
}
/** The values of an item that is a list. */
export const ITEM = [
  sql`(item.value ->> 0)`,
  sql`(item.value ->> 1)`,
  sql`(item.value ->> 2)`,
  sql`(item.value ->> 3)`,
  sql`(item.value ->> 4)`,
  sql`(item.value ->> 5)`,
] as const;

/** The person to search for: 0 for nobody. Not null, so that nobody takes as long as somebody. */
export const PERSON = noted(sql`'$.person'`);
const IS_LARGE = noted(sql`'$.isLarge'`);

/** Whether the role is at or below that of the request. */
function isInScope(on: Value): SQL {
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
  const [near, far, below] = [row(table, "near"), row(table, "far"), row(roleClosure, "below")];
  const filtered = (candidate: T): SQL => filter === undefined ? sql`true` : filter(candidate);
  return sql`SELECT ${columns(near)} FROM (
      SELECT ${roleId} AS role_id WHERE NOT ${IS_LARGE}
      UNION ALL SELECT ${below.descendantId} FROM ${below} WHERE ${below.ancestorId} = ${roleId} AND NOT ${IS_LARGE}) searched
    CROSS JOIN ${near} ON ${personOf(near)} = ${PERSON} AND ${roleOf(near)} = searched.role_id WHERE ${
    filtered(near)
  }
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
  // The "+" keeps SQLite from scanning the keys of the role.
  filter: (made) => sql`+${made.userId} < 0`,
};
/** The history tells of givers who have left since. */
const GAVE: Source<typeof memberHistory> = {
  table: memberHistory,
  personOf: (gave) => gave.givenBy,
  roleOf: (gave) => gave.roleId,
  columns: (gave) =>
    sql`${gave.memberId} AS id, ${gave.roleId} AS role_id, ${gave.userId} AS user_id, ${gave.givenVia} AS via`,
};
const SET: Source<typeof role> = {
  table: role,
  personOf: (own) => own.passwordSetBy,
  roleOf: (own) => own.id,
  columns: (own) =>
    sql`${own.id} AS id, ${own.id} AS role_id, ${own.passwordSetBy} AS user_id, ${own.passwordSetVia} AS via`,
};
function relationsBy(roleOf: (made: typeof manages) => SQLiteColumn): Source<typeof manages> {
  return {
    table: manages,
    personOf: (made) => made.givenBy,
    roleOf,
    columns: (made) =>
      sql`${made.id} AS id, ${roleOf(made)} AS role_id, ${made.givenBy} AS user_id, ${made.givenVia} AS via`,
  };
}

/**
 * CTEs `acted_via` and `seen_via`: the roles in the column `via` of `rows`, cut, and those of them that the caller sees.
 * A search by address finds only what the caller sees with its address; see `seesStanding`.
 */
function seenVia(rows: SQL): SQL {
  return sql`acted_via(role_id) AS MATERIALIZED (
    SELECT DISTINCT via FROM (${rows}) WHERE ${email} IS NOT NULL LIMIT ${JUDGED_THINGS + 1}),
  seen_via(role_id) AS MATERIALIZED (SELECT role_id FROM acted_via
    WHERE CASE WHEN ${areTooManyAbove(sql`acted_via`)} THEN false ELSE ${
    seesStanding(sql`acted_via.role_id`)
  } END)`;
}
/**
 * Whether the caller sees who gave a row of this CTE. Where the role is not on record, the giver is shown if they have
 * access to the role of the row.
 */
function isNamed(cte: SQL): SQL {
  return sql`CASE WHEN ${email} IS NULL THEN true
      WHEN ${cte}.via IS NULL THEN ${someRoleOfUserAbove(PERSON, sql`${cte}.role_id`, () => sql`true`)}
      ELSE ${cte}.via IN (SELECT role_id FROM seen_via) END`;
}
const IS_VIA_CUT = sql`((SELECT count(*) FROM acted_via) > ${JUDGED_THINGS} OR ${
  areTooManyAbove(sql`acted_via`)
})`;

/** Notes further fields, given as pairs of a path and a value. `rows` are CTEs that the values use. */
function note(ctes: SQL, values: SQL): SQL {
  return sql`
  WITH ${ctes}
  UPDATE ${changeLog} SET details = json_set(${changeLog.details}, ${values}) WHERE ${IS_SEARCHED}`;
}

/** The row is of this operation, which has not found too much yet. */
export const IS_SEARCHED = sql`${
  whenEffect("write")
} AND NOT coalesce(${changeLog.details} ->> '$.isCut', false)`;

/**
 * Notes `followed`, if `granted`: the memberships that the person gave, and those that were given through them, by
 * people who are or were members by them; of those that have gone, only such whose users gave something. Each holds until the next membership of the same user in the same role, of
 * which somebody else may be the giver. Through the actor nothing is followed.
 */
export const NOTE_FOLLOWED: Statement = define({ ...SEARCH, granted: int }, () => {
  const { next, given, standing, further, made, secured, cut } = rowsOf({
    made: manages,
    secured: role,
    next: memberHistory,
    given: memberHistory,
    standing: member,
    further: memberHistory,
    cut: memberHistory,
  });
  const matters = (id: Value, user: Value, on: Value): SQL =>
    sql`(EXISTS (SELECT 1 FROM ${standing} WHERE ${standing.id} = ${id})
        OR EXISTS (SELECT 1 FROM ${further} WHERE ${further.givenBy} = ${user} AND ${further.givenVia} = ${on})
        OR EXISTS (SELECT 1 FROM ${made} WHERE ${made.givenBy} = ${user})
        OR EXISTS (SELECT 1 FROM ${secured} WHERE ${secured.passwordSetBy} = ${user}))`;
  const until = (id: Value, user: Value, on: Value): SQL =>
    sql`coalesce((SELECT min(+${next.memberId}) FROM ${next} WHERE ${next.roleId} = ${on}
        AND ${next.userId} = ${user} AND +${next.memberId} > ${id}), ${MAX_ID})`;
  // A recursive step finds all its rows before the LIMIT counts them.
  const end = sql`coalesce((SELECT ${cut.memberId} FROM ${cut} WHERE ${cut.givenBy} = met.user_id
          AND ${cut.givenVia} = met.role_id AND ${cut.memberId} > met.id
          ORDER BY ${cut.memberId} LIMIT 1 OFFSET ${GIVEN_ROWS + 1}), ${MAX_ID})`;
  return note(
    sql`gave AS MATERIALIZED (SELECT * FROM (${found(GAVE)}) WHERE ${granted} LIMIT ${GIVEN_ROWS + 1}),
  ${seenVia(sql`SELECT via FROM gave`)},
  met(id, user_id, role_id, until_id) AS MATERIALIZED (
    SELECT id, user_id, role_id, CASE WHEN ${matters(sql`gave.id`, sql`gave.user_id`, sql`gave.role_id`)}
        THEN ${until(sql`gave.id`, sql`gave.user_id`, sql`gave.role_id`)} END
      FROM gave WHERE ${isNamed(sql`gave`)}
    UNION SELECT ${given.memberId}, ${given.userId}, ${given.roleId},
        CASE WHEN ${isInScope(given.roleId)} AND ${matters(given.memberId, given.userId, given.roleId)}
        THEN ${until(given.memberId, given.userId, given.roleId)} END
      FROM met CROSS JOIN ${given}
      ON ${given.givenBy} = met.user_id AND ${given.givenVia} = met.role_id
        AND ${given.memberId} > met.id AND ${given.memberId} < min(met.until_id, ${end})
      WHERE met.user_id > 0 AND met.user_id <> ${actorId}
    LIMIT ${GIVEN_ROWS + 1}),
  followed(id, user_id, role_id, until_id) AS MATERIALIZED (
    SELECT id, user_id, role_id, until_id FROM met WHERE until_id IS NOT NULL
    LIMIT ${FOLLOWED + 1})`,
    sql`'$.followed', json((SELECT json_group_array(json_array(id, user_id, role_id, until_id)) FROM followed)),
    '$.things', (SELECT iif(count(*) > ${GIVEN_ROWS}, count(*), (SELECT count(*) FROM followed)) FROM met),
    '$.isCut', ${granted} AND ((SELECT count(*) FROM gave) > ${GIVEN_ROWS}
      OR (SELECT count(*) FROM met) > ${GIVEN_ROWS} OR ${isCrowded(GAVE)}
      OR (SELECT count(*) FROM followed) > ${FOLLOWED} OR ${IS_VIA_CUT})`,
  );
});

/** CTE `followed`, as noted. */
const FOLLOWED_CTE = sql`followed(id, user_id, role_id, until_id) AS MATERIALIZED (
    SELECT ${ITEM[0]}, ${ITEM[1]}, ${ITEM[2]}, ${ITEM[3]} FROM ${eachNoted(sql`'$.followed'`)})`;

const GIVERS = sql`SELECT DISTINCT user_id FROM followed WHERE user_id > 0 AND user_id <> ${actorId}`;

/**
 * Selects the roles whose password was set by people of `followed`, through a membership that they got so. If the scope
 * is large, among the first passwords of these people alone; see `arePasswordsCut`.
 */
function passwordsOfFollowed(): SQL {
  const { near, far, below } = rowsOf({ near: role, far: role, below: roleClosure });
  return sql`SELECT role_id FROM (
      SELECT ${near.id} AS role_id, ${near.passwordSetBy} AS user_id, ${near.passwordSetVia} AS via FROM (
        SELECT ${roleId} AS role_id WHERE NOT ${IS_LARGE}
        UNION ALL SELECT ${below.descendantId} FROM ${below}
          WHERE ${below.ancestorId} = ${roleId} AND NOT ${IS_LARGE}) searched
        CROSS JOIN ${near} ON ${near.id} = searched.role_id WHERE EXISTS (SELECT 1 FROM followed)
      UNION ALL SELECT * FROM (SELECT ${far.id} AS role_id, ${far.passwordSetBy}, ${far.passwordSetVia}
        FROM (${GIVERS}) giver CROSS JOIN ${far} ON ${far.passwordSetBy} = giver.user_id
        WHERE ${IS_LARGE} LIMIT ${SEARCHED}) WHERE ${isInScope(sql`role_id`)})
    WHERE user_id <> ${actorId} AND (user_id, via) IN (
      SELECT user_id, role_id FROM followed WHERE user_id > 0 AND until_id = ${MAX_ID})`;
}

/** Whether people of `followed` have set more passwords than a search of a large scope looks at. */
function arePasswordsCut(): SQL {
  const crowd = row(role, "crowd");
  return sql`(${IS_LARGE} AND (SELECT 1 FROM (${GIVERS}) giver
      CROSS JOIN ${crowd} ON ${crowd.passwordSetBy} = giver.user_id LIMIT 1 OFFSET ${SEARCHED}) IS NOT NULL)`;
}

/** Notes `living`, the memberships and keys, as [id, role, user], and `set`, the roles with a password. */
export const NOTE_FOUND: Statement = define(SEARCH, () => {
  const living = row(member, "living_one");
  const ctes = sql`own_member AS MATERIALIZED (${found(HELD)}),
  made AS MATERIALIZED (SELECT * FROM (${found(MADE)}) LIMIT ${SEARCHED + 1}),
  own_password AS MATERIALIZED (${found(SET)}),
  ${FOLLOWED_CTE},
  ${seenVia(sql`SELECT via FROM made UNION ALL SELECT via FROM own_password`)},
  living(id, role_id, user_id) AS MATERIALIZED (
    SELECT ${living.id}, ${living.roleId}, ${living.userId} FROM (
      SELECT id FROM own_member UNION SELECT id FROM made WHERE ${
    isNamed(sql`made`)
  } UNION SELECT id FROM followed) found
    CROSS JOIN ${living} ON ${living.id} = found.id
    WHERE ${memberLives(living)} AND ${living.userId} <> ${actorId} LIMIT ${JUDGED_THINGS + 1}),
  password(role_id) AS MATERIALIZED (
    SELECT role_id FROM own_password WHERE ${isNamed(sql`own_password`)} UNION ${passwordsOfFollowed()}
    LIMIT ${JUDGED_THINGS + 1})`;
  return note(
    ctes,
    sql`'$.living', json((SELECT json_group_array(json_array(id, role_id, user_id)) FROM living)),
    '$.set', json((SELECT json_group_array(role_id) FROM password)),
    '$.things', (SELECT count(*) FROM living) + (SELECT count(*) FROM password),
    '$.isCut', (SELECT count(*) FROM living) > ${JUDGED_THINGS}
      OR (SELECT count(*) FROM password) > ${JUDGED_THINGS} OR (SELECT count(*) FROM made) > ${SEARCHED}
      OR ${isCrowded(HELD)} OR ${isCrowded(MADE)} OR ${
      isCrowded(SET)
    } OR ${arePasswordsCut()} OR ${IS_VIA_CUT}`,
  );
});

/**
 * Notes `made`, cut: the relations from or to a role of the scope that the person made, or keys that end, or people who
 * got access through them. They stay.
 */
export const NOTE_RELATIONS: Statement = define(SEARCH, () => {
  const { by, made } = rowsOf({ by: manages, made: manages });
  const own = sql`SELECT * FROM (${found(relationsBy((of) => of.childId))})
      UNION SELECT * FROM (${found(relationsBy((of) => of.parentId))}) LIMIT ${JUDGED_RELATIONS + 1}`;
  const isThroughFollowed = sql`EXISTS (SELECT 1 FROM followed WHERE followed.user_id = ${made.givenBy}
        AND followed.role_id = ${made.givenVia} AND followed.id < ${made.id} AND followed.until_id > ${made.id})`;
  return note(
    sql`own_relation AS MATERIALIZED (${own}),
  ${FOLLOWED_CTE},
  ${seenVia(sql`SELECT via FROM own_relation`)},
  key_of_person(user_id) AS MATERIALIZED (SELECT ${ITEM[2]} FROM ${eachNoted(sql`'$.living'`)} WHERE ${
      ITEM[2]
    } < 0),
  given(id) AS MATERIALIZED (SELECT ${by.id} FROM (
      SELECT user_id FROM key_of_person UNION SELECT user_id FROM followed WHERE user_id <> ${actorId}) giver
      CROSS JOIN ${by} ON ${by.givenBy} = giver.user_id LIMIT ${SEARCHED + 1}),
  relation(id) AS MATERIALIZED (
    SELECT id FROM own_relation WHERE ${isNamed(sql`own_relation`)}
    UNION SELECT ${made.id} FROM given
      CROSS JOIN ${made} ON ${made.id} = given.id
    WHERE (${made.givenBy} IN (SELECT user_id FROM key_of_person) OR ${isThroughFollowed})
      AND (${isInScope(made.childId)} OR ${isInScope(made.parentId)})
    LIMIT ${JUDGED_RELATIONS + 1})`,
    sql`'$.made', json((SELECT json_group_array(id) FROM (SELECT id FROM relation ORDER BY id))),
    '$.more', (SELECT count(*) FROM given) > ${SEARCHED}`,
  );
});
