import {
  changeLog,
  manages,
  managesHistory,
  member,
  memberHistory,
  OPEN_REVISION,
  role,
  roleClosure,
} from "../db/schema/role.ts";
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
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { IS_TOO_FAR_ABOVE, SEEN_VIA, seenVia, seesWhoActed } from "../graph/rules/giver_queries.ts";
import { someRoleOfUserAbove } from "../graph/rules/guard_queries.ts";
import { MAX_ID } from "../graph/rules/price_queries.ts";
import { memberLives } from "../graph/rules/principal_queries.ts";
import { standingFor } from "../graph/rules/standing_queries.ts";
import { liesInTrash } from "../role/restore/restored_queries.ts";
import { whenStep } from "../graph/step_queries.ts";

/**
 * Statements of a batch that find what a person has, made and gave at and below a role. They note it in `details` of the
 * row of the decision: one statement for all would take seconds to prepare. The search starts from the roles, so that
 * its cost does not tell what the person has elsewhere. If there are many roles, it starts from the person, unless that
 * is more: nothing elsewhere keeps anything from being found, and the work is bounded by the number of the roles.
 */

/** The role at and below which to search, and the address, if the person is named by it. */
const SEARCH = { opId: text, actorId: int, sessionId: text, now: int, roleId: int, email: nullable(text) };
const { opId, actorId, roleId, email, granted } = placeholdersOf({ ...SEARCH, granted: int });

/** Up to this many roles, a search looks up each of them. */
export const SEARCHED = 4000;

/**
 * Up to this many roles, nothing that people have or made elsewhere changes what a search finds. With more, it may leave
 * out something only if they have more than this many rows of one kind.
 */
const WALKED = 10_000;
/** Maximum number of leaps of a search; see `leaps`. Up to `WALKED` roles do not take more. */
const LEAPS = 2 * WALKED + 2;

/** Maximum number of keys of the person that are looked at. */
const LOOKED_KEYS = 4000;

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

/** The same of a role that may be deleted: then that stands for it which its deletions left. */
function isPlacedInScope(on: Value): SQL {
  return sql`${standingFor(on, isInScope)} IS NOT NULL`;
}

function isDeleted(id: Value): SQL {
  const living = row(role, "living");
  return sql`NOT EXISTS (SELECT 1 FROM ${living} WHERE ${living.id} = ${id})`;
}

/** A table in which a column names the person. */
interface Source<T> {
  /** The name of its CTE; see `leaps`. */
  readonly leap: SQL;
  readonly table: T;
  readonly personOf: (found: T) => SQLiteColumn;
  readonly roleOf: (found: T) => SQLiteColumn;
  /** The columns of `found`: id, role_id, user_id and via. */
  readonly columns: (found: T) => SQL;
  readonly filter?: (found: T) => SQL;
}

/**
 * CTE `leap` of a source, if there are many roles: meets those below that of the request, and those of the person's
 * rows, in order of id. From each, it seeks the first of the other list that is not before it; a role equal to the one
 * before is in both. So roles elsewhere count only as far as their ids lie among those of the roles below.
 */
function leaps<T extends SQLiteTable>({ leap, table, personOf, roleOf }: Source<T>): SQL {
  const [own, below] = [row(table, "leapt_own"), row(roleClosure, "leapt_below")];
  const next = sql`${leap}.role_id + (${leap}.role_id = before_id)`;
  const ownFrom = (first: SQL): SQL =>
    sql`(SELECT ${roleOf(own)} FROM ${own} WHERE ${personOf(own)} = ${PERSON} AND ${roleOf(own)} >= ${first}
        ORDER BY ${roleOf(own)} LIMIT 1)`;
  const nextBelow = sql`(SELECT ${below.descendantId} FROM ${below} WHERE ${below.ancestorId} = ${roleId}
        AND ${below.descendantId} >= ${next} ORDER BY ${below.descendantId} LIMIT 1)`;
  return sql`${leap}(role_id, is_own, before_id) AS MATERIALIZED (
      SELECT ${ownFrom(sql`0`)}, true, -1 WHERE ${IS_LARGE}
      UNION ALL SELECT iif(is_own, ${nextBelow}, ${ownFrom(next)}), NOT is_own, role_id FROM ${leap}
      WHERE role_id IS NOT NULL LIMIT ${LEAPS + 1})`;
}

