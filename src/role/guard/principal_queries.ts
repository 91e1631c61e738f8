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
 * Who acts under /v1: a user in a session, or a key. `actorId` is the id of the account, or minus the id of the key,
 * and `sessionId` the id of the session, or the HMAC of the key's secret. Account ids are positive, so nothing that is
 * kept by principal mixes them up.
 */
export const PRINCIPAL = { actorId: int, sessionId: text, now: int };

const { actorId, sessionId, now } = placeholdersOf(PRINCIPAL);
const { sudoVersion } = placeholdersOf({ sudoVersion: nullable(int) });

/** The membership has not ended. From its end on, a row counts as absent. */
export function memberLives({ endsAt }: { readonly endsAt: Value }): SQL {
  return sql`(${endsAt} IS NULL OR ${endsAt} > ${now})`;
}

const { live, key, keyed } = rowsOf({ live: session, key: roleKey, keyed: member });
/** The session is live, or the key exists, and so does its membership. */
export const PRINCIPAL_LIVES: SQL = sql`(EXISTS (SELECT 1 FROM ${live} WHERE ${sessionLives(live)})
    OR EXISTS (SELECT 1 FROM ${key} CROSS JOIN ${keyed} ON ${keyed.id} = ${key.id}
      WHERE ${key.id} = -${actorId} AND ${key.secretMac} = ${sessionId} AND ${memberLives(keyed)}))`;

/** One row to decide from, without a table, for statements with the condition `PRINCIPAL_LIVES`. */
export const ONE_ROW: SQL = sql`(SELECT 1) principal`;

/** The actor is a user. Keys make no keys, add no members, and neither set nor use role passwords. */
export const ACTOR_IS_USER: SQL = sql`${actorId} > 0`;

const proven = row(userAccount, "proven");
/**
 * The actor is a user without a current sudo token. The results of such a change outlast the session, so a recent
 * sign-in does not replace the token. `sudoVersion` is null without one.
 */
export const LACKS_SUDO: SQL = sql`(${ACTOR_IS_USER} AND NOT EXISTS (SELECT 1 FROM ${proven}
    WHERE ${proven.id} = ${actorId} AND ${proven.securityVersion} = ${sudoVersion}))`;

const { enrolled, since } = rowsOf({ enrolled: secondFactor, since: session });
/**
 * The same, for changes that make something. A factor that this session enrolled as the first proves only possession of
 * the session: a recent sign-in is enough to enrol it, so a thief with a stolen token could enrol their own and step up
 * with it, in this session or another one that they hold. It counts in sessions that began with the password since.
 * Further factors count: enrolling them took proof with an earlier one.
 */
export const LACKS_LASTING_PROOF: SQL = sql`(${LACKS_SUDO} OR coalesce((
    SELECT min(${enrolled.activatedBy} IS ${sessionId} OR EXISTS (SELECT 1 FROM ${since}
      WHERE ${since.id} = ${sessionId} AND ${since.authenticatedAt} < ${enrolled.activatedAt}))
    FROM ${enrolled}
    WHERE ${enrolled.userId} = ${actorId} AND ${enrolled.kind} IN (${quoted(...MAIN_FACTORS)})
      AND ${enrolled.activatedAt} IS NOT NULL), false))`;
