import { REVISION } from "../../db/revisions.ts";
import { defineStatement, single, type Statement } from "../../db/statement.ts";
import { isVisible, seesAsManager, unionOfMasks } from "../../role/guard_queries.ts";
import { IS_CUT, reachedThen } from "../../role/history/lineage_queries.ts";
import { memberLivedThen, MOMENT, MOMENT_COLUMNS } from "../../role/history/moment_queries.ts";
import { memberLives, PRINCIPAL_LIVES } from "../../role/principal_queries.ts";

/**
 * Pages of the people and keys with access to one role. The role and those above it each have a list of members, in order
 * of the principal's id, and a page merges these lists: it takes a stretch of ids in which no list has more than its share
 * of `LOOKED_AT`. So a page costs the same wherever it begins, and however long the lists are.
 */

/** Maximum number of memberships that a page reads, unless more roles than that have members. */
const LOOKED_AT = 20_000;

/** The same with a filter by rights. */
const FILTERED = 5000;

/**
 * The place of a principal in the order of a list: the id of an account, or this number plus the id of a key. No account
 * has so great an id, and a cursor has up to 15 digits.
 */
export const KEYS_AFTER = 10 ** 14;

/** The greatest possible place. */
const LAST_PLACE = "9223372036854775807";

/** SQL: the place up to which the page looks. */
const STRETCH_END = "(SELECT last_place FROM stretch)";

/** Accounts and keys: how each walks the memberships of a role in order, over the index by principal. */
const SIDES = [
  {
    isKey: "0",
    place: (member: string) => `${member}.user_id`,
    isLater: (member: string) => `${member}.user_id > :afterId`,
    isInStretch: (member: string) => `${member}.user_id <= ${STRETCH_END}`,
    order: (member: string) => `${member}.user_id`,
  },
  {
    isKey: "1",
    place: (member: string) => `${KEYS_AFTER} - ${member}.user_id`,
    isLater: (member: string) => `${member}.user_id < min(0, ${KEYS_AFTER} - :afterId)`,
    isInStretch: (member: string) => `${member}.user_id >= ${KEYS_AFTER} - ${STRETCH_END}`,
    order: (member: string) => `${member}.user_id DESC`,
  },
] as const;

function forEachSide(part: (side: typeof SIDES[number]) => string): string {
  return SIDES.map(part).join("\n    UNION ALL ");
}

/** Who reads a list: the actor, who must see the role as a manager, or an administrator, who sees everything. */
interface Reader {
  /** SQL: the reader may see who has access to the role. */
  readonly maySee: (role: string) => string;
  /** SQL: the reader sees the role itself. */
  readonly sees: (role: string) => string;
  /** SQL: the condition of the whole statement. */
  readonly acts: string;
}

const ACTOR: Reader = { maySee: seesAsManager, sees: isVisible, acts: PRINCIPAL_LIVES };
const ADMINISTRATOR: Reader = { maySee: () => "true", sees: () => "true", acts: "true" };

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

/** CTEs: `granted`, the memberships of the stretch, by all members of the roles. */
function ofEverybody({ members, lives }: Time): string[] {
  const share = `(SELECT share FROM look)`;
  return [
    `staffed(role_id, rights, is_key) AS MATERIALIZED (${
      forEachSide(({ isKey, isLater }) =>
        `SELECT role_id, rights, ${isKey} FROM reached
      WHERE EXISTS (SELECT 1 FROM ${members} later WHERE later.role_id = reached.role_id AND ${
          isLater("later")
        })`
      )
    })`,
    // A filter by rights may drop all that is read, so that page reads on, but in shorter steps: all of it is grouped.
    `look(share) AS MATERIALIZED (SELECT max(1, iif(:rights = 0, min(:limit + 1, ${LOOKED_AT} / max(1, count(*))),
      ${FILTERED} / max(1, count(*)))) FROM staffed)`,
    `stretch(last_place) AS MATERIALIZED (SELECT coalesce(min(CASE is_key ${
      SIDES.map(({ isKey, place, isLater, order }) =>
        `WHEN ${isKey} THEN (SELECT ${place("later")} FROM ${members} later
        WHERE later.role_id = staffed.role_id AND ${isLater("later")}
        ORDER BY ${order("later")} LIMIT 1 OFFSET ${share} - 1)`
      ).join("\n      ")
    } END), ${LAST_PLACE}) FROM staffed)`,
    `granted(place, user_id, role_id, rights, ends_at) AS (${
      forEachSide(({ isKey, place, isLater, isInStretch }) =>
        `SELECT ${place("held")}, held.user_id, held.role_id, staffed.rights & held.rights, held.ends_at
      FROM staffed CROSS JOIN ${members} held ON held.role_id = staffed.role_id
        AND ${isLater("held")} AND ${isInStretch("held")}
      WHERE staffed.is_key = ${isKey} AND ${lives("held")}`
      )
    })`,
  ];
}

