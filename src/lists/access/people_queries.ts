import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { deletedKey, member, memberHistory, role, roleClosure, roleKey } from "../../db/schema/role.ts";
import {
  type Declared,
  int,
  join,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  type SQLiteTable,
  text,
  type Value,
} from "../../db/sql.ts";
import { HAS_FEW, isOneVisible, seenOf, seesAsManager } from "../../graph/rules/guard_queries.ts";
import { unionOfMasks } from "../../graph/rules/rule_queries.ts";
import {
  IS_CUT,
  IS_CUT_DURING,
  MAX_SPANS,
  reachedDuring,
  reachedThen,
} from "../../graph/history/lineage_queries.ts";
import {
  AS_OF,
  beginsLater,
  DURING,
  memberLivedIn,
  memberLivedThen,
  MOMENT,
  MOMENT_COLUMNS,
  PERIOD,
  PERIOD_COLUMNS,
  validWithin,
} from "../../graph/history/moment_queries.ts";
import { MAX_ID } from "../../graph/rules/price_queries.ts";
import { holderLives, PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import type { AccessPageRow } from "./access_page.ts";

/**
 * Pages of the people and keys with access to one role. A page merges the member lists of the role and of those above
 * it, each in order of the principal's id: it takes the stretch of ids in which no list exceeds its share of
 * `SCANNED_ROWS`. So a page costs the same wherever it begins, and however long the lists are.
 */

/** Maximum number of memberships that a page reads, unless more roles have members. */
const SCANNED_ROWS = 20_000;

/** Maximum number with a filter by rights. */
const FILTERED = 5000;

/** Maximum number of memberships of all accounts of a list of addresses. */
const BY_MEMBERSHIPS = 100_000;

/**
 * The place of a key in the order of a list is this number plus its id; that of an account is its id. No account has so
 * great an id, and a cursor has up to 15 digits.
 */
export const KEYS_AFTER = 10 ** 14;

/** A page of up to `limit` + 1 people and keys after the place `afterId`, with all rights of the mask `rights`. */
const PAGE = { roleId: int, rights: int, afterId: int, limit: int };
const { roleId, rights, afterId, limit } = placeholdersOf(PAGE);
/** A JSON list of addresses. */
const EMAILS = { emails: text };
const { emails } = placeholdersOf(EMAILS);

/** A membership of now, or of the past. */
type Membership = SQLiteTable & Readonly<Record<"roleId" | "userId" | "rights" | "endsAt", Value>>;

/** A list of the members of roles: their ids are those above `low` up to `high`. */
interface MemberList {
  readonly roleId: Value;
  readonly low: Value;
  readonly high: Value;
}

/**
 * Accounts and keys, as two lists of the members of each role: principals after the place `afterId` have ids above
 * `low` up to `high`. `order` sorts them by place, over the index by principal, and `place` turns an id into a place.
 */
const SIDES = [
  {
    isKey: 0,
    low: afterId,
    high: MAX_ID,
    order: (userId: Value) => sql`${userId}`,
    place: (userId: Value) => sql`${userId}`,
  },
  {
    isKey: 1,
    low: sql`-${MAX_ID}`,
    high: sql`min(0, ${KEYS_AFTER} - ${afterId}) - 1`,
    order: (userId: Value) => sql`${userId} DESC`,
    place: (userId: Value) => sql`${KEYS_AFTER} - ${userId}`,
  },
] as const;

/** Whether the membership is one of the list. */
function isOf(list: MemberList, held: Membership): SQL {
  return sql`${held.roleId} = ${list.roleId} AND ${held.userId} > ${list.low} AND ${held.userId} <= ${list.high}`;
}

/** The reader of a list: the actor, who must see the role as a manager, or an administrator, who sees all of it. */
interface Reader {
  readonly declared: Declared;
  /** Whether the reader may see who has access to the role. */
  readonly maySee: (on: Value) => SQL;
  /** Selects the roles that the reader sees, as `listOf` does, or null if `SEEN_ROLES` is to find them. */
  readonly seenOf: (roles: SQL) => SQL;
  /** The condition of the whole statement. */
  readonly acts: SQL;
}

/** Returns the roles as a JSON list of [id, name]. Deleted ones have no name. */
function listOf(roles: SQL): SQL {
  const named = row(role, "named");
  return sql`(SELECT json_group_array(json_array(listed.role_id, ${named.name})) FROM (${roles}) listed
    LEFT JOIN ${named} ON ${named.id} = listed.role_id)`;
}

/**
 * Selects the roles that the actor sees; null for many memberships, with which each takes a scan of all roles above it.
 */
function seenByFew(roles: SQL): SQL {
  const seen = sql`SELECT met.role_id FROM (${roles}) met WHERE ${isOneVisible(sql`met.role_id`)}`;
  return sql`CASE WHEN ${HAS_FEW} THEN ${listOf(seen)} END`;
}

const ACTOR: Reader = {
  declared: PRINCIPAL,
  maySee: seesAsManager,
  seenOf: seenByFew,
  acts: PRINCIPAL_LIVES,
};
const ADMINISTRATOR: Reader = {
  declared: { now: PRINCIPAL.now },
  maySee: () => sql`true`,
  seenOf: listOf,
  acts: sql`true`,
};

/** A membership, and the condition that it gives access, or in a period that it was valid. */
interface Held {
  readonly held: Membership;
  readonly lives: SQL;
  /** The columns of `Counted.into` after the role. `rights` are those of the role. */
  readonly columns: (rights: SQL) => SQL;
}

/** The time of the shown access, with the tables that hold it. */
interface Time {
  readonly declared: Declared;
  /** CTEs that follow `requested` and end with `reached`: the role and those above, with their members' rights on it. */
  readonly reached: SQL;
  /** CTEs that come first. */
  readonly moment: readonly SQL[];
  readonly membership: (name: string) => Held;
  readonly counted: Counted;
  /** The columns that tell the revision and the moment. */
  readonly columns: SQL;
}

/** What a membership of a role counts as: once, or in each of the `spans` in which the role gave rights. */
interface Counted {
  /** The head of the CTE of the memberships. */
  readonly into: SQL;
  /** Its end, and CTEs that follow it and end with `granted`, if it is another one. */
  readonly rest: SQL;
  /** How much reading one member of each role of `staffed` costs, in memberships. */
  readonly total: SQL;
  /** Before the role that gives access, in a list. */
  readonly distinct: SQL;
  /** Selects the other roles that give access to the people of `page`, and maybe more. */
  readonly met: SQL;
}

function heldOnce(held: Membership, lives: SQL): Held {
  return { held, lives, columns: (rights) => sql`${rights} & ${held.rights}, ${held.endsAt}` };
}

const ONCE: Counted = {
  into: sql`granted(place, user_id, role_id, rights, ends_at) AS`,
  rest: sql`)`,
  total: sql`count(*)`,
  distinct: sql``,
  met:
    sql`SELECT DISTINCT CAST(through.value AS INTEGER) AS role_id FROM page CROSS JOIN json_each(page.role_ids) through`,
};

/** Maximum number of memberships of a page over a period, each as often as it changed in each span of its role. */
const IN_ALL_SPANS = 100_000;

const joined = { fromRev: sql`joined.from_rev`, toRev: sql`joined.to_rev`, endsAt: sql`joined.ends_at` };
const IN_SPANS: Counted = {
  into: sql`joined(place, user_id, role_id, rights, ends_at, from_rev, to_rev, times) AS MATERIALIZED`,
  // A row counts at least once, so no more are needed.
  rest: sql`
    LIMIT ${IN_ALL_SPANS + 1}),
  granted(place, user_id, role_id, rights, ends_at) AS (
    SELECT place, user_id, joined.role_id, spans.rights & joined.rights, NULL
    FROM (SELECT *, sum(times) OVER () AS all_times FROM joined) joined
      CROSS JOIN spans ON spans.role_id = joined.role_id
    WHERE all_times <= ${IN_ALL_SPANS} AND ${
    memberLivedIn(joined, { fromRev: sql`spans.from_rev`, toRev: sql`spans.to_rev` })
  })`,
  // The walk costs so much that a page should be no shorter.
  total: sql`coalesce(sum(rights), 0) / 4`,
  distinct: sql`DISTINCT `,
  // All roles with members: naming `page` again would make the text half as long again.
  met: sql`SELECT DISTINCT role_id FROM staffed`,
};

const { self, path } = rowsOf({ self: role, path: roleClosure });
const NOW: Time = {
  declared: {},
  reached: sql`reached(role_id, rights) AS MATERIALIZED (
    SELECT ${self.id}, ${self.selfRights} FROM requested CROSS JOIN ${self} ON ${self.id} = requested.role_id
    UNION ALL SELECT ${path.ancestorId}, ${path.rights} FROM requested
      CROSS JOIN ${path} ON ${path.descendantId} = requested.role_id)`,
  moment: [],
  membership(name) {
    const held = row(member, name);
    return heldOnce(held, holderLives(held));
  },
  counted: ONCE,
  columns: REVISION_COLUMN,
};

const IS_REQUESTED = sql`EXISTS (SELECT 1 FROM requested)`;
const THEN: Time = {
  declared: AS_OF,
  reached: reachedThen(roleId, IS_REQUESTED),
  moment: [MOMENT],
  membership(name) {
    const held = row(memberHistory, name);
    return heldOnce(held, memberLivedThen(held));
  },
  counted: ONCE,
  columns: sql`(SELECT ${beginsLater(sql`requested.role_id`)} FROM requested) AS roleFromMs,
    ${IS_CUT} AS isCut, ${MOMENT_COLUMNS}, ${REVISION_COLUMN}`,
};

/** Any time of a period. */
const WITHIN: Time = {
  declared: DURING,
  reached: reachedDuring(roleId, IS_REQUESTED),
  moment: [PERIOD],
  membership(name) {
    const held = row(memberHistory, name);
    const columns = (times: SQL) =>
      sql`${held.rights}, ${held.endsAt}, ${held.fromRev}, ${held.toRev}, ${times}`;
    return { held, lives: validWithin(held), columns };
  },
  counted: IN_SPANS,
  columns: sql`(SELECT ${beginsLater(sql`requested.role_id`)} FROM requested) AS roleFromMs,
    ${IS_CUT_DURING} OR (SELECT total(times) > ${IN_ALL_SPANS} OR coalesce(max(times), 0) > ${MAX_SPANS} FROM joined)
      AS isCut, ${PERIOD_COLUMNS}, ${REVISION_COLUMN}`,
};

/**
 * Returns the CTE `requested`: the role, if the reader may see who has access to it. Unknown roles take as long as others.
 */
function askedBy({ maySee }: Reader): SQL {
  return sql`requested(role_id) AS MATERIALIZED (
    SELECT given.role_id FROM (SELECT ${roleId} AS role_id) given WHERE ${maySee(sql`given.role_id`)})`;
}

/** The memberships that a page is made of. */
interface Members {
  readonly declared: Declared;
  /** Returns CTEs that follow `reached` and end with `granted`. */
  readonly ctes: (time: Time) => SQL;
  /** The place up to which the page scans, or null for all. */
  readonly lookedTo: SQL;
  /** The list of addresses is too long. Nothing was read, and the caller requests each half. */
  readonly isCostly: SQL;
}

/** The memberships of the stretch, of all members of the roles. */
const OF_ALL_MEMBERS: Members = {
  declared: {},
  ctes({ membership, counted }) {
    const { held: later } = membership("later");
    const { held, lives, columns } = membership("held");
    const sides = SIDES.map(({ isKey, low, high }) =>
      sql`SELECT ${isKey} AS is_key, ${low} AS low, ${high} AS high`
    );
    const staffed = { roleId: sql`staffed.role_id`, low: sql`staffed.low`, high: sql`staffed.high` };
    const stretch = { roleId: sql`stretch.role_id`, low: sql`stretch.low`, high: sql`stretch.high` };
    const ends = SIDES.map(({ isKey, order, place }) =>
      sql`WHEN ${isKey} THEN (SELECT ${place(later.userId)} FROM ${later} WHERE ${isOf(staffed, later)}
          ORDER BY ${order(later.userId)} LIMIT 1 OFFSET (SELECT share FROM look) - 1)`
    );
    // A filter by rights may drop all that is read, so the page reads on, in shorter steps: all of it is grouped.
    const share = sql`iif(${rights} = 0, min(${limit} + 1, ${SCANNED_ROWS} / max(1, ${counted.total})),
      ${FILTERED} / max(1, ${counted.total}))`;
    return sql`staffed(role_id, rights, is_key, low, high) AS MATERIALIZED (
    SELECT reached.role_id, reached.rights, side.is_key, side.low, side.high
    FROM reached CROSS JOIN (${join(sides, " UNION ALL ")}) side
    WHERE EXISTS (SELECT 1 FROM ${later} WHERE ${later.roleId} = reached.role_id
      AND ${later.userId} > side.low AND ${later.userId} <= side.high)),
  look(share) AS MATERIALIZED (SELECT max(1, ${share}) FROM staffed),
  stretch(role_id, rights, low, high, last_place) AS MATERIALIZED (
    SELECT role_id, rights, iif(is_key, ${KEYS_AFTER} - last_place - 1, low), iif(is_key, high, last_place), last_place
    FROM (SELECT role_id, rights, is_key, low, high, coalesce(min(share_end) OVER (), ${MAX_ID}) AS last_place
      FROM (SELECT *, CASE is_key ${join(ends, " ")} END AS share_end FROM staffed))),
  ${counted.into} (
    SELECT iif(${held.userId} > 0, ${held.userId}, ${KEYS_AFTER} - ${held.userId}), ${held.userId}, ${held.roleId},
      ${columns(sql`stretch.rights`)}
    FROM stretch CROSS JOIN ${held} ON ${isOf(stretch, held)}
    WHERE ${lives}${counted.rest}`;
  },
  lookedTo: sql`(SELECT nullif(max(last_place), ${MAX_ID}) FROM stretch)`,
  isCostly: sql`0`,
};

/**
 * The memberships of the accounts of up to 1,000 addresses. The page scans all: its end would tell which have accounts.
 * Each is looked up in each role, so that an address without an account takes as long as one without access; or by its
 * memberships, if the look-ups are too many. If these are too many, too, the caller splits the list.
 */
const OF_NAMED: Members = {
  declared: EMAILS,
  ctes({ membership, counted }) {
    const { held, lives, columns } = membership("held");
    const granted = sql`${held.userId}, ${held.userId}, ${held.roleId}, ${columns(sql`staffed.rights`)}`;
    const hasMany = sql`(SELECT 1 FROM named CROSS JOIN ${held} ON ${held.userId} = named.user_id
        LIMIT 1 OFFSET ${BY_MEMBERSHIPS}) IS NOT NULL`;
    return sql`staffed(role_id, rights) AS MATERIALIZED (SELECT role_id, rights FROM reached
      WHERE EXISTS (SELECT 1 FROM ${held} WHERE ${held.roleId} = reached.role_id AND ${held.userId} > ${afterId})),
  named(user_id) AS MATERIALIZED (
      SELECT coalesce((SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = requested_email.value), 0)
      FROM json_each(${emails}) requested_email),
  look(by_role, is_costly) AS MATERIALIZED (
      SELECT by_role, NOT by_role AND json_array_length(${emails}) > 1 AND ${hasMany}
      FROM (SELECT count(*) * (SELECT count(*) FROM staffed) <= ${SCANNED_ROWS} AS by_role FROM named)),
  ${counted.into} (
      SELECT ${granted} FROM look CROSS JOIN staffed CROSS JOIN named
        CROSS JOIN ${held} ON ${held.roleId} = staffed.role_id AND ${held.userId} = named.user_id
      WHERE look.by_role AND named.user_id > ${afterId} AND ${lives}
      UNION ALL
      SELECT ${granted} FROM look CROSS JOIN named
        CROSS JOIN ${held} ON ${held.userId} = named.user_id
        CROSS JOIN staffed ON staffed.role_id = ${held.roleId}
      WHERE NOT look.by_role AND NOT look.is_costly AND named.user_id > ${afterId} AND ${lives}${counted.rest}`;
  },
  lookedTo: sql`NULL`,
  isCostly: sql`(SELECT is_costly FROM look)`,
};

/** A page of now; of the past with the columns of a `PastPageRow`. */
export interface PeoplePageRow extends AccessPageRow {
  /** JSON: the roles that give access, as far as the reader sees them; see `listOf`. Null if another statement finds them. */
  readonly seenRoles: string | null;
  /** 1 if the list of addresses is too long: there are no rows, and the caller requests each half. */
  readonly isCostly: 0 | 1;
}

/**
 * Returns the statement of a page in one row; none if the actor's session has ended. Its result and cost do not tell an
 * unknown role from a hidden one. CTEs are named as seldom as possible: SQLite parses their text again wherever they
 * are named, and a server prepares every page anew.
 */
function peoplePage(reader: Reader, time: Time, members: Members) {
  const declared: Declared = { ...reader.declared, ...time.declared, ...members.declared, ...PAGE };
  return rows<PeoplePageRow>()(declared, () => {
    const ctes = [...time.moment, askedBy(reader), time.reached, members.ctes(time)];
    const { account, keyed, gone } = rowsOf({ account: userAccount, keyed: roleKey, gone: deletedKey });
    return sql`WITH ${join(ctes, ",\n  ")},
  page(place, user_id, rights, is_direct, ends_at, role_ids) AS MATERIALIZED (
    SELECT place, user_id, ${unionOfMasks(sql`rights`)}, max(role_id = ${roleId}),
      CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END,
      json_group_array(${time.counted.distinct}role_id) FILTER (WHERE role_id <> ${roleId})
    FROM granted GROUP BY place HAVING ${unionOfMasks(sql`rights`)} & ${rights} = ${rights}
    ORDER BY place LIMIT +${limit} + 1)
  SELECT (SELECT json_group_array(json_object('place', page.place, 'userEmail', ${account.email},
        'keyName', coalesce(${keyed.name}, ${gone.name}), 'rights', page.rights, 'isDirect', page.is_direct, 'endsAt', page.ends_at,
        'roleIds', json(page.role_ids)))
      FROM page LEFT JOIN ${account} ON ${account.id} = page.user_id
        LEFT JOIN ${keyed} ON ${keyed.id} = -page.user_id
        LEFT JOIN ${gone} ON ${gone.id} = -page.user_id) AS rows,
    ${reader.seenOf(time.counted.met)} AS seenRoles,
    ${members.lookedTo} AS lookedTo, ${members.isCostly} AS isCostly, ${time.columns}
  WHERE ${reader.acts}`;
  });
}

/** Pages of the people and keys with access to a role, now, at a moment and at any time of a period. */
export const PEOPLE_PAGES = {
  all: {
    now: peoplePage(ACTOR, NOW, OF_ALL_MEMBERS),
    then: peoplePage(ACTOR, THEN, OF_ALL_MEMBERS),
    during: peoplePage(ACTOR, WITHIN, OF_ALL_MEMBERS),
  },
  email: {
    now: peoplePage(ACTOR, NOW, OF_NAMED),
    then: peoplePage(ACTOR, THEN, OF_NAMED),
    during: peoplePage(ACTOR, WITHIN, OF_NAMED),
  },
} as const;

/** Pages for an administrator. */
export const ADMINISTRATOR_PEOPLE_PAGES = {
  now: peoplePage(ADMINISTRATOR, NOW, OF_ALL_MEMBERS),
  then: peoplePage(ADMINISTRATOR, THEN, OF_ALL_MEMBERS),
} as const;

interface SeenRow {
  /** See `listOf`. */
  readonly roles: string;
}

/** The roles of `roleIds` that the actor sees. */
export const SEEN_ROLES = rows<SeenRow>()({ ...PRINCIPAL, roleIds: text }, ({ roleIds }) =>
  sql`
  WITH RECURSIVE ${seenOf(sql`SELECT DISTINCT CAST(value AS INTEGER) FROM json_each(${roleIds})`)}
  SELECT ${listOf(sql`SELECT role_id FROM seen`)} AS roles, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`);

interface CountRow {
  /** Null for a role that does not exist. */
  readonly people: number | null;
}

/** The number of principals that are members of the role and those above it, ended memberships included. */
export const COUNT_PEOPLE = rows<CountRow>()({ roleId: int }, () => {
  const held = row(member, "held");
  return sql`
  WITH ${askedBy(ADMINISTRATOR)}, ${NOW.reached}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM reached) THEN
    (SELECT count(DISTINCT ${held.userId}) FROM reached CROSS JOIN ${held} ON ${held.roleId} = reached.role_id)
  END AS people`;
});
