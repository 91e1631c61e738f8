import { member, role, roleClosure } from "../db/schema/role.ts";
import { type Declared, placeholdersOf, row, rowsOf, type SQL, sql, text, type Value } from "../db/sql.ts";
import { probing } from "../db/statement.ts";
import {
  HAS_FEW,
  isOneVisible,
  isVisible,
  markUpdates,
  mayUpdateRole,
  rightsWithUpdate,
} from "../graph/rules/guard_queries.ts";
import { affordedId } from "../graph/rules/price_queries.ts";
import { memberIsAwake } from "../graph/rules/principal_queries.ts";
import { fitsPatterns, plainly } from "./plain_letters.ts";
import {
  AFFORDED_END,
  ARE_FEW_NAMED,
  BY_REACH,
  END_OF_STRETCH,
  HORIZON,
  inList,
  LIST,
  LOOKED_TO,
  LOOKED_TO_IN_STRETCH,
  naming,
  PAGE,
  type PageRows,
  priced,
  REACHED,
  reachOf,
  ROWS_OF_LIST,
  startingFrom,
  stretch,
  STRETCH_END,
  stretchOf,
  unlessCostly,
  walking,
  whileSessionLives,
} from "../graph/paging/page_queries.ts";

/**
 * Pages of the roles that the actor sees, in order of id: up to `:limit` rows after `:afterId`. The most selective list
 * drives a statement: its index has the candidates, and all else is a probe per candidate. So a page costs by what it
 * returns, not by what is stored.
 */

const { actorId, afterId, limit } = placeholdersOf(PAGE);

/** Further filters of roles. */
const OTHER_FILTERS = { patterns: LIST, ancestorIds: LIST };
const { names, externalIds, starts, patterns, ancestorIds } = placeholdersOf({
  names: LIST,
  externalIds: LIST,
  starts: LIST,
  ...OTHER_FILTERS,
});

/** Sorts after all characters: UTF-8 has no such byte. */
const AFTER_ALL = sql`CAST(x'FF' AS TEXT)`;

/** Whether the name begins with `start`, by the index that ignores the case of ASCII letters. */
function startsWith(candidate: typeof role, start: Value): SQL {
  return sql`${candidate.name} COLLATE NOCASE >= ${start} AND ${candidate.name} COLLATE NOCASE < ${start} || ${AFTER_ALL}`;
}

/** Whether the name fits one of `:patterns`, or that is null. */
function isLikePattern(candidate: typeof role): SQL {
  return fitsPatterns(plainly(candidate.name), patterns);
}

/** Whether the actor sees the role, or has many memberships: then the role is judged later, if that is affordable. */
function isVisibleToFew(on: Value): SQL {
  return sql`iif(${HAS_FEW}, ${isOneVisible(on)}, true)`;
}

/** Joins roles whose names begin with one of `:starts`. */
function begunWith(candidate: typeof role): SQL {
  return sql`json_each(${starts}) requested CROSS JOIN ${candidate} ON ${
    startsWith(candidate, sql`requested.value`)
  }`;
}

/** Joins roles with one of `:externalIds`. */
function identifiedBy(candidate: typeof role): SQL {
  return sql`json_each(${externalIds}) requested CROSS JOIN ${candidate} ON ${candidate.externalId} = requested.value`;
}

/** Joins roles with one of `:names`. */
function namedIn(candidate: typeof role): SQL {
  return sql`json_each(${names}) requested CROSS JOIN ${candidate} ON ${candidate.name} = requested.value`;
}

/** Whether the role has one of `:externalIds` and matches the other filters but `:ancestorIds`. */
function isIdentified(candidate: typeof role): SQL {
  return sql`${candidate.externalId} IN (SELECT value FROM json_each(${externalIds}))
      AND ${inList(candidate.name, names)} AND ${isLikePattern(candidate)}`;
}

/** Returns the CTE `seen_ancestor`: the roles of `:ancestorIds` that the actor sees. */
function seenAncestors(): SQL {
  return sql`seen_ancestor(role_id) AS MATERIALIZED (
  SELECT requested.value FROM json_each(${unlessCostly(ancestorIds)}) requested WHERE ${
    isVisible(sql`requested.value`)
  })`;
}

/**
 * Whether one of `seen_ancestor` is above the role, or `:ancestorIds` is null. Takes a step per role above it, however
 * long the list: the "+" keeps SQLite from probing the closure for each id.
 */