/**
 * CTEs: `granted`, the memberships of the accounts with the addresses of `:emails`, of which there are up to 1,000. The
 * page looks at all of them: where it stopped would tell which have an account. Each is looked up in each role, so that an
 * address without an account takes as long as one whose account has no access; or, if that were too many look-ups, by its
 * memberships.
 */
function ofNamed({ members, lives }: Time): string[] {
  const columns = "held.user_id, held.user_id, held.role_id, staffed.rights & held.rights, held.ends_at";
  return [
    `staffed(role_id, rights) AS MATERIALIZED (SELECT role_id, rights FROM reached
      WHERE EXISTS (SELECT 1 FROM ${members} held WHERE held.role_id = reached.role_id AND held.user_id > :afterId))`,
    `stretch(last_place) AS MATERIALIZED (SELECT ${LAST_PLACE})`,
    `named(user_id) AS MATERIALIZED (
      SELECT coalesce((SELECT account.id FROM user_account account WHERE account.email = asked_email.value), 0)
      FROM json_each(:emails) asked_email)`,
    `look(by_role) AS MATERIALIZED (
      SELECT count(*) * (SELECT count(*) FROM staffed) <= ${LOOKED_AT} FROM named)`,
    `granted(place, user_id, role_id, rights, ends_at) AS (
      SELECT ${columns} FROM look CROSS JOIN staffed CROSS JOIN named
        CROSS JOIN ${members} held ON held.role_id = staffed.role_id AND held.user_id = named.user_id
      WHERE look.by_role AND named.user_id > :afterId AND ${lives("held")}
      UNION ALL
      SELECT ${columns} FROM look CROSS JOIN named
        CROSS JOIN ${members} held ON held.user_id = named.user_id
        CROSS JOIN staffed ON staffed.role_id = held.role_id
      WHERE NOT look.by_role AND named.user_id > :afterId AND ${lives("held")})`,
  ];
}

/**
 * A page of up to `:limit` + 1 people and keys after the place `:afterId`, with all rights of the mask `:rights`. One
 * row, a `PeoplePageRow`, of the past with the columns of a `PastPageRow`; none: the actor's session has ended. Neither it nor its cost tells an unknown role from one
 * whose members the reader may not see.
 */
function peoplePage(reader: Reader, time: Time, members: (time: Time) => string[]): Statement {
  const ctes = [...time.isPast ? [MOMENT] : [], askedBy(reader), time.reached, ...members(time)];
  return single(defineStatement(`WITH ${ctes.join(",\n  ")},
  page(place, user_id, rights, is_direct, ends_at, role_ids) AS MATERIALIZED (
    SELECT place, user_id, ${unionOfMasks("rights")}, max(role_id = :roleId),
      CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END,
      json_group_array(role_id) FILTER (WHERE role_id <> :roleId)
    FROM granted GROUP BY place HAVING ${unionOfMasks("rights")} & :rights = :rights
    ORDER BY place LIMIT :limit + 1)
  SELECT (SELECT json_group_array(json_object('place', page.place, 'userEmail', account.email,
        'keyName', named_key.name, 'rights', page.rights, 'isDirect', page.is_direct, 'endsAt', page.ends_at,
        'roleIds', json(page.role_ids)))
      FROM page LEFT JOIN user_account account ON account.id = page.user_id
        LEFT JOIN role_key named_key ON named_key.id = -page.user_id) AS rows,
    (SELECT json_group_array(role_id) FROM (
        SELECT DISTINCT through.value AS role_id FROM page CROSS JOIN json_each(page.role_ids) through) met
      WHERE ${reader.sees("met.role_id")}) AS seenRoleIds,
    nullif(${STRETCH_END}, ${LAST_PLACE}) AS lookedTo, ${time.columns}
  WHERE ${reader.acts}`));
}

/** Pages of who has access to a role, and of who had at a moment. */
export const PEOPLE_PAGES = {
  all: { now: peoplePage(ACTOR, NOW, ofEverybody), then: peoplePage(ACTOR, THEN, ofEverybody) },
  email: { now: peoplePage(ACTOR, NOW, ofNamed), then: peoplePage(ACTOR, THEN, ofNamed) },
} as const;

/** The same as it is now, for an administrator. */
export const ADMINISTRATOR_PEOPLE_PAGE: Statement = peoplePage(ADMINISTRATOR, NOW, ofEverybody);

/** How many principals are members of the role and those above it, ended memberships included; null for no role. */
export const COUNT_PEOPLE: Statement = single(defineStatement(`
  WITH ${askedBy(ADMINISTRATOR)}, ${NOW.reached}
  SELECT CASE WHEN EXISTS (SELECT 1 FROM reached) THEN
    (SELECT count(DISTINCT held.user_id) FROM reached CROSS JOIN member held ON held.role_id = reached.role_id)
  END AS people`));
