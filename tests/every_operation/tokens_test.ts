import assert from "node:assert/strict";
import { FOR_PROXIES } from "./authzen_requests.ts";
import { type ApiDocument, operationsOf } from "../contract/api_document.ts";
import {
  type Answer,
  assertError,
  assertUnchanged,
  DENIED,
  NO_TOKEN,
  query,
  send,
  succeed,
  testApp,
  UNVERIFIED,
} from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { forgedAccessTokens, forgedRefreshTokens, NOT_BEARER } from "./forged_tokens.ts";
import { requestFor } from "./openapi_requests.ts";
import { ask, catalogue, type CatalogueRequest, type Scene, setScene } from "./request_catalogue.ts";
import { BAD_KINDS, GOOD_KINDS, makeBadTokens, makeGoodTokens, type TokenKind } from "./token_kinds.ts";

/** Which operations accept which tokens: every kind of token, every forgery, every ended session. */

/** The tokens that an operation accepts. */
type Rule =
  | "none"
  | "access"
  | "access or key"
  | "refresh"
  | "access or partial"
  | "access or sudo"
  /** A sudo token, or a fresh access token of a user without a second factor. */
  | "sudo*"
  /** A sudo token, or an access token of a user without a second factor. */
  | "sudo or access without factor"
  | "access without factor";

/** The operations of account security. All others accept what the document says. */
const ACCOUNT_SECURITY: Readonly<Record<string, Rule>> = {
  "GET /user/2fa": "access or partial",
  "POST /user/2fa/confirm": "none",
  "POST /user/2fa/passkey/setup": "sudo*",
  "POST /user/2fa/passkey/enable": "sudo*",
  "GET /user/2fa/passkey": "access",
  "PUT /user/2fa/passkey/{passkeyId}": "access",
  "DELETE /user/2fa/passkey/{passkeyId}": "sudo*",
  "POST /user/2fa/passkey/challenge": "access or partial",
  "POST /user/2fa/passkey/authenticate": "access or partial",
  "POST /auth/passkey/challenge": "none",
  "POST /auth/passkey/login": "none",
  "POST /user/2fa/email-otp/setup": "sudo*",
  "POST /user/2fa/email-otp/enable": "access",
  "POST /user/2fa/email-otp/challenge": "access or partial",
  "POST /user/2fa/email-otp/authenticate": "access or partial",
  "GET /user/2fa/email-otp/next-email": "access or partial",
  "DELETE /user/2fa/email-otp": "sudo*",
  "POST /user/2fa/totp/setup": "sudo*",
  "POST /user/2fa/totp/enable": "access",
  "POST /user/2fa/totp/authenticate": "access or partial",
  "GET /user/2fa/totp/next-guess": "access or partial",
  "DELETE /user/2fa/totp": "sudo*",
  "POST /user/2fa/recovery-code/reset": "sudo*",
  "POST /user/2fa/recovery-code/authenticate": "access or partial",
  "GET /user/2fa/recovery-code/next-guess": "access or partial",
  "POST /user/email/initiate": "sudo*",
  "PUT /user/email": "access or sudo",
  "POST /user/email/undo": "none",
  "POST /user/password/reset/email": "none",
  "POST /v1/auth/forgot-password": "none",
  "PUT /user/password/link": "none",
  "POST /user/password/reset/send": "none",
  "POST /user/password/reset/validate": "none",
  "PUT /user/password/otp": "none",
  "PUT /user/password/old-password": "sudo or access without factor",
  "POST /user/password/authenticate": "access without factor",
  "GET /user": "access",
  "GET /user/key": "access",
  "DELETE /user/session": "access or sudo",
  "PUT /user": "access",
  "GET /user/security-log": "access",
  "GET /user/export": "access",
  "DELETE /user": "sudo*",
};

/** The operations about the graph that a key may not use. Every other one of them accepts keys. */
const USERS_ONLY: ReadonlySet<string> = new Set([
  "POST /v1/access/end",
  "POST /v1/role/{roleId}/key",
  "POST /v1/role/{roleId}/key/{keyId}/adopt",
  "POST /v1/role/{roleId}/member/{memberId}/invitation",
  "GET /v1/role/{roleId}/password",
  "PUT /v1/role/{roleId}/password",
  "PUT /v1/role/{roleId}/authentication-policy",
]);