/** Selects the rows of the person in the scope. Uses `leaps`. */
function found<T extends SQLiteTable>({ leap, table, personOf, roleOf, columns, filter }: Source<T>): SQL {
  const [near, below] = [row(table, "near"), row(roleClosure, "below")];
  return sql`SELECT ${columns(near)} FROM (SELECT ${roleId} AS role_id
      UNION ALL SELECT ${below.descendantId} FROM ${below} WHERE ${below.ancestorId} = ${roleId} AND NOT ${IS_LARGE}
      UNION ALL SELECT role_id FROM ${leap} WHERE role_id = before_id) searched
    CROSS JOIN ${near} ON ${personOf(near)} = ${PERSON} AND ${roleOf(near)} = searched.role_id WHERE ${
    filter?.(near) ?? sql`true`
  }`;
}

/** Whether the search has used up its leaps, and may have left out rows. Uses `leaps`. */
function isCut<T extends SQLiteTable>({ leap }: Source<T>): SQL {
  return sql`(SELECT count(*) FROM ${leap}) > ${LEAPS}`;
}

const HELD: Source<typeof member> = {
  leap: sql`held_leap`,
  table: member,
  personOf: (held) => held.userId,
  roleOf: (held) => held.roleId,
  columns: (held) => sql`${held.id} AS id, ${held.roleId} AS role_id, ${held.userId} AS user_id, NULL AS via`,
};
const MADE: Source<typeof member> = {
  leap: sql`made_leap`,
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
  leap: sql`gave_leap`,
  table: memberHistory,
  personOf: (gave) => gave.givenBy,
  roleOf: (gave) => gave.roleId,
  columns: (gave) =>
    sql`${gave.memberId} AS id, ${gave.roleId} AS role_id, ${gave.userId} AS user_id, ${gave.givenVia} AS via`,
};
const SET: Source<typeof role> = {
  leap: sql`set_leap`,
  table: role,
  personOf: (own) => own.passwordSetBy,
  roleOf: (own) => own.id,
  columns: (own) =>
    sql`${own.id} AS id, ${own.id} AS role_id, ${own.passwordSetBy} AS user_id, ${own.passwordSetVia} AS via`,
};

function relationsBy(
  leap: SQL,
  roleOf: (made: typeof manages) => SQLiteColumn,
): Source<typeof manages> {
  return {
    leap,
    table: manages,
    personOf: (made) => made.givenBy,
    roleOf,
    columns: (made) =>
      sql`${made.id} AS id, ${roleOf(made)} AS role_id, ${made.givenBy} AS user_id, ${made.givenVia} AS via`,
  };
}
const BELOW = relationsBy(sql`child_leap`, (made) => made.childId);
const ABOVE = relationsBy(sql`parent_leap`, (made) => made.parentId);

/**
 * CTEs `acted_via` and `seen_via`: the roles in the column `via` of `rows`, cut, and those of them that the caller sees.
 * A search by address finds only what the caller sees with its address.
 */
function actedVia(rows: SQL): SQL {
  return sql`acted_via(role_id) AS MATERIALIZED (
    SELECT DISTINCT via FROM (${rows}) WHERE ${email} IS NOT NULL LIMIT ${JUDGED_THINGS + 1}),
  ${seenVia(sql`SELECT role_id FROM acted_via`)}`;
}
/** Whether the caller sees who gave a row of this CTE. */
function isNamed(cte: SQL): SQL {
  const seesGiver = seesWhoActed({
    person: PERSON,
    via: sql`${cte}.via`,
    seen: SEEN_VIA,
    hasAccess: someRoleOfUserAbove(PERSON, sql`${cte}.role_id`, () => sql`true`),
  });
  return sql`CASE WHEN ${email} IS NULL THEN true ELSE ${seesGiver} END`;
}
const IS_VIA_CUT = sql`((SELECT count(*) FROM acted_via) > ${JUDGED_THINGS} OR ${IS_TOO_FAR_ABOVE})`;

/**
 * Notes further fields, given as pairs of a path and a value. The values use CTEs, and columns of `lists`, which names
 * long CTEs only once: SQLite parses their text again wherever they are named.
 */