function belowAncestors(on: Value): SQL {
  const below = row(roleClosure, "below");
  return sql`(${ancestorIds} IS NULL OR EXISTS (SELECT 1 FROM ${below}
    WHERE ${below.descendantId} = ${on} AND +${below.ancestorId} IN (SELECT role_id FROM seen_ancestor)))`;
}

/** Roles are judged by those above them: for an actor with many memberships, and to find ancestors. */
const LOOKS_ABOVE = sql`(NOT (${HAS_FEW}) OR ${ancestorIds} IS NOT NULL)`;

/** Returns the CTE `afforded`: the id up to which the page goes; see `affordedId`. */
function afforded(rows: SQL, condition?: SQL): SQL {
  return sql`afforded(last_id) AS MATERIALIZED (SELECT ${affordedId(rows, condition)})`;
}
const OF_LISTED = sql`SELECT id, id AS role_id FROM listed`;

/** Returns the page of the affordable roles of `listed` that meet the condition. */
function rolePage(condition: SQL): PageRows {
  const columns = {
    id: role.id,
    name: role.name,
    selfRights: role.selfRights,
    externalId: role.externalId,
    userRights: rightsWithUpdate(role.id),
  };
  const from = sql`(SELECT listed.id FROM listed WHERE listed.id <= ${AFFORDED_END} AND ${condition}
      ORDER BY listed.id LIMIT +${limit}) candidates
    CROSS JOIN ${role} ON ${role.id} = candidates.id`;
  return { columns, from, isPriced: true, lookedTo: LOOKED_TO };
}

/** Returns the CTE `listed` of candidates. */
function listed(candidates: SQL): SQL {
  return sql`listed(id) AS MATERIALIZED (SELECT DISTINCT id FROM (${candidates}))`;
}

/** Whether an actor with many memberships sees a role of `listed`. Of others, only seen roles are listed. */
function isListedSeen(): SQL {
  return sql`CASE WHEN ${HAS_FEW} THEN true ELSE ${isVisible(sql`listed.id`)} END`;
}

/** How a page finds roles by an index. */
interface FoundRoles {
  /** Joins the roles that the index finds. */
  readonly named: (candidate: typeof role) => SQL;
  /** Whether the index has those of one value in order of id: then only those of later pages are counted. */
  readonly isInOrder?: boolean;
  /** Whether a role matches the filters but `:ancestorIds`. */
  readonly matches: (candidate: typeof role) => SQL;
  /** Joins the roles that a walk looks at. By default, all. */
  readonly walked?: (candidate: typeof role) => SQL;
  /** Whether the actor sees a role that was not found by what they reach, if they have few memberships. */
  readonly isSeen: (on: Value) => SQL;
  /** Whether the page shows a role of `listed`. */
  readonly isShown: SQL;
}

function allRoles(candidate: typeof role): SQL {
  return sql`${candidate}`;
}

/**
 * Returns the ways of a page of roles that an index finds. Any number of these may be hidden from the actor. So their
 * number matters only for an actor who reaches many roles: for another one, the time would tell it.
 */
function foundRoles<const N extends Declared, const O extends Declared>(
  filters: { readonly named: N; readonly others: O },
  { named, isInOrder = false, matches, walked = allRoles, isSeen, isShown }: FoundRoles,
) {
  const candidate = row(role, "candidate");
  const isLater = sql`${candidate.id} > ${afterId}`;
  const of = (ctes: readonly SQL[], found: SQL): PageRows => ({
    ...rolePage(sql`${isShown} AND ${belowAncestors(sql`listed.id`)}`),
    ctes: [
      ...ctes,
      priced(ancestorIds),
      seenAncestors(),
      listed(sql`SELECT ${candidate.id} FROM ${found} AND ${matches(candidate)}`),
      afforded(OF_LISTED, LOOKS_ABOVE),
    ],
  });
  return {
    reach: whileSessionLives(filters.others, () => {
      const reached = sql`${candidate} ON ${candidate.id} = reach.role_id`;
      const { ctes, unless } = startingFrom(REACHED, reached);
      return { ...of(ctes, sql`reach CROSS JOIN ${reached} WHERE ${BY_REACH} AND ${isLater}`), unless };
    }),
    named: whileSessionLives(filters.named, () => {
      const counted = isInOrder ? sql`${named(candidate)} AND ${isLater}` : named(candidate);
      const { ctes, unless } = naming(counted);
      const found = sql`${named(candidate)} AND ${isLater} WHERE ${ARE_FEW_NAMED} AND ${
        isSeen(candidate.id)
      }`;
      return { ...of([...reachOf(REACHED), ...ctes], found), unless };
    }),
    walk: whileSessionLives(filters.others, () => {
      const { ctes, end } = walking(role);
      const isWalked = sql`${isLater} AND ${candidate.id} <= ${HORIZON} AND ${isSeen(candidate.id)}`;
      return { ...of(ctes, sql`${walked(candidate)} WHERE ${isWalked}`), end };
    }),
  } as const;
}

