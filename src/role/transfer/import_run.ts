import { quoted, type SQL, sql, type Value } from "../../db/sql.ts";

/** What the session id of a change log row begins with if an import made the change. The id of its run follows. */
export const IMPORT_SESSION_PREFIX = "import:";

const NO_ACCOUNT = 0;

/** Returns the columns of a change log row that say which import made the change. */
export function importedBy(runId: Value): { readonly actorId: number; readonly sessionId: SQL } {
  return { actorId: NO_ACCOUNT, sessionId: sql`${quoted(IMPORT_SESSION_PREFIX)} || ${runId}` };
}
