import { passwordLink, securityEvent, session, userAccount } from "../db/schema/identity.ts";
import { define, inserted, int, nullable, placeholdersOf, row, rows, sql, text } from "../db/sql.ts";
import { probing, type Statement } from "../db/statement.ts";
import { SHOWN } from "../identity/session_proof.ts";
import { openSession } from "../identity/session_queries.ts";
import { neverOpened } from "../identity/user_queries.ts";
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

/** A session to open, if its id is not null. */
const NEW_SESSION = { opId: text, newSessionId: nullable(text) };
const { opId, newSessionId, address, client } = placeholdersOf({
  ...NEW_SESSION,
  address: text,
  client: text,
});

/** Records the link as redeemed. The event has a session if this signs the account in. */
const RECORD = define({ ...LINK, ...NEW_SESSION, address: text }, () => {
  const isFirst = sql`${passwordLink.purpose} = 'invitation' AND ${neverOpened(userAccount)}`;
  const { names, values } = inserted(securityEvent, {
    opId,
    at: now,
    event: sql`'password.' || ${passwordLink.purpose} || '_link'`,
    result: sql`'ok'`,
    actorId: userAccount.id,
    userId: userAccount.id,
    sessionId: sql`CASE WHEN ${isFirst} THEN ${newSessionId} END`,
    address,
  });
  return sql`
  INSERT INTO ${securityEvent} (${names})
  SELECT ${values}
  FROM ${LIVE_LINK} LIMIT 1`;
});

const redeemed = row(securityEvent, "redeemed");
const OPEN_SESSION = openSession({ ...NEW_SESSION, client: text }, {
  id: newSessionId,
  user: redeemed.userId,
  authenticatedAt: now,
  assuranceLevel: 1,
  proven: { methods: SHOWN.password, meets: 0 },
  client,
  source: sql`FROM ${redeemed} WHERE ${redeemed.opId} = ${opId} AND ${redeemed.sessionId} = ${newSessionId}`,
});

/** Records the sign-in, as with the password. */
const RECORD_SIGN_IN = define({ ...NEW_SESSION, address: text, now: int }, () => {
  const { names, values } = inserted(securityEvent, {
    opId: sql`'login ' || ${opId}`,
    at: now,
    event: sql`'login'`,
    result: sql`'ok'`,
    actorId: session.userId,
    userId: session.userId,
    sessionId: session.id,
    address,
  });
  return sql`
  INSERT INTO ${securityEvent} (${names})
  SELECT ${values}
  FROM ${session} WHERE ${session.id} = ${newSessionId}`;
});

export interface RedeemedRow {
  /** 1 if the session was opened. */
  readonly isSignedIn: 0 | 1;
}

/**
 * Redeems a link; of concurrent requests, only one succeeds. The user's other pending codes and links end, too. The
 * invitation of an account that never had a password or a factor opens a session, which proves no more than a sign-in
 * with the password that was just set. Any other account may have a second factor, which a session would pass. Returns a `RedeemedRow` if the link was live.
 */
export const REDEEM_LINK: readonly Statement[] = [
  RECORD,
  ...RESET_PASSWORD,
  OPEN_SESSION,
  RECORD_SIGN_IN,
  define({ opId: text }, () =>
    sql`
  SELECT ${redeemed.sessionId} IS NOT NULL AS isSignedIn FROM ${redeemed} WHERE ${redeemed.opId} = ${opId}`),
];
