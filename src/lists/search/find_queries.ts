import { isOpen } from "../../device/period_queries.ts";
import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { manages, member, role, roleClosure } from "../../db/schema/role.ts";
import { device, monitors } from "../../db/schema/telemetry.ts";
import {
  type Declared,
  int,
  join,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  type SQL,
  sql,
  text,
  type Value,
  type ValuesOf,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { isVisible, someRoleAbove } from "../../graph/rules/guard_queries.ts";
import { affordedId, areTooManyAbove, MAX_ID } from "../../graph/rules/price_queries.ts";
import { memberIsAwake, memberLives, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { managesMembersOf } from "../../graph/rules/rule_queries.ts";
import {
  countUpTo,
  FEW_ROLES,
  FEW_ROWS,
  MEMBERSHIPS,
  PAGE,
  type PagedTable,
  reachedUnless,
  REACHES_MANY,
  reachOf,
  WALK_ROWS,
} from "../../graph/paging/page_queries.ts";
import { fitsPatterns, plainly } from "../plain_letters.ts";
import type { Kind } from "./kinds.ts";

/**
 * Searches, a page of hits of one kind per statement, in order of id. A caller who reaches few roles and rows searches
 * these alone: what others store neither slows that search nor shows in its time. For any other, an index of trigrams
 * finds candidates below all roots, a bounded stretch of ids per statement, and each is judged until the page is full.
 */

/**
 * The text as `TextPart` describes it, and the id that it may be. `judged`: the rows that one statement judges for a
 * caller with a single membership, fewer with more.
 */
const FIND = {
  ...PAGE,
  parts: nullable(text),
  patterns: nullable(text),
  asId: nullable(int),
  judged: int,
};
const { actorId, afterId, limit, parts, patterns, asId, judged } = placeholdersOf(FIND);

/** A query of an index; see `TextPart`. */
const TRIGRAMS = { trigrams: text };
const { trigrams } = placeholdersOf(TRIGRAMS);

/** Maximum of `:judged`. */
export const JUDGED_ROWS = 5000;
const JUDGED: SQL = sql`(${judged} / max(1, ${MEMBERSHIPS}))`;

/**
 * Maximum number of ids of a stretch over an index. It does not stop an index that finds nothing: to compare the lists of
 * three frequent trigrams takes up to 40 ns for each row that follows, so a search runs few statements.
 */
const SPAN = 1_000_000;

/** Maximum number of roles of a hit that are shown, and of those scanned for them. */
const SHOWN_ROLES = 3;
const SCANNED_ROLES = 100;

/** Maximum number of memberships of a person that are judged, in order of role. */
const OF_PERSON = 500;

export interface FindRow {
  /** A JSON list of hits in no promised order, each with its `id`. */
  readonly hits: string;
  /** The last id that was searched, or null at the end. A full page ends before. */
  readonly walkedTo: number | null;
}

/** The rows of a table as a search scans them. */
interface Source {
  /** What follows FROM. */
  readonly from: SQL;
  readonly id: SQL;
  readonly condition: SQL;
}

/** What a search finds. */
interface Found<T extends PagedTable> {
  readonly table: T;
  /** The index of trigrams. */
  readonly index: SQL;
  /** What follows FROM to read a row's texts, if not just the row. */
  readonly textsOf?: (candidate: T) => SQL;
  readonly matches: (candidate: T) => SQL;
  /** Joins the rows that give the caller access to a candidate, and returns their role, if it is not the candidate itself. */
  readonly through?: (id: Value) => { readonly joins: SQL; readonly roleId: Value };
  /** Selects the ids of matching rows of `reach`, maybe several times. */
  readonly ofReach: SQL;
  /** The rows of `reach`, to count them. */
  readonly rowsOfReach: SQL;
  /** Whether the caller finds the candidate, not only by its text. */
  readonly isSeen: (id: Value) => SQL;
  /** The values of a hit by their names. */
  readonly columns: (hit: T) => Readonly<Record<string, Value>>;
}

/** The last id that a statement searches for a caller who reaches many roles; for any other the id before the first. */
const END: SQL = sql`(SELECT end_id FROM stretch)`;
const IS_WALK: SQL = sql`(SELECT is_walk FROM pace)`;

/** Whether the caller sees the role, which is in `reach` if they reach few. */
function isRoleSeen(on: Value): SQL {
  return sql`iif(${IS_WALK}, ${isVisible(on)}, ${on} IN (SELECT role_id FROM reach))`;
}

/** Returns the first roles of a list that meet a condition, as JSON. */
function namedRoles(ids: SQL, isShown: (on: Value) => SQL): SQL {
  const shown = row(role, "shown");
  return sql`json((SELECT json_group_array(json_object('id', id, 'name', name)) FROM (
      SELECT ${shown.id}, ${shown.name} FROM (${ids}) listed CROSS JOIN ${shown} ON ${shown.id} = listed.role_id
      WHERE ${isShown(sql`listed.role_id`)} LIMIT ${SHOWN_ROLES})))`;
}

/** Maximum number of memberships that are tried for many roles below one of them. */
const TRIED = 4;

const tried = row(member, "tried");
const below = row(roleClosure, "below");
/** CTE: whether too many roles are below a single one of the caller's: it takes less time than to find them all. */
const AMPLE = sql`ample(is_many) AS MATERIALIZED (SELECT EXISTS (SELECT 1 FROM (
    SELECT ${tried.roleId} AS role_id FROM ${tried} WHERE ${tried.userId} = ${actorId} AND ${
  memberIsAwake(tried)
}
    LIMIT ${TRIED}) own
  WHERE (SELECT 1 FROM ${below} WHERE ${below.ancestorId} = own.role_id LIMIT 1 OFFSET ${FEW_ROLES}) IS NOT NULL))`;
const IS_AMPLE: SQL = sql`(SELECT is_many FROM ample)`;

/** Whether a value has the text. No comparison takes time by the product of two lengths but that of short patterns. */
function isLike(value: Value): SQL {
  return sql`(SELECT (${parts} IS NULL OR EXISTS (
        SELECT 1 FROM json_each(${parts}) part WHERE instr(lower(plain.text), part.value)))
      AND ${fitsPatterns(sql`plain.text`, patterns)} FROM (SELECT ${plainly(value)} AS text) plain)`;
}

// ---- roles

function isNameLike({ name }: typeof role): SQL {
  return isLike(name);
}

const reachedRole = row(role, "candidate");
const entering = row(manages, "entering");
const ROLES: Found<typeof role> = {
  table: role,
  index: sql`role_search`,
  matches: isNameLike,
  ofReach:
    sql`SELECT ${reachedRole.id} AS id FROM reach CROSS JOIN ${reachedRole} ON ${reachedRole.id} = reach.role_id
      WHERE NOT ${IS_WALK} AND ${isNameLike(reachedRole)}`,
  rowsOfReach: sql`reach`,
  isSeen: isRoleSeen,
  columns: ({ id, name }) => ({
    id,
    name,
    parents: namedRoles(
      sql`SELECT ${entering.parentId} AS role_id FROM ${entering} WHERE ${entering.childId} = ${id}
        ORDER BY ${entering.parentId} LIMIT ${SCANNED_ROLES}`,
      isRoleSeen,
    ),
  }),
};

// ---- people

function isAddressLike({ email }: typeof userAccount): SQL {
  return isLike(email);
}

/** Whether the caller manages the members of the role. */
function managesMembers(on: Value): SQL {
  const managed = someRoleAbove(on, (acting) => managesMembersOf(acting, on));
  return sql`(${IS_WALK} OR ${on} IN (SELECT role_id FROM reach)) AND ${managed}`;
}

/** Selects the roles of a person, in order of id. */
function rolesOf(userId: Value): SQL {
  const held = row(member, "held_by");
  return sql`SELECT ${held.roleId} AS role_id FROM ${held} WHERE ${held.userId} = ${userId} AND ${
    memberLives(held)
  }
        ORDER BY ${held.roleId} LIMIT ${OF_PERSON}`;
}

const { reachedMember, reachedPerson } = {
  reachedMember: row(member, "reached_member"),
  reachedPerson: row(userAccount, "candidate"),
};
const MEMBERS_OF_REACH =
  sql`${reachedMember} ON ${reachedMember.roleId} = reach.role_id AND ${reachedMember.userId} > 0`;
const PEOPLE: Found<typeof userAccount> = {
  table: userAccount,
  index: sql`person_search`,
  matches: isAddressLike,
  through(id) {
    const held = row(member, "linked");
    return { joins: sql`CROSS JOIN ${held} ON ${held.userId} = ${id}`, roleId: held.roleId };
  },
  ofReach: sql`SELECT ${reachedPerson.id} AS id FROM reach CROSS JOIN ${MEMBERS_OF_REACH} AND ${
    memberLives(reachedMember)
  }
      CROSS JOIN ${reachedPerson} ON ${reachedPerson.id} = ${reachedMember.userId}
      WHERE NOT ${IS_WALK} AND ${isAddressLike(reachedPerson)} AND ${managesMembers(sql`reach.role_id`)}`,
  rowsOfReach: sql`reach CROSS JOIN ${MEMBERS_OF_REACH}`,
  isSeen: (id) => sql`EXISTS (SELECT 1 FROM (${rolesOf(id)}) own WHERE ${managesMembers(sql`own.role_id`)})`,
  columns: ({ id, email }) => ({
    id,
    userEmail: email,
    roles: namedRoles(rolesOf(id), managesMembers),
  }),
};

// ---- devices

/** This index has the texts: to read the properties of thousands of devices would take too long. */
function textsOf(candidate: typeof device): SQL {
  return sql`${candidate} INDEXED BY device_texts`;
}

function areTextsLike({ nodeId, name }: typeof device): SQL {
  return sql`((${isLike(nodeId)}) OR (${isLike(name)}))`;
}

/** Selects the roles that monitor a device now, in order of id. */
function watchersOf(deviceId: Value): SQL {
  const watching = row(monitors, "watching");
  return sql`SELECT ${watching.roleId} AS role_id FROM ${watching}
        WHERE ${watching.deviceId} = ${deviceId} AND ${isOpen(watching)} ORDER BY ${watching.roleId}`;
}

const reachedMonitors = row(monitors, "reached_monitors");
const reachedDevice = row(device, "candidate");
const MONITORS_OF_REACH = sql`${reachedMonitors} ON ${reachedMonitors.roleId} = reach.role_id`;
const DEVICES: Found<typeof device> = {
  table: device,
  index: sql`device_search`,
  textsOf,
  matches: areTextsLike,
  through(id) {
    const watching = row(monitors, "linked");
    return { joins: sql`CROSS JOIN ${watching} ON ${watching.deviceId} = ${id}`, roleId: watching.roleId };
  },
  ofReach: sql`SELECT ${reachedDevice.id} AS id FROM reach CROSS JOIN ${MONITORS_OF_REACH} AND ${
    isOpen(reachedMonitors)
  }
      CROSS JOIN ${textsOf(reachedDevice)} ON ${reachedDevice.id} = ${reachedMonitors.deviceId}
      WHERE NOT ${IS_WALK} AND ${areTextsLike(reachedDevice)}`,
  rowsOfReach: sql`reach CROSS JOIN ${MONITORS_OF_REACH}`,
  isSeen: (id) => sql`EXISTS (SELECT 1 FROM (${watchersOf(id)}) own WHERE ${isRoleSeen(sql`own.role_id`)})`,
  columns: ({ id, nodeId, name }) => ({
    id,
    nodeId,
    name,
    roles: namedRoles(watchersOf(id), isRoleSeen),
  }),
};

// ---- statements

/** How a search for a caller who reaches many roles finds candidates. */
interface Way<T extends PagedTable> {
  /** Rows after `afterId`, a superset of the matches. */
  readonly source: (found: Found<T>) => Source;
  /** The last id of what one statement scans. */
  readonly lastId: (table: T) => SQL;
}

/** By the index of trigrams. */
function byTrigrams<T extends PagedTable>(): Way<T> {
  return {
    source: ({ index }) => ({
      from: sql`${index} hit`,
      id: sql`hit.rowid`,
      condition: sql`hit.${index} MATCH ${trigrams} AND hit.rowid > ${afterId}`,
    }),
    lastId: () => sql`(${afterId} + ${SPAN})`,
  };
}

/** By the table itself, for texts that are too short for trigrams. */
function byWalk<T extends PagedTable>(): Way<T> {
  return {
    source({ table, matches, textsOf }) {
      const hit = row(table, "hit");
      return {
        from: textsOf?.(hit) ?? sql`${hit}`,
        id: sql`${hit.id}`,
        condition: sql`${hit.id} > ${afterId} AND ${matches(hit)}`,
      };
    },
    lastId(table) {
      const walked = row(table, "walked");
      return sql`coalesce((SELECT ${walked.id} FROM ${walked} WHERE ${walked.id} > ${afterId}
        ORDER BY ${walked.id} LIMIT 1 OFFSET ${WALK_ROWS - 1}), ${MAX_ID})`;
    },
  };
}

function findPage<T extends PagedTable, const D extends Declared>(
  found: Found<T>,
  way: Way<T>,
  more: D,
): Statement<ValuesOf<typeof FIND & D>, FindRow> {
  return rows<FindRow>()({ ...FIND, ...more }, () => {
    const { table, ofReach, rowsOfReach, matches, isSeen, columns, textsOf } = found;
    const judgedOnes = way.source(found);
    const { joins, roleId } = found.through?.(judgedOnes.id) ?? { joins: sql``, roleId: judgedOnes.id };
    const walked = way.source(found);
    const candidate = row(table, "found_candidate");
    const exact = row(table, "exact");
    const hit = row(table, "shown_hit");
    const last = row(table, "last");
    const fields = join(Object.entries(columns(hit)).map(([name, value]) => sql`${quoted(name)}, ${value}`));
    return sql`WITH ${AMPLE},
  ${join(reachOf(reachedUnless(IS_AMPLE)))},
  pace(is_walk, last_id) AS MATERIALIZED (SELECT is_walk, iif(is_walk, ${
      way.lastId(table)
    }, ${afterId}) FROM (
    SELECT ${IS_AMPLE} OR ${REACHES_MANY} OR ${countUpTo(rowsOfReach, FEW_ROWS)} > ${FEW_ROWS} OR ${
      areTooManyAbove(sql`reach`)
    } AS is_walk)),
  judged(id, role_id) AS MATERIALIZED (SELECT ${judgedOnes.id}, ${roleId} FROM ${judgedOnes.from} ${joins}
    WHERE ${judgedOnes.condition} AND ${judgedOnes.id} <= (SELECT last_id FROM pace)
    ORDER BY ${judgedOnes.id} LIMIT ${JUDGED} + 1),
  stretch(end_id) AS MATERIALIZED (SELECT min((SELECT last_id FROM pace), ${
      affordedId(sql`SELECT id, role_id FROM judged`)
    }, (SELECT iif(count(*) > ${JUDGED}, max(min(id), max(id) - 1), ${MAX_ID}) FROM judged))),
  found(id) AS MATERIALIZED (
    SELECT id FROM (SELECT DISTINCT id FROM (${ofReach}) WHERE id > ${afterId} AND id IS NOT ${asId}
      ORDER BY id LIMIT +${limit})
    UNION ALL SELECT id FROM (SELECT ${walked.id} AS id FROM ${walked.from}
      CROSS JOIN ${textsOf?.(candidate) ?? sql`${candidate}`} ON ${candidate.id} = ${walked.id}
      WHERE ${walked.condition} AND ${walked.id} <= ${END} AND ${matches(candidate)}
        AND ${candidate.id} IS NOT ${asId} AND ${isSeen(candidate.id)}
      ORDER BY ${walked.id} LIMIT +${limit})
    UNION ALL SELECT ${exact.id} FROM ${exact} WHERE ${exact.id} = ${asId} AND ${afterId} < 0 AND ${
      isSeen(exact.id)
    })
  SELECT (SELECT json_group_array(json_object(${fields})) FROM found CROSS JOIN ${hit} ON ${hit.id} = found.id) AS hits,
    (SELECT end_id FROM stretch WHERE ${IS_WALK} AND end_id < (SELECT max(${last.id}) FROM ${last})) AS walkedTo,
    ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
  });
}

type FindStatement<D extends Declared> = Statement<ValuesOf<typeof FIND & D>, FindRow>;

/** Pages by any part of a text, over the indexes. */
export const FIND_ANYWHERE: Readonly<Record<Kind, FindStatement<typeof TRIGRAMS>>> = {
  role: findPage(ROLES, byTrigrams(), TRIGRAMS),
  person: findPage(PEOPLE, byTrigrams(), TRIGRAMS),
  device: findPage(DEVICES, byTrigrams(), TRIGRAMS),
};

/** Pages by the beginning of a text that is too short for an index. */
export const FIND_BEGINNING: Readonly<Record<Kind, FindStatement<Record<never, never>>>> = {
  role: findPage(ROLES, byWalk(), {}),
  person: findPage(PEOPLE, byWalk(), {}),
  device: findPage(DEVICES, byWalk(), {}),
};
