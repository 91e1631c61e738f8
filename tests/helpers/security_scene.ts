import { bind } from "../../src/db/statement.ts";
import { query, send } from "./http.ts";
import { sudoTokenOf } from "./sudo.ts";
import type { TestApp } from "./test_app.ts";
import { defineStatement } from "./text_statement.ts";

/** A signed-in user with a password, and the tokens of their session. */
export interface SignedIn {
  readonly userId: number;
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Makes a user with a password and a session that has just begun. */
export async function signIn(target: TestApp, email: string, password: string): Promise<SignedIn> {
  const { userId } = await target.createUser(email);
  await target.setPassword(userId, password);
  return { userId, ...await target.openSession(userId) };
}

/** Gives a user a session that has ended. No later end may replace its own (`bystander.ts`). */
export async function openEndedSession(target: TestApp, userId: number): Promise<void> {
  const { refreshToken } = await target.openSession(userId);
  await send(target, "POST", "/auth/logout", { token: refreshToken });
}

/** A sudo token for the session, as a challenge would return it now. */
export function makeSudoToken(
  { deps }: TestApp,
  session: Pick<SignedIn, "userId" | "sessionId">,
): Promise<string> {
  return sudoTokenOf(deps, session);
}

/** Gives a user an active second factor, without its setup. */
export async function activateFactor(target: TestApp, userId: number): Promise<void> {
  await target.database.write([bind(INSERT_FACTOR, { userId, now: target.clock.now() })]);
}

const INSERT_FACTOR = defineStatement(`
  INSERT INTO second_factor (user_id, kind, activated_at, email)
  VALUES (:userId, 'email_otp', :now, 'factor@example.com')`);

/** The ids of the user's live sessions. */
export async function liveSessions(target: TestApp, userId: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    target,
    "SELECT id FROM session WHERE user_id = :userId AND ended_at IS NULL ORDER BY created_at, rowid",
    { userId },
  );
  return rows.map(({ id }) => id);
}
