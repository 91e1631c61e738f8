import { changeLog, member, roleKey } from "../db/schema/role.ts";
import {
  type Declared,
  define,
  derived,
  inserted,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { ACTING, isActors } from "../identity/session_life_queries.ts";
import { firstAuthorizingRole, isReached, startsFromMemberships } from "../graph/rules/guard_queries.ts";
import { LACKS_SUDO, memberLives, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { reaches } from "../graph/rules/rule_queries.ts";
import { UNDO_SESSION } from "../role/password/role_password_queries.ts";
import { KEY, type KeyRow } from "./key_queries.ts";

/** The keys that one user made, in any role. */

/** Maximum number of keys that a batch deletes. */
export const MADE_KEYS_PER_BATCH = 100;

const { opId, now, actorId, sessionId } = placeholdersOf({ ...PRINCIPAL, opId: text });

const { owned, given } = KEY;
/** The live keys that the actor made before (`beforeTime`, `beforeId`), newest first. */
export const LIST_OWN_KEYS = rows<KeyRow>()(
  { ...ACTING, beforeTime: int, beforeId: int, limit: int },
  ({ beforeTime, beforeId, limit }) =>
    sql`
  SELECT ${KEY.values} FROM ${owned} ${KEY.joins}
  WHERE ${isActors(owned.createdBy)} AND ${given.endsAt} > ${now}
    AND (${owned.createdAt}, ${owned.id}) < (${beforeTime}, ${beforeId})
  ORDER BY ${owned.createdAt} DESC, ${owned.id} DESC LIMIT +${limit}`,
);

/** A scanned key. */
type Made = Pick<typeof roleKey, "id" | "roleId" | "name" | "createdBy">;

interface MadeKeys {
  /** Selects the keys that the condition is applied to, with all columns of `role_key`. */
  readonly from: SQL;
  /** The arguments of `from`. */
  readonly declared: Declared;
  /** Whether to delete the key and its membership. */
  readonly which: (made: Made, given: typeof member) => SQL;
  /** Returns the actor who deletes them. */
  readonly actor: (made: Made) => Value;
  /** Selects the oldest role by which they may delete a key of the role. */
  readonly via: (roleId: Value) => SQL;
  readonly session: Value;
  /** The arguments of these. */
  readonly declaredOfActor: Declared;
}

/** Deletes keys, and records each in a row of its own. */
function deleteKeys(
  { from, declared, which, actor, via, session, declaredOfActor }: MadeKeys,
): readonly Statement[] {
  const made = derived(roleKey, "made", "id", "roleId", "name", "createdBy");
  const given = row(member, "given");
  const deleted = row(changeLog, "deleted");
  const opIdOfKey = sql`${opId} || ' ' || ${made.id}`;
  const recorded = sql`(SELECT ${made.id} FROM (${from}) ${made}
    WHERE EXISTS (SELECT 1 FROM ${deleted} WHERE ${deleted.opId} = ${opIdOfKey}))`;
  return [
    define({ opId: text, now: int, ...declared, ...declaredOfActor }, () => {
      const { names, values } = inserted(changeLog, {
        opId: opIdOfKey,
        at: now,
        actorId: actor(made),
        viaRoleId: via(made.roleId),
        sessionId: session,
        kind: sql`'key.delete'`,
        roleId: made.roleId,
        relationId: made.id,
        subjectId: sql`-${made.id}`,
        oldRights: given.rights,
        decision: sql`'ok'`,
        step: sql`'write'`,
        details: sql`json_object('name', ${made.name})`,
      });
      return sql`
      INSERT INTO ${changeLog} (${names})
      SELECT ${values}
      FROM (${from}) ${made} CROSS JOIN ${given} ON ${given.id} = ${made.id} WHERE ${which(made, given)}`;
    }),
    define(
      { opId: text, ...declared },
      () => sql`DELETE FROM ${member} WHERE ${member.id} IN ${recorded}`,
    ),
    define(
      { opId: text, ...declared },
      () => sql`DELETE FROM ${roleKey} WHERE ${roleKey.id} IN ${recorded}`,
    ),
  ];
}

/**
 * Deletes keys that a user made at or after a time, when a thief may have had the account. `declared` are the arguments
 * of `user` and `since`.
 */
export function deleteKeysMadeBy(
  declared: Declared,
  { user, since }: { readonly user: Value; readonly since: Value },
): readonly Statement[] {
  const suspect = row(roleKey, "suspect");
  return deleteKeys({
    from:
      sql`SELECT * FROM ${suspect} WHERE ${suspect.createdBy} = ${user} AND ${suspect.createdAt} >= ${since}`,
    declared,
    which: () => sql`true`,
    actor: ({ createdBy }) => createdBy,
    via: () => sql`NULL`,
    session: quoted(UNDO_SESSION),
    declaredOfActor: {},
  });
}

const AFTER = { makerId: int, afterTime: int, afterId: int };
const { makerId, afterTime, afterId } = placeholdersOf(AFTER);
const next = row(roleKey, "next");
/** The keys that `makerId` made, after (`afterTime`, `afterId`). */
const NEXT = sql`FROM ${next} WHERE ${next.createdBy} = ${makerId}
      AND (${next.createdAt}, ${next.id}) > (${afterTime}, ${afterId}) ORDER BY ${next.createdAt}, ${next.id}`;

export interface NextKeysRow {
  readonly isPermitted: 0 | 1;
  /** Time and id of the last key of the batch; null if no more follow. */
  readonly lastKey: string | null;
}

interface Deleter extends Pick<MadeKeys, "via" | "session" | "declaredOfActor"> {
  readonly actor: Value;
  /** The actor may delete any key at all. */
  readonly isPermitted: SQL;
  /** Whether the actor may delete a key of the role. */
  readonly isAllowed: (roleId: Value) => SQL;
}

/**
 * Deletes the next `MADE_KEYS_PER_BATCH` keys that `makerId` made, if they are live and `isAllowed`. The first
 * statement returns a `NextKeysRow`.
 */
function deleteNext(
  { actor, via, session, isPermitted, isAllowed, declaredOfActor }: Deleter,
): readonly Statement[] {
  const othersOfBatch = MADE_KEYS_PER_BATCH - 1;
  const last = sql`SELECT ${next.createdAt} || '.' || ${next.id} ${NEXT} LIMIT 1 OFFSET ${othersOfBatch}`;
  return [
    rows<NextKeysRow>()({ ...AFTER, ...declaredOfActor }, () =>
      sql`
      SELECT ${isPermitted} AS isPermitted, (${last}) AS lastKey`),
    ...deleteKeys({
      from: sql`SELECT * ${NEXT} LIMIT ${MADE_KEYS_PER_BATCH}`,
      declared: AFTER,
      which: (made, given) => sql`${memberLives(given)} AND ${isPermitted} AND ${isAllowed(made.roleId)}`,
      actor: () => actor,
      via,
      session,
      declaredOfActor,
    }),
  ];
}

/**
 * Deletes the maker's keys of roles of which they are a member, directly or indirectly. Needs proof. Dormant memberships
 * count: the owner of an account ends what a thief made, with the factor at hand.
 */
export const DELETE_OWN_KEYS: readonly Statement[] = deleteNext({
  actor: actorId,
  via: (roleId) => firstAuthorizingRole((acting) => reaches(acting, roleId), memberLives),
  session: sessionId,
  isPermitted: sql`(${PRINCIPAL_LIVES} AND NOT ${LACKS_SUDO})`,
  isAllowed: (roleId) => isReached(actorId, roleId, startsFromMemberships(roleId)),
  declaredOfActor: { ...PRINCIPAL, sudoVersion: nullable(int) },
});

/** Deletes all keys of a maker, for an administrator's task. */
export const DELETE_KEYS_AS_ADMINISTRATOR: readonly Statement[] = deleteNext({
  actor: 0,
  via: () => sql`NULL`,
  session: sql`'operator'`,
  isPermitted: sql`true`,
  isAllowed: () => sql`true`,
  declaredOfActor: {},
});