/** The security schemes in the document for each rule. */
const SCHEMES: Readonly<Record<Rule, readonly string[]>> = {
  "none": [],
  "access": ["accessBearerAuth"],
  "access or key": ["accessBearerAuth", "keyBearerAuth"],
  "refresh": ["refreshBearerAuth"],
  "access or partial": ["accessBearerAuth", "partialBearerAuth"],
  "access or sudo": ["accessBearerAuth", "sudoBearerAuth"],
  "sudo*": ["accessBearerAuth", "sudoBearerAuth"],
  "sudo or access without factor": ["accessBearerAuth", "sudoBearerAuth"],
  "access without factor": ["accessBearerAuth"],
};

const ACCESS: readonly TokenKind[] = ["fresh", "stale", "fresh with factor", "stale with factor", "other's"];

/** The kinds of token that a rule accepts. */
const LETS_IN: Readonly<Record<Rule, readonly TokenKind[]>> = {
  "none": [...GOOD_KINDS, ...BAD_KINDS],
  "access": ACCESS,
  "access or key": [...ACCESS, "key"],
  "refresh": ["refresh"],
  "access or partial": [...ACCESS, "partial"],
  "access or sudo": [...ACCESS, "sudo", "sudo with factor"],
  "sudo*": ["fresh", "other's", "sudo", "sudo with factor"],
  "sudo or access without factor": ["fresh", "stale", "other's", "sudo", "sudo with factor"],
  "access without factor": ["fresh", "stale", "other's"],
};

