import { member, role, roleClosure, roleKey } from "../db/schema/role.ts";
import { join, placeholdersOf, quoted, raw, row, rowsOf, type SQL, sql, type Value } from "../db/sql.ts";
import { FEW_MEMBERSHIPS } from "../graph/rules/guard_queries.ts";
import {
  ACTOR_IS_USER,
  holderLives,
  LIVING,
  memberLives,
  needsNow,
  PRINCIPAL,
} from "../graph/rules/principal_queries.ts";
import type { Authorization, GivingMembership, Membership } from "../graph/rules/rules.ts";
import { topOf } from "./chain_queries.ts";
import { type Fact, list, whether } from "./facts.ts";

/** The facts about who makes a change, and what their memberships reach. */

const { actorId } = placeholdersOf(PRINCIPAL);

const { user, key } = LIVING;
const USER = sql`(SELECT json_object('meets', ${user.meets}) FROM ${user.from} WHERE ${user.where})`;
/** Of either kind, only that is looked up. */
const CALLER: Fact<Authorization<never>["caller"]> = {
  json: USER,
  ofMany: sql`CASE WHEN ${ACTOR_IS_USER} THEN ${USER}
      ELSE (SELECT json_object('meets', ${key.meets}) FROM ${key.from} WHERE ${key.where}) END`,
};

const made = row(roleKey, "made");
/** The maker of the key that asks; null for a user, and for a key that an administrator's task made. */
const MAKER = sql`(SELECT ${made.createdBy} FROM ${made} WHERE ${made.id} = -${actorId})`;

const HOLDERS = sql`(${actorId}, ${MAKER})`;
const crowd = row(member, "crowd");
/** Whether the caller is a user with few memberships, ended ones included. Most are: their facts have short texts. */
export const CALLER_HAS_FEW: SQL = sql`iif(${ACTOR_IS_USER}, (SELECT 1 FROM ${crowd}
  WHERE ${crowd.userId} = ${actorId} LIMIT 1 OFFSET ${FEW_MEMBERSHIPS}) IS NULL, false)`;

type AuthorizationFacts<M> = { readonly [F in keyof Authorization<M>]: Fact<Authorization<M>[F]> };

/**
 * Returns the facts of `Authorization`, with the memberships that reach at least one of these roles. A role that is not
 * there is reached by none, in the same time.
 */
export function authorizationOf<N extends string>(
  roles: Readonly<Record<N, Value>>,
): AuthorizationFacts<Membership<N>> {
  return authorizing(membershipsReaching(roles, false));
}

/** The same for a change that gives memberships. */
export function givingAuthorizationOf<N extends string>(
  roles: Readonly<Record<N, Value>>,
): AuthorizationFacts<GivingMembership<N>> {
  return authorizing(membershipsReaching(roles, true));
}

function authorizing<M>(memberships: Fact<readonly M[]>): AuthorizationFacts<M> {
  const hasMaker = { json: whether(sql`false`).json, ofMany: whether(sql`${MAKER} IS NOT NULL`).json };
  return { caller: CALLER, memberships, hasMaker };
}

/** An administrator's task makes the change, which no membership authorizes. */
export const ADMINISTRATION: AuthorizationFacts<never> = {
  caller: { json: sql`CASE ${actorId} WHEN 0 THEN '{"meets":null}' END` },
  memberships: { json: sql`'[]'` },
  hasMaker: whether(sql`false`),
};

/**
 * The memberships of the caller, and of a key's maker, that reach one of the roles. Equal ones are one, of their oldest
 * role: a member of thousands of roles above has few different ones. With many, or for a key, it starts from the roles.
 * `gives`: with what `GivingMembership` has besides.
 */
