import { partialLogin, session, userAccount } from "../db/schema/identity.ts";
import { member, roleKey } from "../db/schema/role.ts";
import { int, nullable, rows, rowsOf, sql, text } from "../db/sql.ts";
import { probing } from "../db/statement.ts";
import { sessionLives } from "./session_life_queries.ts";

/**
 * Returns a row if the caller's session, partial sign-in or key lives. Without a partial sign-in `partialLoginId` is
 * null; in one, `sessionId` is.
 */
export const FIND_LIVE_CALLER = probing(
  rows<{ readonly lives: 1 }>()(
    { actorId: int, sessionId: nullable(text), partialLoginId: nullable(text), now: int },
    ({ actorId, sessionId, partialLoginId, now }) => {
      const { acting, pending, account } = rowsOf({
        acting: session,
        pending: partialLogin,
        account: userAccount,
      });
      const { key, keyed } = rowsOf({ key: roleKey, keyed: member });
      return sql`
  SELECT 1 AS lives FROM ${acting} WHERE ${sessionLives(acting)}
  UNION ALL
  SELECT 1 FROM ${pending} CROSS JOIN ${account} ON ${account.id} = ${pending.userId}
    WHERE ${pending.id} = ${partialLoginId} AND ${pending.userId} = ${actorId} AND ${pending.endedAt} IS NULL
      AND ${pending.expiresAt} > ${now} AND ${account.securityVersion} = ${pending.securityVersion}
  UNION ALL
  SELECT 1 FROM ${key} CROSS JOIN ${keyed} ON ${keyed.id} = ${key.id}
    WHERE ${key.id} = -${actorId} AND ${key.secretMac} = ${sessionId}
      AND (${keyed.endsAt} IS NULL OR ${keyed.endsAt} > ${now})`;
    },
  ),
);