function note(ctes: SQL, values: SQL, lists?: SQL): SQL {
  return sql`
  WITH ${ctes}
  UPDATE ${changeLog} SET details = (SELECT json_set(${changeLog.details}, ${values})${
    lists === undefined ? sql`` : sql` FROM ${lists}`
  })
  WHERE ${IS_SEARCHED}`;
}

/** The row is of this operation, which has not found too much yet. */
export const IS_SEARCHED = sql`${
  whenStep("write")
} AND NOT coalesce(${changeLog.details} ->> '$.isCut', false)`;

/**
 * Notes `lost`, if `granted`: deleted roles of the scope, among them all in which the person gave something. Walks from
 * each role of the scope down its former relations, one after the other, and on from roles that are deleted. If that is
 * too much, it walks from one role to the next in which the person gave something.
 */
export const NOTE_LOST: Statement = define({ opId: text, roleId: int, granted: int }, () => {
  const { below, next, link, first, gave, later } = rowsOf({
    below: roleClosure,
    next: managesHistory,
    link: managesHistory,
    first: managesHistory,
    gave: memberHistory,
    later: memberHistory,
  });
  const startsFromScope = sql`${granted} AND NOT ${IS_LARGE}`;
  const nextRelation =
    sql`(SELECT ${next.relationId} FROM ${next} WHERE ${next.parentId} = lost_walk.parent_id
        AND ${next.toRev} < ${OPEN_REVISION} AND ${next.relationId} > lost_walk.relation_id
        ORDER BY ${next.relationId} LIMIT 1)`;
  const ctes = sql`lost_walk(parent_id, relation_id) AS MATERIALIZED (
      SELECT ${roleId}, 0 WHERE ${startsFromScope}
      UNION ALL SELECT ${below.descendantId}, 0 FROM ${below} WHERE ${below.ancestorId} = ${roleId} AND ${startsFromScope}
      UNION SELECT parent_id, ${nextRelation} FROM lost_walk
      UNION SELECT ${link.childId}, 0 FROM lost_walk CROSS JOIN ${link} ON ${link.relationId} = lost_walk.relation_id
        AND ${link.toRev} = (SELECT min(${first.toRev}) FROM ${first} WHERE ${first.relationId} = lost_walk.relation_id)
        WHERE ${isDeleted(link.childId)}
      LIMIT ${LEAPS + 1}),
  lost_side(from_scope) AS MATERIALIZED (SELECT NOT ${IS_LARGE} AND count(*) <= ${LEAPS} FROM lost_walk),
  gave_walk(role_id) AS MATERIALIZED (
      SELECT (SELECT min(${gave.roleId}) FROM ${gave} WHERE ${gave.givenBy} = ${PERSON})
        FROM lost_side WHERE ${granted} AND NOT from_scope
      UNION ALL SELECT (SELECT min(${later.roleId}) FROM ${later} WHERE ${later.givenBy} = ${PERSON}
          AND ${later.roleId} > gave_walk.role_id) FROM gave_walk WHERE role_id IS NOT NULL
      LIMIT ${WALKED + 1}),
  lost_role(role_id) AS MATERIALIZED (
      SELECT former.role_id FROM (SELECT DISTINCT parent_id AS role_id FROM lost_side CROSS JOIN lost_walk WHERE from_scope
        UNION ALL SELECT role_id FROM gave_walk WHERE role_id IS NOT NULL) former
      WHERE CASE WHEN ${isDeleted(sql`former.role_id`)} THEN ${
    isPlacedInScope(sql`former.role_id`)
  } ELSE false END)`;
  return note(
    ctes,
    sql`'$.lost', json((SELECT json_group_array(role_id) FROM lost_role)),
    '$.things', (SELECT count(*) FROM gave_walk), '$.isCut', (SELECT count(*) FROM gave_walk) > ${WALKED}`,
  );
});

/**
 * Notes `followed`, if `granted`: the memberships that the person gave, and those that were given through them, by
 * people and keys that are or were members by them; of those that have gone, only such whose users gave something. Each holds until the next membership of the same user in the same role, of
 * which somebody else may be the giver. Through the actor nothing is followed.
 */
