import { defineStatement, type Statement } from "../../db/statement.ts";
import { isVisible, LACKS_SUDO, memberLives, PRINCIPAL_LIVES } from "../guard_text.ts";
import { UNDO_SESSION } from "../role_password_queries.ts";

/** The keys that one user made, in any role. */

/** Maximum number of keys that a batch deletes. */
export const MADE_KEYS_PER_BATCH = 100;

interface MadeKeys {
  /** SQL: selects the keys that the condition is applied to, with all columns of `role_key`. */
  readonly from: string;
  /** SQL: whether `made`, with its membership `given`, is to be deleted. */
  readonly which: string;
  /** SQL expressions: the actor who deletes them. */
  readonly actor: string;
  readonly session: string;
}

/** Deletes keys, and records each in a row of its own. Parameters: `:opId`, `:now`. */
function deleteKeys({ from, which, actor, session }: MadeKeys): readonly Statement[] {
  const recorded = `(SELECT made.id FROM (${from}) made
    WHERE EXISTS (SELECT 1 FROM change_log deleted WHERE deleted.op_id = :opId || ' ' || made.id))`;
  return [
    defineStatement(`
      INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, relation_id, subject_id, old_rights,
        decision, effect, details)
      SELECT :opId || ' ' || made.id, :now, ${actor}, ${session}, 'key.delete', made.role_id, made.id,
        -made.id, given.rights, 'ok', 'write', json_object('name', made.name)
      FROM (${from}) made CROSS JOIN member given ON given.id = made.id WHERE ${which}`),
    defineStatement(`DELETE FROM member WHERE id IN ${recorded}`),
    defineStatement(`DELETE FROM role_key WHERE id IN ${recorded}`),
  ];
}

/**
 * Deletes keys that a user made at or after a time: a thief of the account may have made them. `user` and `since` are
 * SQL expressions. Parameters: `:opId`, `:now`.
 */
export function deleteKeysMadeBy({ user, since }: { user: string; since: string }): readonly Statement[] {
  return deleteKeys({
    from:
      `SELECT * FROM role_key suspect WHERE suspect.created_by = ${user} AND suspect.created_at >= ${since}`,
    which: "true",
    actor: "made.created_by",
    session: `'${UNDO_SESSION}'`,
  });
}

/** SQL: the keys that `:makerId` made, after (`:afterTime`, `:afterId`). */
const NEXT = `FROM role_key next WHERE next.created_by = :makerId
      AND (next.created_at, next.id) > (:afterTime, :afterId) ORDER BY next.created_at, next.id`;

/**
 * Deletes the next `MADE_KEYS_PER_BATCH` keys that `:makerId` made, if they are live and `isAllowed`. The first
 * statement returns a `NextKeysRow`.
 */
function deleteNext(
  { isPermitted, isAllowed, ...deleter }: Pick<MadeKeys, "actor" | "session"> & {
    /** SQL: whether the actor may delete any key at all. */
    readonly isPermitted: string;
    /** SQL: whether the actor may delete `made`. */
    readonly isAllowed: string;
  },
): readonly Statement[] {
  return [
    defineStatement(`
      SELECT ${isPermitted} AS isPermitted,
        (SELECT next.created_at || '.' || next.id ${NEXT} LIMIT 1 OFFSET ${
      MADE_KEYS_PER_BATCH - 1
    }) AS lastKey`),
    ...deleteKeys({
      ...deleter,
      from: `SELECT * ${NEXT} LIMIT ${MADE_KEYS_PER_BATCH}`,
      which: `${memberLives("given")} AND ${isPermitted} AND ${isAllowed}`,
    }),
  ];
}

/** For their maker, with proof: the keys of roles of which they are a member, directly or indirectly. */
export const DELETE_OWN_KEYS: readonly Statement[] = deleteNext({
  actor: ":actorId",
  session: ":sessionId",
  isPermitted: `(${PRINCIPAL_LIVES} AND NOT ${LACKS_SUDO})`,
  isAllowed: isVisible("made.role_id"),
});

/** For an administrator's task: all keys. */
export const DELETE_KEYS_AS_ADMINISTRATOR: readonly Statement[] = deleteNext({
  actor: "0",
  session: "'operator'",
  isPermitted: "true",
  isAllowed: "true",
});