interface Operation {
  /** `PUT /v1/role/{roleId}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly schemes: readonly string[];
  readonly rule: Rule;
}

function listOperations(document: ApiDocument): Operation[] {
  return operationsOf(document).map(({ method, path, security = [] }) => {
    const name = `${method} ${path}`;
    const schemes = security.flatMap((scheme) => Object.keys(scheme)).sort();
    const rule = ACCOUNT_SECURITY[name] ??
      (["none", "access", "access or key", "refresh"] as const).find((simple) =>
        String(SCHEMES[simple]) === String(schemes)
      );
    assert.ok(rule !== undefined, `${name} takes ${schemes}: who that lets in stands in no table`);
    return { name, method, path, schemes, rule };
  });
}

type Entry = "in" | "NO_TOKEN_PROVIDED" | "Failed to verify token" | "SUDO_TOKEN_REQUIRED";
const REFUSALS: readonly unknown[] = ["NO_TOKEN_PROVIDED", "Failed to verify token", "SUDO_TOKEN_REQUIRED"];

/** Whether the token was accepted, regardless of the response to the request. */
function entryOf(answer: Answer, what: string): Entry {
  assert.ok(answer.status < 500, `${what}: ${answer.status} ${answer.text}`);
  if (answer.status === 401 && answer.text === "") {
    return answer.headers.get("WWW-Authenticate") === "Bearer" ? NO_TOKEN : UNVERIFIED;
  }
  const message = (answer.body as { message?: unknown } | null | undefined)?.message;
  return answer.status === 401 && REFUSALS.includes(message) ? message as Entry : "in";
}

function expectedEntry({ name, rule, path }: Operation, kind: TokenKind): Entry {
  if (LETS_IN[rule].includes(kind)) return "in";
  // An operation for users only refuses a key with a 403.
  if (kind === "key" && USERS_ONLY.has(name)) return "in";
  if (kind === "none") return path.startsWith("/v1/") ? "Failed to verify token" : "NO_TOKEN_PROVIDED";
  return ACCESS.includes(kind) && rule !== "refresh" ? "SUDO_TOKEN_REQUIRED" : "Failed to verify token";
}

const OWN_TABLES = ["session", "second_factor", "partial_login", "password_link", "recovery_code", "member"];

/** All data about a user, to show that another user's token does not change it. */
async function stateOf(target: TestApp, userId: number): Promise<string> {
  const statements = [
    "SELECT * FROM user_account WHERE id = :userId",
    ...OWN_TABLES.map((table) => `SELECT * FROM ${table} WHERE user_id = :userId ORDER BY 1`),
  ];
  return JSON.stringify(await Promise.all(statements.map((sql) => query(target, sql, { userId }))));
}

testApp("the document names the tokens that each operation accepts", async (target) => {
  const operations = listOperations(await succeed<ApiDocument>(target, "GET", "/openapi.json"));
  const told = operations.map(({ name, schemes }) => [name, schemes]);
  assert.deepEqual(told, operations.map(({ name, rule }) => [name, SCHEMES[rule]]));
  const names = new Set(operations.map(({ name }) => name));
  const withoutKeys = operations.filter(({ name, rule }) =>
    rule === "access" && !name.includes(" /user") && !name.includes(" /auth/")
  );
  assert.deepEqual(new Set(withoutKeys.map(({ name }) => name)), USERS_ONLY);
  assert.deepEqual(Object.keys(ACCOUNT_SECURITY).filter((name) => !names.has(name)), [], "not served");
});

testApp("every operation accepts exactly the tokens of the table", async (target) => {
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  const wrong: string[] = [];
  const badTokens = await makeBadTokens(target);
  for (const operation of listOperations(document)) {
    // New users each time, so that the effect of one accepted request does not reach the next.
    const goodTokens = await makeGoodTokens(target);
    const bystander = goodTokens.get("fresh")?.userId ?? 0;
    const request = requestFor(document, operation.method, operation.path);
    for (const [kind, { token }] of [...goodTokens, ...badTokens]) {
      const isOther = kind === "other's";
      const before = isOther ? await stateOf(target, bystander) : "";
      const what = `${operation.name} with ${kind}`;
      const answer = await send(target, operation.method, request.path, { token, body: request.body });
      const entry = entryOf(answer, what);
      const expected = expectedEntry(operation, kind);
      if (entry !== expected) {
        wrong.push(`${what}: ${entry}, not ${expected} (${answer.status} ${answer.text})`);
      }
      if (entry !== "in") assertChallenge(answer, entry, what);
      if (kind === "key" && USERS_ONLY.has(operation.name)) {
        assertError(answer, 403, DENIED, what);
      }
      if (entry === "in" && answer.status === 400) wrong.push(`${what}: a malformed request shows nothing`);
      if (isOther) assert.equal(await stateOf(target, bystander), before, what);
    }
  }
  assert.deepEqual(wrong, []);
});

/** Asserts the challenge that a refused client gets (RFC 6750, 3; RFC 9470, 3). */
function assertChallenge({ headers }: Answer, entry: Entry, what: string): void {
  const challenge = headers.get("WWW-Authenticate") ?? "";
  if (entry === "SUDO_TOKEN_REQUIRED") {
    assert.match(challenge, /^Bearer .*error="insufficient_user_authentication".*max_age="?900"?/, what);
  } else if (entry === "NO_TOKEN_PROVIDED") {
    assert.equal(challenge, "Bearer", what);
  } else {
    assert.match(challenge, /^Bearer( error="invalid_token".*)?$/, what);
  }
}

const INVALID = 'Bearer error="invalid_token"';

/** Sends the request with this Authorization header, and asserts the refusal. */
async function assertRefused(
  scene: Scene,
  request: CatalogueRequest,
  authorization: string,
  name: string,
): Promise<void> {
  const headers = { Authorization: authorization };
  const answer = await ask(scene, request, { token: undefined, headers });
  const context = `${request.route} with ${name}`;
  // RFC 6750, 3.1: another scheme brings no bearer token.
  const isMissing = !/^Bearer\b/.test(authorization);
  const isNamed = isMissing && !request.path.startsWith("/v1/");
  if (request.route === FOR_PROXIES) assert.deepEqual([answer.status, answer.text], [401, ""], context);
  else assertError(answer, 401, isNamed ? NO_TOKEN : UNVERIFIED, context);
  assert.equal(answer.headers.get("WWW-Authenticate"), isMissing ? "Bearer" : INVALID, context);
}

/** Sends the request with each of these Authorization headers, and asserts that all are refused and change nothing. */
async function assertAllRefused(
  scene: Scene,
  request: CatalogueRequest,
  authorizations: Readonly<Record<string, string>>,
): Promise<void> {
  await assertUnchanged(scene.target, request.route, async () => {
    for (const [name, authorization] of Object.entries(authorizations)) {
      await assertRefused(scene, request, authorization, name);
    }
  });
}

function bearers(tokens: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tokens).map(([name, token]) => [name, `Bearer ${token}`]));
}

