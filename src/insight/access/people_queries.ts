import { REVISION } from "../../db/revisions.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import {
  HAS_FEW,
  isOneVisible,
  memberLives,
  PRINCIPAL_LIVES,
  seenOf,
  seesAsManager,
  unionOfMasks,
} from "../../role/guard_text.ts";
import { IS_CUT, reachedThen } from "../../role/history/lineage_queries.ts";
import { memberLivedThen, MOMENT, MOMENT_COLUMNS } from "../../role/history/moment_queries.ts";

/**
 * Pages of the people and keys with access to one role. The role and those above it each have a list of members, in
 * order of the principal's id, and a page merges these lists: it takes a stretch of ids in which no list has more than
 * its share of `LOOKED_AT`. So a page costs the same wherever it begins, and however long the lists are.
 */

/** Maximum number of memberships that a page reads, unless more roles than that have members. */
const LOOKED_AT = 20_000;

/** The same with a filter by rights. */
const FILTERED = 5000;

/** Maximum number of memberships that the accounts of a list of addresses may have together. */
const BY_MEMBERSHIPS = 100_000;

/**
 * The place of a principal in the order of a list: the id of an account, or this number plus the id of a key. No
 * account has so great an id, and a cursor has up to 15 digits.
 */
export const KEYS_AFTER = 10 ** 14;

/** The greatest possible id or place. */
const LAST = "9223372036854775807";

/**
 * Accounts and keys, as two lists of the members of each role: the ids of principals behind the place `:afterId` are
 * those above `low` up to `high`. `order` is that of their places, over the index by principal, and `place` turns an id
 * into one.
 */
const SIDES = [
  { isKey: 0, low: ":afterId", high: LAST, order: "user_id", place: "user_id" },
  {
    isKey: 1,
    low: `-${LAST}`,
    high: `min(0, ${KEYS_AFTER} - :afterId) - 1`,
    order: "user_id DESC",
    place: `${KEYS_AFTER} - user_id`,
  },
] as const;

/** SQL: the membership is one of a row of `list`, which has such bounds. */
function isOf(list: string, member: string): string {
  return `${member}.role_id = ${list}.role_id AND ${member}.user_id > ${list}.low AND ${member}.user_id <= ${list}.high`;
}

/** Who reads a list: the actor, who must see the role as a manager, or an administrator, who sees everything. */
interface Reader {
  /** SQL: the reader may see who has access to the role. */
  readonly maySee: (role: string) => string;
  /** SQL: a JSON list of those of the roles that the reader sees, or null if `SEEN_ROLES` is to find them. */
  readonly seenOf: (roles: string) => string;
  /** SQL: the condition of the whole statement. */
  readonly acts: string;
}

/** SQL: the roles as a JSON list. */
function listOf(roles: string): string {
  return `(SELECT json_group_array(role_id) FROM (${roles}))`;
}

/** SQL: those that the actor sees. For an actor with many memberships, each takes a scan of all roles above it. */
function seenByFew(roles: string): string {
  return `CASE WHEN ${HAS_FEW} THEN ${
    listOf(`SELECT met.role_id FROM (${roles}) met WHERE ${isOneVisible("met.role_id")}`)
  } END`;
}

const ACTOR: Reader = { maySee: seesAsManager, seenOf: seenByFew, acts: PRINCIPAL_LIVES };
const ADMINISTRATOR: Reader = { maySee: () => "true", seenOf: listOf, acts: "true" };

/** When a list shows the access: what it reads. */
interface Time {
  /** CTEs: after `asked`, `reached`: the role and those above it, with the rights that their members have on it. */
  readonly reached: string;
  /** Whether `MOMENT` comes first. */
  readonly isPast: boolean;
  /** The table of memberships. */
  readonly members: string;
  /** SQL: the membership gives access. */
  readonly lives: (member: string) => string;
  /** SQL: the columns that tell what was read. */
  readonly columns: string;
}

const NOW: Time = {
  reached: `reached(role_id, rights) AS MATERIALIZED (
    SELECT self.id, self.self_rights FROM asked CROSS JOIN role self ON self.id = asked.role_id
    UNION ALL SELECT path.ancestor_id, path.rights FROM asked
      CROSS JOIN role_closure path ON path.descendant_id = asked.role_id)`,
  isPast: false,
  members: "member",
  lives: memberLives,
  columns: REVISION,
};

const THEN: Time = {
  reached: reachedThen(":roleId", "EXISTS (SELECT 1 FROM asked)"),
  isPast: true,
  members: "member_history",
  lives: memberLivedThen,
  columns: `${IS_CUT} AS isCut, ${MOMENT_COLUMNS}, ${REVISION}`,
};