/**
 * Returns a page of the roles `ids`, which has no duplicates. A role is seen if the rights that the page needs anyway
 * are not null, even without a right (0). LIMIT -1 keeps them from being computed twice.
 */
function requestedRoles(ids: Value, filter: SQL): PageRows {
  const columns = {
    id: sql`seen.id`,
    name: sql`seen.name`,
    selfRights: sql`seen.self_rights`,
    externalId: sql`seen.external_id`,
    userRights: sql`seen.rights`,
  };
  const from = sql`(SELECT * FROM (
      SELECT ${role.id}, ${role.name}, ${role.selfRights}, ${role.externalId}, ${
    rightsWithUpdate(role.id)
  } AS rights
      FROM json_each(${ids}) requested CROSS JOIN ${role} ON ${role.id} = requested.value
      WHERE ${role.id} > ${afterId} AND ${filter} LIMIT -1)
    WHERE rights IS NOT NULL ORDER BY id LIMIT +${limit}) seen`;
  return { columns, from };
}

/**
 * Returns a page of all roles that the actor sees. Rights of several paths to a role are united only if they differ,
 * since that takes longer than everything else.
 */
function heldRoles(): PageRows {
  const columns = {
    id: role.id,
    name: role.name,
    selfRights: role.selfRights,
    externalId: role.externalId,
    userRights: sql`held.rights`,
  };
  const { own, later } = rowsOf({ own: member, later: roleClosure });
  const { self, source } = rowsOf({ self: role, source: roleClosure });
  const passed = markUpdates(sql`${source.rights} & mine.rights`);
  const nextIds = sql`SELECT ${later.descendantId} FROM ${later}
        WHERE ${later.ancestorId} = mine.role_id AND ${later.descendantId} > ${afterId} ORDER BY ${later.descendantId}`;
  const share = sql`(SELECT max(1, min(${limit}, ${ROWS_OF_LIST} / max(1, count(*)))) FROM mine)`;
  const ctes = [
    sql`mine(role_id, rights) AS MATERIALIZED (
      SELECT ${own.roleId}, ${own.rights} FROM ${own} WHERE ${own.userId} = ${actorId} AND ${
      memberIsAwake(own)
    })`,
    stretch(nextIds, share, sql`mine`),
    sql`held(id, least, most) AS MATERIALIZED (SELECT id, min(rights), max(rights) FROM (
        SELECT ${self.id}, ${self.selfRights} & mine.rights AS rights FROM mine CROSS JOIN ${self} ON ${self.id} = mine.role_id
        WHERE mine.role_id > ${afterId} AND mine.role_id <= ${STRETCH_END}
        UNION ALL SELECT ${source.descendantId}, ${passed} FROM mine CROSS JOIN ${source}
          ON ${source.ancestorId} = mine.role_id AND ${source.descendantId} > ${afterId}
            AND ${source.descendantId} <= ${STRETCH_END})
      GROUP BY id ORDER BY id LIMIT +${limit})`,
    afforded(sql`SELECT id, id AS role_id FROM held WHERE least <> most`),
  ];
  const rights = sql`CASE least WHEN most THEN least ELSE ${rightsWithUpdate(sql`held.id`)} END`;
  const from = sql`(SELECT id, ${rights} AS rights FROM held WHERE id <= ${AFFORDED_END}) held
    CROSS JOIN ${role} ON ${role.id} = held.id`;
  return { columns, from, ctes, lookedTo: LOOKED_TO_IN_STRETCH };
}

