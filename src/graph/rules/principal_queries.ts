import { secondFactor, session, userAccount } from "../../db/schema/identity.ts";
import { member, roleKey } from "../../db/schema/role.ts";
import {
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import { MAIN_FACTORS } from "../../identity/factors.ts";
import { sessionLives } from "../../identity/session_life_queries.ts";

/**
 * The actor under /v1. For a user, `actorId` is the id of the account and `sessionId` that of the session. For a key,
 * `actorId` is minus the id of the key and `sessionId` the HMAC of its secret. Account ids are positive, so the two
 * never collide.
 */
export const PRINCIPAL = { actorId: int, sessionId: text, now: int };

const { actorId, sessionId, now } = placeholdersOf(PRINCIPAL);
const { sudoVersion } = placeholdersOf({ sudoVersion: nullable(int) });

/**
 * Whether the membership has not ended. From its end on, a row counts as absent, except where rows are counted to
 * estimate work (`HAS_FEW`).
 */
export function memberLives({ endsAt }: { readonly endsAt: Value }): SQL {
  return sql`(${endsAt} IS NULL OR ${endsAt} > ${now})`;
}

/**
 * Whether a membership of a user other than the actor, or of a key, counts. The account of its user exists: while an
 * account with many memberships is deleted, those that are left count as absent.
 */
export function holderLives(held: typeof member): SQL {
  const account = row(userAccount, "held_by");
  return sql`(${memberLives(held)} AND (${held.userId} < 0
    OR EXISTS (SELECT 1 FROM ${account} WHERE ${account.id} = ${held.userId})))`;
}

/** The demand that the actor's session meets. Null for a key, whose memberships have no demand to meet. */
export const SESSION_MEETS: SQL =
  sql`(SELECT ${session.meets} FROM ${session} WHERE ${session.id} = ${sessionId})`;

type DemandValues = Readonly<Record<"needs" | "needsBefore" | "needsFrom", Value>>;

/** Returns what the role of the membership demands now. */
export function needsNow({ needs, needsBefore, needsFrom }: DemandValues): SQL<number> {
  return sql`iif(${needsFrom} > ${now}, ${needsBefore}, ${needs})`;
}

/** Selects a demand as a `DemandList` in JSON. */
export function demandAsJson({ needs, needsBefore, needsFrom }: DemandValues): SQL {
  return sql`json_array(${needs}, ${needsBefore}, ${needsFrom})`;
}

/**
 * Whether a membership of the actor has not ended, and their session meets the demand of its role. Otherwise it counts
 * as absent: a _dormant_ one until the session meets the demand. For memberships of others, who have no session here,
 * use `holderLives`.
 */
export function memberIsAwake(own: typeof member, meets: Value = SESSION_MEETS): SQL {
  // Short, and in this order: most memberships have no demand, and the text is in most statements many times.
  return sql`(${memberLives(own)} AND (${own.needs} = 0 OR ${needsNow(own)} <= ${meets}))`;
}

const { live, key, keyed } = rowsOf({ live: session, key: roleKey, keyed: member });
/**
 * The live session of a user, and the living key: a source for FROM and a condition, which a server prepares in less
 * time than both together, and the demand that it meets.
 */
export const LIVING = {
  user: { from: sql`${live}`, where: sessionLives(live), meets: live.meets },
  key: {
    from: sql`${key} CROSS JOIN ${keyed} ON ${keyed.id} = ${key.id}`,
    where: sql`${key.id} = -${actorId} AND ${key.secretMac} = ${sessionId} AND ${memberLives(keyed)}`,
    meets: sql`NULL`,
  },
} as const;
/** The session is live, or the key exists, and so does its membership. */
export const PRINCIPAL_LIVES: SQL = sql`(EXISTS (SELECT 1 FROM ${LIVING.user.from} WHERE ${LIVING.user.where})
    OR EXISTS (SELECT 1 FROM ${LIVING.key.from}
      WHERE ${LIVING.key.where}))`;

/** One row to decide from, without a table, for statements with the condition `PRINCIPAL_LIVES`. */
export const ONE_ROW: SQL = sql`(SELECT 1) principal`;

/** The actor is a user. Keys make and adopt no keys, and neither set nor use role passwords. */
export const ACTOR_IS_USER: SQL = sql`${actorId} > 0`;

const proven = row(userAccount, "proven");
/**
 * The actor is a user without a current sudo token. What such a change makes outlasts the session, so a recent sign-in
 * does not replace the token. `sudoVersion` is null without one.
 */
export const LACKS_SUDO: SQL = sql`(${ACTOR_IS_USER} AND NOT EXISTS (SELECT 1 FROM ${proven}
    WHERE ${proven.id} = ${actorId} AND ${proven.securityVersion} = ${sudoVersion}))`;

const { enrolled, since } = rowsOf({ enrolled: secondFactor, since: session });
/**
 * The same for changes that make something; also if all factors were enrolled by this session or since its sign-in.
 * Enrolling a first factor takes only a recent sign-in, so a thief of the session could enrol one and step up with it.
 * Enrolling a further one took proof with an earlier one.
 */
export const LACKS_LASTING_PROOF: SQL = sql`(${LACKS_SUDO} OR coalesce((
    SELECT min(${enrolled.activatedBy} IS ${sessionId} OR EXISTS (SELECT 1 FROM ${since}
      WHERE ${since.id} = ${sessionId} AND ${since.authenticatedAt} < ${enrolled.activatedAt}))
    FROM ${enrolled}
    WHERE ${enrolled.userId} = ${actorId} AND ${enrolled.kind} IN (${quoted(...MAIN_FACTORS)})
      AND ${enrolled.activatedAt} IS NOT NULL), false))`;
