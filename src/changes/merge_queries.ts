import { MINUTE_MS } from "../core/clock.ts";
import { changeLog } from "../db/schema/role.ts";
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
  type SQLiteColumn,
  text,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { PREVIEW_SUFFIX } from "./change_queries.ts";
import type { Decision } from "./decision.ts";

/**
 * The rows of refusals, noops and previews, which changed nothing. Equal ones of a caller in a minute share a row, so
 * that no caller can fill the log.
 */

/** Maximum number of such rows per branch and minute with different targets. Beyond it, targets share a row. */
export const TRIED_ROWS_PER_MINUTE = 60;

const MERGE = { opId: text, branch: text, now: int };
const { opId, branch, now } = placeholdersOf(MERGE);
/** Prefix of the keys of this branch in this minute. */
const OF_MINUTE = sql`${branch} || ' ' || (${now} / ${MINUTE_MS})`;
const PREVIEWS = quoted(`%${PREVIEW_SUFFIX}`);
const [tried, crowd, earlier] = [row(changeLog, "tried"), row(changeLog, "crowd"), row(changeLog, "earlier")];

/** This operation changed nothing. An attempt with a role's password is settled later. */
function isTried({ opId: id, decision, step, kind }: typeof changeLog): SQL {
  return sql`${id} = ${opId} AND (${kind} LIKE ${PREVIEWS} OR ${decision} <> 'ok' AND ${step} <> 'compare')`;
}

/** What the row is about, but for the person: a refusal must not tell who has an account. */
const TARGET = [tried.parentId, tried.roleId, tried.relationId, tried.deviceId]
  .map((id) => sql`coalesce(${id}, '-')`);
/** Selects the key that equal rows of a minute share: the target is a part of it as long as there are few. */
const FROM_KEY =
  sql`(SELECT ${OF_MINUTE} || ' ' || ${tried.actorId} || ' ' || ${tried.kind} || ' ' || ${tried.decision} || ' ' ||
      CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM ${crowd}
          WHERE ${crowd.mergeKey} >= ${OF_MINUTE} || ' ' AND ${crowd.mergeKey} < ${OF_MINUTE} || '!'
          LIMIT ${TRIED_ROWS_PER_MINUTE})) < ${TRIED_ROWS_PER_MINUTE}
        THEN ${join(TARGET, " || ' ' || ")} ELSE '' END AS merge_key
      FROM ${tried} WHERE ${isTried(tried)})`;

/** What a refused change would have deleted. Only a preview's is kept. */
const LISTS = ["deletedRoleIds", "deletedDeviceIds", "deletedRelationIds"] as const;
const SHARED = [
  "parentId",
  "roleId",
  "relationId",
  "subjectId",
  "deviceId",
  "oldRights",
  "newRights",
  "viaRoleId",
  "undoes",
] as const;

/** Null where refusals differ. Those of these decisions keep that of the latest, whose batch reads it back. */
function merged(column: SQLiteColumn, before: SQLiteColumn, ...kept: readonly Decision[]): SQL {
  return sql`CASE WHEN ${earlier.rev} IS NULL OR ${changeLog.decision} IN (${quoted("ok", "noop", ...kept)})
      OR ${column} IS ${before} THEN ${column} END`;
}

/**
 * Follows the statement of a change's batch that reads the row back. The row replaces an equal one, with its number,
 * time and count. So an earlier attempt whose response was lost is decided again: it has changed nothing.
 */
export const MERGE_TRIED: Statement = define(MERGE, () => {
  const columns = SHARED.map((name) => [name, merged(changeLog[name], earlier[name])] as const);
  const lists = LISTS.map((name) =>
    [name, sql`CASE WHEN ${changeLog.kind} LIKE ${PREVIEWS} THEN ${changeLog[name]} END`] as const
  );
  const set = assigned(changeLog, {
    rev: sql`coalesce(${earlier.rev}, ${changeLog.rev})`,
    at: sql`coalesce(${earlier.at}, ${changeLog.at})`,
    attempts: sql`coalesce(${earlier.attempts}, 0) + 1`,
    mergeKey: sql`key.merge_key`,
    step: sql`'none'`,
    details: merged(changeLog.details, earlier.details, "cannot_end", "would_delete", "unmanaged"),
    ...Object.fromEntries([...columns, ...lists]),
  });
  return sql`
  UPDATE OR REPLACE ${changeLog} SET ${set}
  FROM ${FROM_KEY} key LEFT JOIN ${earlier} ON ${earlier.mergeKey} = key.merge_key
  WHERE ${isTried(changeLog)}`;
});