testApp("every operation that takes a token refuses requests without one", async (target) => {
  const scene = await setScene(target);
  for (const request of catalogue(scene)) {
    if (request.token === "none") continue;
    await assertAllRefused(scene, request, NOT_BEARER);
  }
});

testApp("no operation accepts a forged or altered access or refresh token", async (target) => {
  const scene = await setScene(target);
  const forged = {
    access: bearers(await forgedAccessTokens(scene)),
    refresh: bearers(forgedRefreshTokens(scene)),
    none: {},
  };
  for (const request of catalogue(scene)) await assertAllRefused(scene, request, forged[request.token]);
});

type Session = Awaited<ReturnType<TestApp["openSession"]>>;

/** Ways to end the session of these tokens. */
const ENDINGS: Readonly<Record<string, (scene: Scene, own: Session) => Promise<void>>> = {
  "a logged-out session": async ({ target }, { refreshToken }) => {
    assert.equal((await send(target, "POST", "/auth/logout", { token: refreshToken })).status, 204);
  },
  "a session that another one ended": async ({ target, accessToken }, { sessionId }) => {
    await succeed(target, "DELETE", `/user/session/${sessionId}`, { token: accessToken });
  },
  "a session that ended with all others": async ({ target, accessToken }) => {
    await succeed(target, "DELETE", "/user/session", { token: accessToken });
  },
};

for (const [name, end] of Object.entries(ENDINGS)) {
  testApp(`no operation accepts a token of ${name}`, async (target) => {
    const scene = await setScene(target);
    const ended = await target.openSession(scene.adminId);
    await end(scene, ended);
    await assertUnchanged(target, name, async () => {
      for (const request of catalogue(scene)) {
        if (request.token === "none") continue;
        const token = request.token === "access" ? ended.accessToken : ended.refreshToken;
        await assertRefused(scene, request, `Bearer ${token}`, name);
      }
    });
  });
}

testApp("every operation refuses the tokens of an expired session", async (target) => {
  const scene = await setScene(target);
  target.clock.advance(14 * 86_400 - 10);
  const { userId, sessionId, ...times } = await target.deps.accessTokens.verify(
    await send(target, "GET", "/auth/accesstoken", { token: scene.refreshToken }).then(({ text }) => text),
  );
  const { assuranceLevel, authenticatedAtMs } = times;
  target.clock.advance(10);
  const young = await target.deps.accessTokens.sign({ userId, sessionId, assuranceLevel, authenticatedAtMs });
  await assertUnchanged(target, "an old session", async () => {
    for (const request of catalogue(scene)) {
      if (request.token === "none") continue;
      const token = request.token === "access" ? young : scene.refreshToken;
      await assertRefused(scene, request, `Bearer ${token}`, "a token of an old session");
    }
  });
});

testApp("every operation accepts the scheme in any case, with several spaces after it", async (target) => {
  const scene = await setScene(target);
  for (const request of catalogue(scene)) {
    if (request.token === "none" || request.bearer !== undefined) continue;
    const { accessToken, refreshToken } = await target.openSession(scene.adminId);
    const token = request.token === "access" ? accessToken : refreshToken;
    const headers = { Authorization: `bEARER   ${token}` };
    const answer = await ask(scene, request, { token: undefined, headers });
    assert.equal(entryOf(answer, request.route), "in", request.route);
  }
});