function membershipsReaching(
  roles: Readonly<Record<string, Value>>,
  gives: boolean,
): Fact<never> {
  const { own, entered, path, above } = rowsOf({
    own: member,
    entered: role,
    path: roleClosure,
    above: roleClosure,
  });
  const targets = Object.entries(roles);
  const names = targets.map(([name]) => name);
  const reach = targets.flatMap(([name, on]) => [
    sql`CASE ${own.roleId} WHEN ${on} THEN ${entered.selfRights} END AS ${selfOf(name)}`,
    sql`(SELECT ${path.rights} FROM ${path} WHERE ${path.descendantId} = ${on}
        AND ${path.ancestorId} = ${own.roleId}) AS ${pathOf(name)}`,
  ]);
  const columns = join(names.flatMap((name) => [selfOf(name), pathOf(name)]));
  const to = names.flatMap((name) => [
    quoted(name),
    sql`json_object('self', ${selfOf(name)}, 'path', ${pathOf(name)})`,
  ]);
  const ends = gives ? sql`, ends_at` : sql``;
  const same = sql`is_maker, rights, needs, is_root, branch${ends}, ${columns}`;
  const fields = {
    roleId: sql`role_id`,
    isMaker: sql`is_maker`,
    rights: sql`rights`,
    needs: sql`needs`,
    isRoot: sql`is_root`,
    branch: sql`branch`,
    ...(gives && { id: sql`id`, endsAt: sql`ends_at` }),
    to: { json: sql`json_object(${join(to)})` },
  };
  const different = (from: SQL, isMaker: SQL, isOwn: SQL): SQL =>
    list<object>(
      fields,
      sql`FROM (SELECT min(role_id) AS role_id, ${gives ? sql`min(id) AS id, ` : sql``}${same} FROM (
      SELECT ${own.roleId}, ${isMaker} AS is_maker, ${own.rights}, ${
        needsNow(own)
      } AS needs, ${entered.isRoot},
        ${topOf(own.chain)} AS branch, ${gives ? sql`${own.id}, ${own.endsAt}, ` : sql``}${join(reach)}
      FROM ${from} CROSS JOIN ${entered} ON ${entered.id} = ${own.roleId}
      WHERE ${isOwn})
      WHERE coalesce(${columns}) IS NOT NULL GROUP BY ${same}) ORDER BY is_maker, role_id`,
    ).json;
  const upper = sql`(SELECT ${above.ancestorId} AS id FROM ${above}
        WHERE ${above.descendantId} IN (${join(targets.map(([, on]) => on))})
      UNION VALUES ${join(targets.map(([, on]) => sql`(${on})`))}) upper`;
  const isMaker = sql`${own.userId} <> ${actorId}`;
  const ofMany = different(
    sql`${upper} CROSS JOIN ${own} ON ${own.roleId} = upper.id`,
    isMaker,
    sql`${own.userId} IN ${HOLDERS} AND iif(${isMaker}, ${holderLives(own)}, ${memberLives(own)})`,
  );
  return {
    json: different(sql`${own}`, sql`0`, sql`${own.userId} = ${actorId} AND ${memberLives(own)}`),
    // A role that none of them reaches takes as long as one that is not there, however many roles are above it.
    ofMany: sql`iif(${reachesOne(targets.map(([, on]) => on))}, ${ofMany}, '[]')`,
  };
}

/** Whether a membership of the caller, or of a key's maker, reaches one of the roles. Starts from the memberships. */
function reachesOne(roles: readonly Value[]): SQL {
  const { held, way } = rowsOf({ held: member, way: roleClosure });
  return sql`EXISTS (SELECT 1 FROM ${held} WHERE ${held.userId} IN ${HOLDERS} AND (${held.roleId} IN (${
    join(roles)
  })
    OR EXISTS (SELECT 1 FROM ${way} WHERE ${way.descendantId} IN (${join(roles)})
      AND ${way.ancestorId} = ${held.roleId})))`;
}

function selfOf(name: string): SQL {
  // A name of this module's callers, not of a request.
  return raw(`self_${name}`);
}

function pathOf(name: string): SQL {
  // The same.
  return raw(`path_${name}`);
}
