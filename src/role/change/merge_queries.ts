import { MINUTE_MS } from "../../core/clock.ts";
import { changeLog } from "../../db/schema/role.ts";
import {
  assigned,
  define,
  int,
  join,
  placeholdersOf,
  quoted,
  row,
  type SQL,
  sql,
  text,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { PREVIEW_SUFFIX } from "./change_queries.ts";

/**
 * The rows of refusals, noops and previews, which changed nothing. Equal ones of a caller in a minute share the first
 * one's row, which counts them, so that no caller can fill the log.
 */

/** Maximum number of such rows per branch and minute with different targets. Beyond it, targets share a row. */
export const TRIED_ROWS_PER_MINUTE = 60;

const MERGE = { opId: text, branch: text, now: int };
const { opId, branch, now } = placeholdersOf(MERGE);
/** What a change is about. */
const TARGET = ["parentId", "roleId", "relationId", "subjectId", "deviceId"] as const;
/** Prefix of the keys of this branch in this minute. */
const OF_MINUTE = sql`${branch} || ' ' || (${now} / ${MINUTE_MS})`;

/** The row of this operation has no key yet, and changed nothing. An attempt with a role's password is settled later. */
function isTried({ opId: id, mergeKey, decision, effect, kind }: typeof changeLog): SQL {
  return sql`${id} = ${opId} AND ${mergeKey} IS NULL AND (${kind} LIKE ${quoted(`%${PREVIEW_SUFFIX}`)}
      OR ${decision} <> 'ok' AND ${effect} <> 'compare')`;
}

const crowd = row(changeLog, "crowd");
/** Selects whether there are few keys of this minute, so that the target is one of the key's parts. */
const FROM_FEW = sql`(SELECT count(*) < ${TRIED_ROWS_PER_MINUTE} AS has_few FROM (SELECT 1 FROM ${crowd}
    WHERE ${crowd.mergeKey} >= ${OF_MINUTE} || ' ' AND ${crowd.mergeKey} < ${OF_MINUTE} || '!'
    LIMIT ${TRIED_ROWS_PER_MINUTE}))`;

/** Returns the key that equal rows of a minute share, where `FROM_FEW` is. */
function keyOf(of: typeof changeLog): SQL {
  const target = TARGET.map((column) => sql`coalesce(${of[column]}, '-')`);
  return sql`${OF_MINUTE} || ' ' || ${of.actorId} || ' ' || ${of.kind} || ' ' || ${of.decision} || ' ' ||
      iif(has_few, ${join(target, " || ' ' || ")}, '')`;
}

const tried = row(changeLog, "tried");

/**
 * Follow the statement of a change's batch that reads the result back. An attempt whose response was lost, and that was
 * merged, is decided again: it has changed nothing.
 */
export const MERGE_TRIED: readonly Statement[] = [
  // Unless an earlier row has the key. What would have been done is not kept.
  define(MERGE, () => {
    const none = sql`NULL`;
    const deleted = { deletedRoleIds: none, deletedDeviceIds: none, deletedRelationIds: none };
    const set = { mergeKey: keyOf(changeLog), effect: sql`'none'`, ...deleted };
    return sql`
  UPDATE OR IGNORE ${changeLog} SET ${assigned(changeLog, set)}
  FROM ${FROM_FEW} WHERE ${isTried(changeLog)}`;
  }),
  // A row of several targets names none: its key ends before them.
  define(MERGE, () => {
    const target = TARGET.map((column) => {
      return [column, sql`iif(substr(${changeLog.mergeKey}, -1) = ' ', NULL, ${changeLog[column]})`] as const;
    });
    const merged = { attempts: sql`${changeLog.attempts} + 1`, ...Object.fromEntries(target) };
    return sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, merged)}
  WHERE ${changeLog.mergeKey} = (SELECT ${keyOf(tried)} FROM ${tried} CROSS JOIN ${FROM_FEW} WHERE ${
      isTried(tried)
    })`;
  }),
  define({ opId: text }, () =>
    sql`
  DELETE FROM ${changeLog} WHERE ${isTried(changeLog)}`),
];