/** CTE: the role, if the reader may see who has access to it. Unknown roles take as long as others. */
function askedBy({ maySee }: Reader): string {
  return `asked(role_id) AS MATERIALIZED (
    SELECT given.role_id FROM (SELECT :roleId AS role_id) given WHERE ${maySee("given.role_id")})`;
}

/** Which memberships a page is made of. */
interface Members {
  /** CTEs: after `reached`, `granted`. */
  readonly ctes: (time: Time) => string[];
  /** SQL: the place up to which the page looks, or null for all. */
  readonly lookedTo: string;
  /** SQL: the list of addresses is too long. Nothing was read, and the caller requests each half. */
  readonly isCostly: string;
}

/** The memberships of the stretch, by all members of the roles. */
const OF_EVERYBODY: Members = {
  ctes: ({ members, lives }) => [
    `staffed(role_id, rights, is_key, low, high) AS MATERIALIZED (
    SELECT reached.role_id, reached.rights, side.is_key, side.low, side.high
    FROM reached CROSS JOIN (${
      SIDES.map(({ isKey, low, high }) => `SELECT ${isKey} AS is_key, ${low} AS low, ${high} AS high`)
        .join(" UNION ALL ")
    }) side
    WHERE EXISTS (SELECT 1 FROM ${members} later WHERE later.role_id = reached.role_id
      AND later.user_id > side.low AND later.user_id <= side.high))`,
    // A filter by rights may drop all that is read, so that page reads on, but in shorter steps: all of it is grouped.
    `look(share) AS MATERIALIZED (SELECT max(1, iif(:rights = 0, min(:limit + 1, ${LOOKED_AT} / max(1, count(*))),
      ${FILTERED} / max(1, count(*)))) FROM staffed)`,
    `stretch(role_id, rights, low, high, last_place) AS MATERIALIZED (
    SELECT role_id, rights, iif(is_key, ${KEYS_AFTER} - last_place - 1, low), iif(is_key, high, last_place), last_place
    FROM (SELECT role_id, rights, is_key, low, high, coalesce(min(share_end) OVER (), ${LAST}) AS last_place
      FROM (SELECT *, CASE is_key ${
      SIDES.map(({ isKey, order, place }) =>
        `WHEN ${isKey} THEN (SELECT ${place} FROM ${members} later WHERE ${isOf("staffed", "later")}
          ORDER BY ${order} LIMIT 1 OFFSET (SELECT share FROM look) - 1)`
      ).join("\n        ")
    } END AS share_end FROM staffed)))`,
    `granted(place, user_id, role_id, rights, ends_at) AS (
    SELECT iif(held.user_id > 0, held.user_id, ${KEYS_AFTER} - held.user_id), held.user_id, held.role_id,
      stretch.rights & held.rights, held.ends_at
    FROM stretch CROSS JOIN ${members} held ON ${isOf("stretch", "held")}
    WHERE ${lives("held")})`,
  ],
  lookedTo: `(SELECT nullif(max(last_place), ${LAST}) FROM stretch)`,
  isCostly: "0",
};

const NAMED_COLUMNS = "held.user_id, held.user_id, held.role_id, staffed.rights & held.rights, held.ends_at";

/**
 * The memberships of the accounts with the addresses of `:emails`, of which there are up to 1,000. The
 * page looks at all of them: where it stopped would tell which have an account. Each is looked up in each role, so that
 * an address without an account takes as long as one whose account has no access; or, if that were too many look-ups,
 * by its memberships. If these are too many as well, the list is to be split.
 */
