import { passkey, secondFactor, usedChallenge } from "../../db/schema/identity.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  type SQL,
  sql,
  text,
  type ValuesBy,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { CHANGED_USER } from "../security_queries.ts";
import { HAS_CHANGED, metAlready } from "./factor_queries.ts";

/** Writes of passkeys and used challenges, as parts of the batches in `accounts/factors/passkey`. */

const { now, sessionId } = placeholdersOf({ now: int, sessionId: text });

/** Stores a passkey of the changed user, and activates the factor if it is their first. */
export function insertPasskey(
  declared: Declared,
  values: Omit<ValuesBy<typeof passkey>, "id" | "userId" | "createdAt" | "createdBy" | "meets">,
): readonly Statement[] {
  return [
    define({ ...declared, opId: text, now: int, sessionId: text }, () => {
      const made = inserted(passkey, {
        ...values,
        userId: CHANGED_USER,
        createdAt: now,
        createdBy: sessionId,
        meets: metAlready("passkey"),
      });
      return sql`
      INSERT INTO ${passkey} (${made.names})
      SELECT ${made.values} WHERE ${HAS_CHANGED}`;
    }),
    define({ opId: text, now: int, sessionId: text }, () => {
      const { names, values: first } = inserted(secondFactor, {
        userId: CHANGED_USER,
        kind: quoted("passkey"),
        activatedAt: now,
        activatedBy: sessionId,
      });
      const { activatedAt } = secondFactor;
      return sql`
      INSERT INTO ${secondFactor} (${names})
      SELECT ${first} WHERE ${HAS_CHANGED}
      ON CONFLICT (${bare(secondFactor.userId, secondFactor.kind)}) DO UPDATE SET
        ${assigned(secondFactor, { activatedAt: now, activatedBy: sessionId })}
      WHERE ${activatedAt} IS NULL`;
    }),
  ];
}

/** Writes columns of the passkeys that meet the condition. */
export function updatePasskey(
  declared: Declared,
  values: Pick<ValuesBy<typeof passkey>, "name" | "counter" | "backedUp" | "lastUsedAt">,
  condition: SQL,
): Statement {
  return define(declared, () =>
    sql`
    UPDATE ${passkey} SET ${assigned(passkey, values)}
    WHERE ${condition}`);
}

/** Uses up the challenge `challengeId` if the condition holds. */
export function useUpChallenge(declared: Declared, condition: SQL): Statement {
  return define({ ...declared, challengeId: text, challengeExpiresAt: int }, (args) => {
    const { names, values } = inserted(usedChallenge, {
      id: args.challengeId,
      expiresAt: args.challengeExpiresAt,
    });
    return sql`
    INSERT INTO ${usedChallenge} (${names})
    SELECT ${values} WHERE ${condition}
    ON CONFLICT DO NOTHING`;
  });
}
