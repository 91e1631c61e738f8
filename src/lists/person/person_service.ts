import { type Actor, keyOfPrincipal } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import type { GraphDeps } from "../../graph/deps.ts";
import { FACTORS, type MainFactor, type MainMethod } from "../../identity/factors.ts";
import { type PeopleRow, READ_PEOPLE } from "./person_queries.ts";

/** What those who manage all memberships of a person know of the account. */
export interface Person {
  readonly userId: number;
  /** Absent without one. */
  readonly name?: string;
  /** ISO 8601; null if no session is on record. */
  readonly lastSignInAt: string | null;
  /** The active second factors. */
  readonly factors: readonly MainMethod[];
}

interface PersonOnRecord {
  readonly userId: number;
  /** Empty if its owner has removed it. */
  readonly name: string | null;
  /** Milliseconds. */
  readonly lastSignInAt: number | null;
  readonly factors: readonly MainFactor[];
}

/**
 * Returns the people of a list whom the actor manages alone, in order of id. Throws `TOKEN_INVALID`, and `FORBIDDEN` for
 * a key.
 */
export async function listPeople(
  { database, clock }: GraphDeps,
  { userId: actorId, sessionId }: Actor,
  userIds: readonly number[],
): Promise<Person[]> {
  const readAfter = async (afterId: number): Promise<PeopleRow> => {
    const args = { now: clock(), actorId, sessionId, userIds: JSON.stringify(userIds), afterId };
    const [row] = await readRevised(database, bind(READ_PEOPLE, args));
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    if (keyOfPrincipal(actorId) !== undefined) throw new AppError("FORBIDDEN");
    return row;
  };
  const people: Person[] = [];
  for (let next: number | null = 0; next !== null;) {
    const row = await readAfter(next);
    people.push(...(JSON.parse(row.people) as PersonOnRecord[]).map(toPerson));
    next = row.lookedTo;
  }
  return people.sort((a, b) => a.userId - b.userId);
}

function toPerson({ userId, name, lastSignInAt, factors }: PersonOnRecord): Person {
  return {
    userId,
    ...(name && { name }),
    lastSignInAt: lastSignInAt === null ? null : new Date(lastSignInAt).toISOString(),
    factors: factors.map((kind) => FACTORS[kind].name),
  };
}
