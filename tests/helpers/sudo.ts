import assert from "node:assert/strict";
import type { AppDeps } from "../../src/app.ts";
import { bind } from "../../src/db/statement.ts";
import { defineStatement } from "./text_statement.ts";

/**
 * Requests whose results outlast the session, a key or the password of a role, need a sudo token. The app of a test
 * adds one to each of them, like the app of a user who has just given proof.
 */

export const SUDO_HEADER = "X-Sudo-Token";

type SudoDeps = Pick<AppDeps, "database" | "accessTokens" | "sudoTokens">;

const LASTING = [
  { methods: ["POST"], path: /^\/v1\/role\/[^/?]+\/key(\/[^/?]+\/adopt)?(\?|$)/ },
  { methods: ["PUT", "DELETE"], path: /^\/v1\/role\/[^/?]+\/password(\?|$)/ },
  { methods: ["PUT"], path: /^\/v1\/role\/[^/?]+\/authentication-policy(\?|$)/ },
  { methods: ["POST"], path: /^\/v1\/access\/end(\?|$)/ },
];

const READ_VERSION = defineStatement(
  "SELECT security_version AS version FROM user_account WHERE id = :userId",
);

/** A sudo token for the session of an access token, as a step-up would return it now. */
export async function sudoTokenFor(deps: SudoDeps, accessToken: string): Promise<string> {
  const { userId, sessionId } = await deps.accessTokens.verify(accessToken);
  return await sudoTokenOf(deps, { userId, sessionId });
}

/** The same for a session. */
export async function sudoTokenOf(
  { database, sudoTokens }: Pick<SudoDeps, "database" | "sudoTokens">,
  { userId, sessionId }: { readonly userId: number; readonly sessionId: string },
): Promise<string> {
  const [account] = await database.read<{ version: number }>(bind(READ_VERSION, { userId }));
  assert.ok(account);
  return await sudoTokens.sign({ userId, sessionId, securityVersion: account.version });
}

/** Whether the result of a request outlasts the session. */
export function takesSudo(method: string, path: string): boolean {
  return LASTING.some((lasting) => lasting.methods.includes(method) && lasting.path.test(path));
}

/**
 * The request with a sudo token, if its operation needs one, the request has a valid access token, and it has no header
 * for a sudo token. A test that wants a request without a token sends an empty header.
 */
export async function withSudo<I extends RequestInit>(deps: SudoDeps, path: string, init: I): Promise<I> {
  const { method = "GET" } = init;
  if (!takesSudo(method, path)) return init;
  const headers = new Headers(init.headers);
  if (headers.has(SUDO_HEADER)) return init;
  const token = /^Bearer +(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1];
  if (token === undefined) return init;
  try {
    headers.set(SUDO_HEADER, await sudoTokenFor(deps, token));
  } catch {
    // The token is void, or a key: the test is about that.
    return init;
  }
  return { ...init, headers };
}
