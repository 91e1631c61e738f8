import { passwordLink, securityEvent, userAccount } from "../db/schema/identity.ts";
import { define, inserted, int, placeholdersOf, rows, sql, text } from "../db/sql.ts";
import { probing, type Statement } from "../db/statement.ts";
import { READ_RESULT } from "../identity/security_queries.ts";
import { RESET_PASSWORD } from "./set_password_queries.ts";

/** A submitted link: a JSON list of the HMACs of its token under each key. */
const LINK = { macs: text, now: int };
const { macs, now } = placeholdersOf(LINK);

/** The submitted link and its account, if it is live. */
const LIVE_LINK = sql`${passwordLink} CROSS JOIN ${userAccount} ON ${userAccount.id} = ${passwordLink.userId}
  WHERE ${passwordLink.mac} IN (SELECT value FROM json_each(${macs}))
    AND ${passwordLink.endedAt} IS NULL AND ${passwordLink.expiresAt} > ${now}`;

interface LinkAccountRow {
  readonly id: number;
  readonly email: string;
}

/** The account of a live link. */
export const FIND_LINK = probing(
  rows<LinkAccountRow>()(LINK, () => sql`SELECT ${userAccount.id}, ${userAccount.email} FROM ${LIVE_LINK}`),
);

const RECORD = define({ ...LINK, opId: text, address: text }, ({ opId, address }) => {
  const { names, values } = inserted(securityEvent, {
    opId,
    at: now,
    event: sql`'password.' || ${passwordLink.purpose} || '_link'`,
    result: sql`'ok'`,
    actorId: userAccount.id,
    userId: userAccount.id,
    address,
  });
  return sql`
  INSERT INTO ${securityEvent} (${names})
  SELECT ${values}
  FROM ${LIVE_LINK} LIMIT 1`;
});

/**
 * Redeems a link; of concurrent requests, only one succeeds. The user's other pending codes and links end, too.
 * Returns a row if the link was live.
 */
export const REDEEM_LINK: readonly Statement[] = [RECORD, ...RESET_PASSWORD, READ_RESULT];