/** Pages by ids alone, for short: a frequent statement, which a server prepares anew each time. */
const ROLES_BY_ID = whileSessionLives({ ids: text }, ({ ids }) => ({
  ...requestedRoles(ids, sql`${role.id} <= ${AFFORDED_END}`),
  ctes: [
    afforded(sql`SELECT value AS id, value AS role_id FROM json_each(${ids}) WHERE value > ${afterId}`),
  ],
  lookedTo: LOOKED_TO,
}));

/** Returns the CTE `listed`: the roles of `ids` that match the filter. */
function listedById(ids: Value): SQL {
  const nameFilter = sql`${inList(role.name, names)} AND ${inList(role.externalId, externalIds)}`;
  return sql`listed(id) AS MATERIALIZED (SELECT ${role.id} FROM json_each(${ids}) requested CROSS JOIN ${role} ON ${role.id} = requested.value
    WHERE ${role.id} > ${afterId} AND ${nameFilter} AND ${isLikePattern(role)} AND ${
    isVisibleToFew(role.id)
  })`;
}

/** Returns a page of roles below those of `:ancestorIds`. */
function rolesBelow(): PageRows {
  const { next, source } = rowsOf({ next: roleClosure, source: roleClosure });
  const below = sql`SELECT ${source.descendantId} AS id FROM requested_role
  CROSS JOIN ${source} ON ${source.ancestorId} = requested_role.id
    AND ${source.descendantId} > ${afterId} AND ${source.descendantId} <= ${STRETCH_END}`;
  const nextIds = (ancestor: Value): SQL =>
    sql`SELECT ${next.descendantId} FROM ${next}
      WHERE ${next.ancestorId} = ${ancestor} AND ${next.descendantId} > ${afterId} ORDER BY ${next.descendantId}`;
  return {
    ...rolePage(sql`true`),
    ctes: [
      ...stretchOf(ancestorIds, isVisible, nextIds),
      sql`listed(id) AS MATERIALIZED (SELECT DISTINCT id FROM (${below}) ORDER BY id LIMIT +${limit})`,
      afforded(OF_LISTED),
    ],
    isPriced: true,
    end: END_OF_STRETCH,
  };
}

const EXTERNAL_ID_FILTERS = { names: LIST, externalIds: LIST, ...OTHER_FILTERS };
const NAME_FILTERS = { names: LIST, ...OTHER_FILTERS };

/** Pages of roles by the list that drives them. Their rows are `RoleRow`s. */
export const ROLE_PAGES = {
  id: ROLES_BY_ID,
  fewIds: {
    probe: probing(whileSessionLives({ ids: text }, ({ ids }) => ({
      ...requestedRoles(ids, HAS_FEW),
      unless: sql`NOT (${HAS_FEW})`,
    }))),
    list: ROLES_BY_ID,
  },
  idAndMore: whileSessionLives(
    { ids: text, names: LIST, externalIds: LIST, ...OTHER_FILTERS },
    ({ ids }) => {
      const on = sql`listed.id`;
      const isShown = sql`iif(${externalIds} IS NULL, ${isVisible(on)}, ${mayUpdateRole(on)})`;
      return {
        ...rolePage(sql`${isShown} AND ${belowAncestors(on)}`),
        ctes: [priced(ancestorIds), seenAncestors(), listedById(ids), afforded(OF_LISTED, LOOKS_ABOVE)],
      };
    },
  ),
  externalId: foundRoles(
    { named: EXTERNAL_ID_FILTERS, others: EXTERNAL_ID_FILTERS },
    {
      named: identifiedBy,
      matches: isIdentified,
      isSeen: () => sql`true`,
      isShown: mayUpdateRole(sql`listed.id`),
    },
  ),
  name: foundRoles({ named: NAME_FILTERS, others: NAME_FILTERS }, {
    named: namedIn,
    isInOrder: true,
    matches: (candidate) => sql`${inList(candidate.name, names)} AND ${isLikePattern(candidate)}`,
    walked: namedIn,
    isSeen: isVisibleToFew,
    isShown: isListedSeen(),
  }),
  // Counts roles of earlier pages, too: the index is not in order of id, and would be read past them in any case.
  namePrefix: foundRoles({ named: { starts: LIST, ...OTHER_FILTERS }, others: OTHER_FILTERS }, {
    named: begunWith,
    matches: isLikePattern,
    isSeen: isVisibleToFew,
    isShown: isListedSeen(),
  }),
  ancestor: whileSessionLives({ ancestorIds: text }, rolesBelow),
  none: whileSessionLives({}, heldRoles),
} as const;
