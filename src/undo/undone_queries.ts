import { REVISION_COLUMN } from "../db/revisions.ts";
import { userAccount } from "../db/schema/identity.ts";
import { changeLog, memberHistory } from "../db/schema/role.ts";
import { int, placeholdersOf, quoted, row, rows, rowsOf, type SQL, sql } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { seesChange } from "../explain/log/change_log_queries.ts";
import { PREVIEW_SUFFIX, recordChange } from "../changes/change_queries.ts";
import { HISTORY_FROM } from "../graph/history/moment_queries.ts";
import { readBack } from "../role/manages/manages_queries.ts";
import { ONE_ROW, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";

/** The change that is to be undone, as its reader sees it. Its row never changes once it is made. */
export interface UndoneRow {
  /** Null if there is no such change, or the actor does not read it. */
  readonly rev: number | null;
  readonly revision: number;
  readonly kind: string;
  readonly decision: string;
  /** Whether the history that it ended is kept. */
  readonly isKept: 0 | 1;
  readonly parentId: number | null;
  readonly roleId: number | null;
  readonly relationId: number | null;
  readonly subjectId: number | null;
  readonly deviceId: number | null;
  readonly oldRights: number | null;
  readonly newRights: number | null;
  /** Lists and details as JSON. */
  readonly deletedRoleIds: string | null;
  readonly deletedDeviceIds: string | null;
  readonly deletedRelationIds: string | null;
  readonly details: string | null;
  /** The address of the user whose membership it was about. */
  readonly email: string | null;
  /** The rights and the end of a membership that it removed. */
  readonly pastRights: number | null;
  readonly pastEndsAt: number | null;
}

const { undoes } = placeholdersOf({ undoes: int });

/** Whether the row is of a whole change, not of a preview or of an attempt with a role's password. */
function isChange({ kind, step }: typeof changeLog): SQL {
  return sql`(${step} NOT IN ('compare', 'abandoned', 'part') AND ${kind} NOT LIKE ${
    quoted(`%${PREVIEW_SUFFIX}`)
  })`;
}

/** Whether the history that the change ended is kept. Nothing is undone without it. */
export function isKept(undone: typeof changeLog): SQL {
  return sql`${undone.rev} > coalesce(${HISTORY_FROM}, 0)`;
}

/** The actor reads the row of the change that is undone, and its history is kept. */
export function seesUndone(): SQL {
  const undone = row(changeLog, "undone");
  return sql`EXISTS (SELECT 1 FROM ${undone} WHERE ${undone.rev} = ${undoes} AND ${undone.decision} = 'ok'
      AND ${isKept(undone)} AND ${isChange(undone)} AND ${seesChange(undone)})`;
}

function readChange(isRead: (undone: typeof changeLog) => SQL, condition: SQL): SQL {
  const { undone, past, subject } = rowsOf({ undone: changeLog, past: memberHistory, subject: userAccount });
  return sql`
  SELECT ${REVISION_COLUMN}, ${undone.rev}, ${undone.kind}, ${undone.decision}, ${undone.parentId} AS parentId,
    ${undone.roleId} AS roleId, ${undone.relationId} AS relationId, ${undone.subjectId} AS subjectId,
    ${undone.deviceId} AS deviceId, ${undone.oldRights} AS oldRights, ${undone.newRights} AS newRights,
    ${undone.deletedRoleIds} AS deletedRoleIds, ${undone.deletedDeviceIds} AS deletedDeviceIds,
    ${undone.deletedRelationIds} AS deletedRelationIds, ${undone.details}, ${
    isKept(undone)
  } AS isKept, ${subject.email},
    ${past.rights} AS pastRights, ${past.endsAt} AS pastEndsAt
  FROM ${ONE_ROW} LEFT JOIN ${undone} ON ${undone.rev} = ${undoes} AND ${isRead(undone)}
    LEFT JOIN ${past} ON ${past.memberId} = ${undone.relationId} AND ${past.toRev} = ${undone.rev}
    LEFT JOIN ${subject} ON ${subject.id} = ${undone.subjectId}
  WHERE ${condition}`;
}

/** Reads the change `undoes` for the actor, in one row. No row if the session has ended. */
export const READ_UNDONE = rows<UndoneRow>()(
  { ...PRINCIPAL, undoes: int },
  () => readChange((undone) => sql`${isChange(undone)} AND ${seesChange(undone)}`, PRINCIPAL_LIVES),
);

/** Reads it for an administrator's task. */
export const READ_UNDONE_BY_ADMINISTRATOR = rows<UndoneRow>()(
  { undoes: int },
  () => readChange(isChange, sql`true`),
);

/** Records that the actor may not undo the change, or that there is none: the two look alike. */
export const DENY_UNDO: readonly Statement[] = [
  recordChange({ undoes: int }, {
    kind: sql`'change.undo'`,
    ruled: sql`SELECT 'denied' AS ruling WHERE ${PRINCIPAL_LIVES}`,
    // About no role, so that its managers are not told.
    values: { roleId: sql`NULL`, details: sql`json_object('undoes', ${undoes})` },
  }),
  readBack(sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}`),
];
