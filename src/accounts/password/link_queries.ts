import {
  and,
  compile,
  eq,
  gt,
  insertFrom,
  isNotNull,
  isNull,
  pick,
  select,
  within,
} from "../../db/builder.ts";
import { passwordLink, securityEvent, session, userAccount } from "../../db/schema/identity.ts";
import { int, nullable, placeholdersOf, row, sql, text } from "../../db/sql.ts";
import { probing, type RowOf, type Statement } from "../../db/statement.ts";
import { SHOWN } from "../../identity/session_proof.ts";
import { openSession } from "../../identity/session_queries.ts";
import { neverOpened } from "../../identity/user_queries.ts";
import { RESET_PASSWORD } from "./set_password_queries.ts";

/** A submitted link: a JSON list of the HMACs of its token under each key. */
const LINK = { macs: text, now: int };
const { macs, now } = placeholdersOf(LINK);

/** Of a link and its account: it is the submitted one, and live. */
const IS_LIVE = and(
  eq(userAccount.id, passwordLink.userId),
  within(passwordLink.mac, macs),
  isNull(passwordLink.endedAt),
  gt(passwordLink.expiresAt, now),
);

/** The account of a live link. */
export const FIND_LINK = probing(
  compile(
    LINK,
    () => select(pick(userAccount, "id", "email")).from(passwordLink).crossJoin(userAccount).where(IS_LIVE),
  ),
);

/** A session to open, if its id is not null. */
const NEW_SESSION = { opId: text, newSessionId: nullable(text) };
const { opId, newSessionId, address, client } = placeholdersOf({
  ...NEW_SESSION,
  address: text,
  client: text,
});

/** Records the link as redeemed. The event has a session if this signs the account in. */
const RECORD = compile({ ...LINK, ...NEW_SESSION, address: text }, () => {
  const isFirst = sql`${passwordLink.purpose} = 'invitation' AND ${neverOpened(userAccount)}`;
  const event = select({
    opId,
    at: now,
    event: sql<string>`'password.' || ${passwordLink.purpose} || '_link'`,
    result: sql<string>`'ok'`,
    actorId: userAccount.id,
    userId: userAccount.id,
    sessionId: sql<string | null>`CASE WHEN ${isFirst} THEN ${newSessionId} END`,
    address,
  }).from(passwordLink).crossJoin(userAccount).where(IS_LIVE).limit(1);
  return insertFrom(securityEvent, event);
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
const RECORD_SIGN_IN = compile({ ...NEW_SESSION, address: text, now: int }, () => {
  const event = select({
    opId: sql<string>`'login ' || ${opId}`,
    at: now,
    event: sql<string>`'login'`,
    result: sql<string>`'ok'`,
    actorId: session.userId,
    userId: session.userId,
    sessionId: session.id,
    address,
  }).from(session).where(sql`${session.id} = ${newSessionId}`);
  return insertFrom(securityEvent, event);
});

/** `isSignedIn`: 1 if the session was opened. */
const READ_REDEEMED = compile(
  { opId: text },
  () => select({ isSignedIn: isNotNull(redeemed.sessionId) }).from(redeemed).where(eq(redeemed.opId, opId)),
);
export type RedeemedRow = RowOf<typeof READ_REDEEMED>;

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
  READ_REDEEMED,
];
