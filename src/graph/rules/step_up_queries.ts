import { member } from "../../db/schema/role.ts";
import { placeholdersOf, render, row, rows, sql } from "../../db/sql.ts";
import { parametersOf, probing, type SqlArgs, type Statement } from "../../db/statement.ts";
import { memberIsAwake, memberLives, PRINCIPAL, SESSION_MEETS } from "./principal_queries.ts";

/**
 * What a refusal would be if the actor's session met more: the same statement judges again, with that level in place of
 * what the session meets. Only after a refusal, and only for users with a dormant membership.
 */

/** The levels to which a session can step up. */
export const STEP_UP_LEVELS = [1, 2] as const;
export type StepUpLevel = typeof STEP_UP_LEVELS[number];

const MEETS = render(SESSION_MEETS);

/** Returns the statement as if the actor's session met the level. */
export function asIfMeeting<A extends SqlArgs, R>(
  statement: Statement<A, R>,
  level: StepUpLevel,
): Statement<A, R> {
  const text = statement.sql.replaceAll(MEETS, String(level));
  return { sql: text, parameters: parametersOf(text) };
}

const { actorId } = placeholdersOf(PRINCIPAL);

/** A row if the actor has a dormant membership. */
export const HAS_DORMANT = probing(
  rows<{ readonly isDormant: 1 }>()(PRINCIPAL, () => {
    const own = row(member, "own");
    return sql`
  SELECT 1 AS isDormant FROM ${own} WHERE ${own.userId} = ${actorId} AND ${own.needs} > 0
    AND ${memberLives(own)} AND NOT ${memberIsAwake(own)} LIMIT 1`;
  }),
);
