import { changeLog, idSequence } from "../db/schema/role.ts";
import {
  assigned,
  define,
  placeholdersOf,
  quoted,
  row,
  rows,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";

/**
 * What imports write into the change log: a row for each change of a list, whose operation id is that of the list's
 * operation, a space, and the place in the list.
 */

/** What the session id of a change log row begins with if an import made the change. The id of its run follows. */
export const IMPORT_SESSION_PREFIX = "import:";

const NO_ACCOUNT = 0;
const { opId } = placeholdersOf({ opId: text });

/** Returns the columns of a change log row that say which import made the change. */
export function importedBy(runId: Value): { readonly actorId: number; readonly sessionId: SQL } {
  return { actorId: NO_ACCOUNT, sessionId: sql`${quoted(IMPORT_SESSION_PREFIX)} || ${runId}` };
}

/** Whether the row of the log is of this operation, which has a row for each change, numbered behind its id. */
export function isOfOperation(log: typeof changeLog): SQL {
  return sql`${log.opId} > ${opId} || ' ' AND ${log.opId} < ${opId} || '!'`;
}

/** The id that the next row takes, if `isNew` tells new rows apart and `listed` is the list. */
export function numberedId(sequence: "node" | "relation", isNew: SQL): SQL {
  const last = row(idSequence, "last");
  const ofSequence = sequence === "node" ? sql`'node'` : sql`'relation'`;
  return sql`(SELECT ${last.lastId} FROM ${last} WHERE ${last.name} = ${ofSequence})
    + row_number() OVER (PARTITION BY ${isNew} ORDER BY listed.key)`;
}

/** Takes the ids that the rows of the log gave. */
export const TAKE_NUMBERED_IDS = define({ opId: text }, () => {
  const { relationId, deviceId } = changeLog;
  const { name, lastId } = idSequence;
  const taken = sql`(SELECT max(CASE ${name} WHEN 'node' THEN ${deviceId} ELSE ${relationId} END)
    FROM ${changeLog} WHERE ${isOfOperation(changeLog)} AND ${changeLog.step} = 'write')`;
  return sql`
  UPDATE ${idSequence} SET ${assigned(idSequence, { lastId: sql`max(${lastId}, coalesce(${taken}, 0))` })}
  WHERE ${name} IN ('node', 'relation')`;
});

/** How many changes an operation has made. */
export const COUNT_CHANGES = rows<{ readonly changes: number }>()(
  { opId: text },
  () => sql`SELECT count(*) AS changes FROM ${changeLog} WHERE ${isOfOperation(changeLog)}`,
);