const OF_NAMED: Members = {
  ctes: ({ members, lives }) => [
    `staffed(role_id, rights) AS MATERIALIZED (SELECT role_id, rights FROM reached
      WHERE EXISTS (SELECT 1 FROM ${members} held WHERE held.role_id = reached.role_id AND held.user_id > :afterId))`,
    `named(user_id) AS MATERIALIZED (
      SELECT coalesce((SELECT account.id FROM user_account account WHERE account.email = asked_email.value), 0)
      FROM json_each(:emails) asked_email)`,
    `look(by_role, is_costly) AS MATERIALIZED (
      SELECT by_role, NOT by_role AND json_array_length(:emails) > 1 AND (
        SELECT 1 FROM named CROSS JOIN ${members} held ON held.user_id = named.user_id LIMIT 1 OFFSET ${BY_MEMBERSHIPS})
      IS NOT NULL
      FROM (SELECT count(*) * (SELECT count(*) FROM staffed) <= ${LOOKED_AT} AS by_role FROM named))`,
    `granted(place, user_id, role_id, rights, ends_at) AS (
      SELECT ${NAMED_COLUMNS} FROM look CROSS JOIN staffed CROSS JOIN named
        CROSS JOIN ${members} held ON held.role_id = staffed.role_id AND held.user_id = named.user_id
      WHERE look.by_role AND named.user_id > :afterId AND ${lives("held")}
      UNION ALL
      SELECT ${NAMED_COLUMNS} FROM look CROSS JOIN named
        CROSS JOIN ${members} held ON held.user_id = named.user_id
        CROSS JOIN staffed ON staffed.role_id = held.role_id
      WHERE NOT look.by_role AND NOT look.is_costly AND named.user_id > :afterId AND ${lives("held")})`,
  ],
  lookedTo: "NULL",
  isCostly: "(SELECT is_costly FROM look)",
};

/** SQL: the other roles that give access to the people of `page`. */
const MET =
  "SELECT DISTINCT CAST(through.value AS INTEGER) AS role_id FROM page CROSS JOIN json_each(page.role_ids) through";

/**
 * A page of up to `:limit` + 1 people and keys after the place `:afterId`, with all rights of the mask `:rights`. One
 * row, a `PeoplePageRow`, of the past with the columns of a `PastPageRow`; none: the actor's session has ended. Neither
 * it nor its cost tells an unknown role from one whose members the reader may not see.
 *
 * SQLite reads the text of a CTE anew wherever it is named, with all that it names itself. So each is named as seldom
 * as possible: a server prepares every page anew.
 */
function peoplePage(reader: Reader, time: Time, members: Members): Statement {
  const ctes = [...time.isPast ? [MOMENT] : [], askedBy(reader), time.reached, ...members.ctes(time)];
  return defineStatement(`WITH ${ctes.join(",\n  ")},
  page(place, user_id, rights, is_direct, ends_at, role_ids) AS MATERIALIZED (
    SELECT place, user_id, ${unionOfMasks("rights")}, max(role_id = :roleId),
      CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END,
      json_group_array(role_id) FILTER (WHERE role_id <> :roleId)
    FROM granted GROUP BY place HAVING ${unionOfMasks("rights")} & :rights = :rights
    ORDER BY place LIMIT +:limit + 1)
  SELECT (SELECT json_group_array(json_object('place', page.place, 'userEmail', account.email,
        'keyName', named_key.name, 'rights', page.rights, 'isDirect', page.is_direct, 'endsAt', page.ends_at,
        'roleIds', json(page.role_ids)))
      FROM page LEFT JOIN user_account account ON account.id = page.user_id
        LEFT JOIN role_key named_key ON named_key.id = -page.user_id) AS rows,
    ${reader.seenOf(MET)} AS seenRoleIds,
    ${members.lookedTo} AS lookedTo, ${members.isCostly} AS isCostly, ${time.columns}
  WHERE ${reader.acts}`);
}

/** Pages of who has access to a role, and of who had at a moment. */
export const PEOPLE_PAGES = {
  all: { now: peoplePage(ACTOR, NOW, OF_EVERYBODY), then: peoplePage(ACTOR, THEN, OF_EVERYBODY) },
  email: { now: peoplePage(ACTOR, NOW, OF_NAMED), then: peoplePage(ACTOR, THEN, OF_NAMED) },
} as const;

/** The same for an administrator. */
export const ADMINISTRATOR_PEOPLE_PAGES = {
  now: peoplePage(ADMINISTRATOR, NOW, OF_EVERYBODY),
  then: peoplePage(ADMINISTRATOR, THEN, OF_EVERYBODY),
} as const;

/** The roles of `:roleIds` that the actor sees, as a JSON list. */
export const SEEN_ROLES: Statement = defineStatement(`
  WITH RECURSIVE ${seenOf("SELECT DISTINCT CAST(value AS INTEGER) FROM json_each(:roleIds)")}
  SELECT (SELECT json_group_array(role_id) FROM seen) AS roleIds, ${REVISION}
  WHERE ${PRINCIPAL_LIVES}`);

/** How many principals are members of the role and those above it, ended memberships included; null for no role. */
export const COUNT_PEOPLE: Statement = defineStatement(`
  WITH ${askedBy(ADMINISTRATOR)}, ${NOW.reached}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM reached) THEN
    (SELECT count(DISTINCT held.user_id) FROM reached CROSS JOIN member held ON held.role_id = reached.role_id)
  END AS people`);