export const NOTE_FOLLOWED: Statement = define({ ...SEARCH, granted: int }, () => {
  const { next, given, standing, further, made, secured, cut, lost } = rowsOf({
    lost: memberHistory,
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
        OR EXISTS (SELECT 1 FROM ${secured} WHERE ${secured.passwordSetBy} = ${user})
        OR ${liesInTrash(id, user, on)})`;
  const until = (id: Value, user: Value, on: Value): SQL =>
    sql`coalesce((SELECT min(+${next.memberId}) FROM ${next} WHERE ${next.roleId} = ${on}
        AND ${next.userId} = ${user} AND +${next.memberId} > ${id}), ${MAX_ID})`;
  // A recursive step finds all its rows before the LIMIT counts them.
  const end = sql`coalesce((SELECT ${cut.memberId} FROM ${cut} WHERE ${cut.givenBy} = met.user_id
          AND ${cut.givenVia} = met.role_id AND ${cut.memberId} > met.id
          ORDER BY ${cut.memberId} LIMIT 1 OFFSET ${GIVEN_ROWS + 1}), ${MAX_ID})`;
  return note(
    sql`${leaps(GAVE)},
  gave AS MATERIALIZED (SELECT * FROM (${found(GAVE)}
      UNION ALL SELECT ${GAVE.columns(lost)} FROM ${eachNoted(sql`'$.lost'`)}
        CROSS JOIN ${lost} ON ${lost.givenBy} = ${PERSON} AND ${lost.roleId} = item.value)
    WHERE ${granted} LIMIT ${GIVEN_ROWS + 1}),
  ${actedVia(sql`SELECT via FROM gave`)},
  met(id, user_id, role_id, until_id) AS MATERIALIZED (
    SELECT id, user_id, role_id, CASE WHEN ${matters(sql`gave.id`, sql`gave.user_id`, sql`gave.role_id`)}
        THEN ${until(sql`gave.id`, sql`gave.user_id`, sql`gave.role_id`)} END
      FROM gave WHERE ${isNamed(sql`gave`)}
    UNION SELECT ${given.memberId}, ${given.userId}, ${given.roleId},
        CASE WHEN ${isPlacedInScope(given.roleId)} AND ${matters(given.memberId, given.userId, given.roleId)}
        THEN ${until(given.memberId, given.userId, given.roleId)} END
      FROM met CROSS JOIN ${given}
      ON ${given.givenBy} = met.user_id AND ${given.givenVia} = met.role_id
        AND ${given.memberId} > met.id AND ${given.memberId} < min(met.until_id, ${end})
      WHERE met.user_id <> ${actorId}
    LIMIT ${GIVEN_ROWS + 1}),
  followed(id, user_id, role_id, until_id) AS MATERIALIZED (
    SELECT id, user_id, role_id, until_id FROM met WHERE until_id IS NOT NULL
    LIMIT ${FOLLOWED + 1})`,
    sql`'$.followed', json((SELECT json_group_array(json_array(id, user_id, role_id, until_id)) FROM followed)),
    '$.things', (SELECT iif(count(*) > ${GIVEN_ROWS}, count(*), (SELECT count(*) FROM followed)) FROM met),
    '$.isCut', ${granted} AND (${isCut(GAVE)} OR (SELECT count(*) FROM gave) > ${GIVEN_ROWS}
      OR (SELECT count(*) FROM met) > ${GIVEN_ROWS}
      OR (SELECT count(*) FROM followed) > ${FOLLOWED} OR ${IS_VIA_CUT})`,
  );
});

/** CTE `followed`, as noted. The ids are cast because SQLite makes no index over untyped values. */
const FOLLOWED_CTE = sql`followed(id, user_id, role_id, until_id) AS MATERIALIZED (SELECT ${ITEM[0]},
    CAST(${ITEM[1]} AS INTEGER), CAST(${ITEM[2]} AS INTEGER), ${ITEM[3]} FROM ${
  eachNoted(sql`'$.followed'`)
})`;

const GIVERS = sql`SELECT DISTINCT user_id FROM followed WHERE user_id > 0 AND user_id <> ${actorId}`;

/**
 * CTE `side`: whether a search for what several people made starts from the rows that `rows` selects, since these are
 * few, or else from the roles; and whether there are too many of both.
 */
function sideOf(rows: SQL, isLarge = sql`true`): SQL {
  const all = row(roleClosure, "all_below");
  return sql`side(from_rows, is_cut) AS MATERIALIZED (SELECT from_rows, NOT from_rows AND (SELECT 1 FROM ${all}
        WHERE ${all.ancestorId} = ${roleId} LIMIT 1 OFFSET ${WALKED}) IS NOT NULL
      FROM (SELECT ${isLarge} AND (SELECT 1 ${rows} LIMIT 1 OFFSET ${WALKED}) IS NULL AS from_rows))`;
}

/** Selects the roles of the scope as `searched`, if the search starts from them. */
function searchedRoles(): SQL {
  const below = row(roleClosure, "below");
  return sql`(SELECT ${roleId} AS role_id FROM side WHERE NOT from_rows
      UNION ALL SELECT * FROM (SELECT ${below.descendantId} FROM side CROSS JOIN ${below}
        ON ${below.ancestorId} = ${roleId} WHERE NOT from_rows LIMIT ${WALKED})) searched`;
}

/** CTE `side` of `passwordsOfFollowed`. */
function passwordSide(): SQL {
  const crowd = row(role, "crowd");
  return sideOf(
    sql`FROM (${GIVERS}) giver CROSS JOIN ${crowd} ON ${crowd.passwordSetBy} = giver.user_id`,
    IS_LARGE,
  );
}

/** Selects the roles whose password was set by people of `followed`, through a membership that they got so. */
function passwordsOfFollowed(): SQL {
  const { near, far } = rowsOf({ near: role, far: role });
  return sql`SELECT role_id FROM (
      SELECT ${near.id} AS role_id, ${near.passwordSetBy} AS user_id, ${near.passwordSetVia} AS via
        FROM ${searchedRoles()} CROSS JOIN ${near} ON ${near.id} = searched.role_id
        WHERE EXISTS (SELECT 1 FROM followed)
      UNION ALL SELECT ${far.id}, ${far.passwordSetBy}, ${far.passwordSetVia}
        FROM side CROSS JOIN (${GIVERS}) giver CROSS JOIN ${far} ON ${far.passwordSetBy} = giver.user_id
        WHERE from_rows AND ${isInScope(far.id)})
    WHERE user_id <> ${actorId} AND (user_id, via) IN (
      SELECT user_id, role_id FROM followed WHERE user_id > 0 AND until_id = ${MAX_ID})`;
}

/**
 * Notes `living`, the memberships and keys, as [id, role, user]; `inTrash`, the memberships that were given and lie in the
 * trash, as [id, the role that stands for the deleted one]; and `set`, the roles with a password.
 */
export const NOTE_FOUND: Statement = define(SEARCH, () => {
  const living = row(member, "living_one");
  const ctes = sql`${leaps(HELD)},
  ${leaps(MADE)},
  ${leaps(SET)},
  own_member AS MATERIALIZED (${found(HELD)}),
  made AS MATERIALIZED (SELECT * FROM (${found(MADE)}) LIMIT ${LOOKED_KEYS + 1}),
  own_password AS MATERIALIZED (${found(SET)}),
  ${FOLLOWED_CTE},
  ${passwordSide()},
  ${actedVia(sql`SELECT via FROM made UNION ALL SELECT via FROM own_password`)},
  living(id, role_id, user_id) AS MATERIALIZED (
    SELECT ${living.id}, ${living.roleId}, ${living.userId} FROM (
      SELECT id FROM own_member UNION SELECT id FROM made WHERE ${
    isNamed(sql`made`)
  } UNION SELECT id FROM followed) found
    CROSS JOIN ${living} ON ${living.id} = found.id
    WHERE ${memberLives(living)} AND ${living.userId} <> ${actorId} LIMIT ${JUDGED_THINGS + 1}),
  in_trash(id, place_id) AS MATERIALIZED (
    SELECT id, ${standingFor(sql`followed.role_id`, () => sql`true`)} FROM followed
    WHERE user_id > 0 AND user_id <> ${actorId}
      AND ${liesInTrash(sql`followed.id`, sql`followed.user_id`, sql`followed.role_id`)}
    LIMIT ${JUDGED_THINGS + 1}),
  password(role_id) AS MATERIALIZED (
    SELECT role_id FROM own_password WHERE ${isNamed(sql`own_password`)} UNION ${passwordsOfFollowed()}
    LIMIT ${JUDGED_THINGS + 1})`;
  return note(
    ctes,
    sql`'$.living', json(living_list), '$.inTrash', json(trash_list), '$.set', json(password_list),
    '$.things', living_count + trash_count + password_count,
    '$.isCut', living_count > ${JUDGED_THINGS} OR trash_count > ${JUDGED_THINGS} OR password_count > ${JUDGED_THINGS}
      OR (SELECT count(*) FROM made) > ${LOOKED_KEYS}
      OR ${isCut(HELD)} OR ${isCut(MADE)} OR ${isCut(SET)} OR (SELECT is_cut FROM side) OR ${IS_VIA_CUT}`,
    sql`(SELECT json_group_array(json_array(id, role_id, user_id)) AS living_list, count(*) AS living_count FROM living)
      CROSS JOIN (SELECT json_group_array(json_array(id, place_id)) AS trash_list, count(*) AS trash_count FROM in_trash)
      CROSS JOIN (SELECT json_group_array(role_id) AS password_list, count(*) AS password_count FROM password)`,
  );
});

/**
 * Notes `made`, cut: the relations from or to a role of the scope that the person made, or keys that end, or people who
 * got access through them. They stay.
 */
export const NOTE_RELATIONS: Statement = define(SEARCH, () => {
  const { entering, leaving, made, crowd } = rowsOf({
    entering: manages,
    leaving: manages,
    made: manages,
    crowd: manages,
  });
  const own = sql`SELECT * FROM (${found(BELOW)})
      UNION SELECT * FROM (${found(ABOVE)}) LIMIT ${JUDGED_RELATIONS + 1}`;
  const isThroughFollowed = (of: typeof manages): SQL =>
    sql`EXISTS (SELECT 1 FROM followed WHERE followed.user_id = ${of.givenBy}
        AND followed.role_id = ${of.givenVia} AND followed.id < ${of.id} AND followed.until_id > ${of.id})`;
  const isGiven = (of: typeof manages): SQL =>
    sql`(${of.givenBy} IN (SELECT user_id FROM key_of_person) OR ${isThroughFollowed(of)})`;
  const side = sideOf(sql`FROM giver CROSS JOIN ${crowd} ON ${crowd.givenBy} = giver.user_id`);
  // A DISTINCT ends with its LIMIT, a UNION reads all rows.
  const given = sql`SELECT DISTINCT id FROM (
      SELECT ${entering.id} AS id FROM ${searchedRoles()} CROSS JOIN ${entering} ON ${entering.childId} = searched.role_id
        WHERE ${isGiven(entering)}
      UNION ALL SELECT ${leaving.id} FROM ${searchedRoles()} CROSS JOIN ${leaving} ON ${leaving.parentId} = searched.role_id
        WHERE ${isGiven(leaving)}
      UNION ALL SELECT ${made.id} FROM side CROSS JOIN giver CROSS JOIN ${made} ON ${made.givenBy} = giver.user_id
        WHERE from_rows AND ${isGiven(made)} AND (${isInScope(made.childId)} OR ${isInScope(made.parentId)}))
      LIMIT ${JUDGED_RELATIONS + 1}`;
  return note(
    sql`${leaps(BELOW)},
  ${leaps(ABOVE)},
  own_relation AS MATERIALIZED (${own}),
  ${FOLLOWED_CTE},
  ${actedVia(sql`SELECT via FROM own_relation`)},
  key_of_person(user_id) AS MATERIALIZED (SELECT ${ITEM[2]} FROM ${eachNoted(sql`'$.living'`)} WHERE ${
      ITEM[2]
    } < 0),
  giver(user_id) AS MATERIALIZED (
    SELECT user_id FROM key_of_person UNION SELECT user_id FROM followed WHERE user_id <> ${actorId}),
  ${side},
  relation(id) AS MATERIALIZED (
    SELECT id FROM own_relation WHERE ${isNamed(sql`own_relation`)}
    UNION SELECT * FROM (${given}) LIMIT ${JUDGED_RELATIONS + 1})`,
    sql`'$.made', json((SELECT json_group_array(id) FROM (SELECT id FROM relation ORDER BY id))),
    '$.more', ${isCut(BELOW)} OR ${isCut(ABOVE)} OR (SELECT is_cut FROM side)`,
  );
});
