/** Which operations accept which tokens: every kind of token, every forgery, every ended session. */
import assert from "node:assert/strict";
import { FOR_PROXIES } from "./authzen_requests.ts";
import { type ApiDocument, type Described, exampleOf, operationsOf } from "../contract/api_document.ts";
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
import {
  type Accepted,
  ask,
  catalogue,
  type CatalogueRequest,
  type Scene,
  setScene,
} from "./request_catalogue.ts";
import { BAD_KINDS, GOOD_KINDS, makeBadTokens, makeGoodTokens, type TokenKind } from "./token_kinds.ts";

/** The security schemes in the document for what an operation accepts. */
const SCHEMES: Readonly<Record<Accepted, readonly string[]>> = {
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

/** The kinds of token that this lets in. */
const LETS_IN: Readonly<Record<Accepted, readonly TokenKind[]>> = {
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

interface Operation extends Described {
  readonly accepts: Accepted;
  /** Whether it is about the graph, where all others accept keys. It refuses them with a 403. */
  readonly isForUsers: boolean;
}

async function listOperations(target: TestApp): Promise<Operation[]> {
  const known = new Map(catalogue(await setScene(target)).map(({ route, accepts }) => [route, accepts]));
  return operationsOf(await succeed<ApiDocument>(target, "GET", "/openapi.json")).map((operation) => {
    const accepts = known.get(operation.route) ?? assert.fail(operation.route);
    return { ...operation, accepts, isForUsers: accepts === "access" && operation.path.startsWith("/v1/") };
  });
}

const REFUSALS = [NO_TOKEN, UNVERIFIED, "SUDO_TOKEN_REQUIRED"] as const;
type Entry = "in" | typeof REFUSALS[number];

/** Whether the token was accepted, regardless of the response to the request. */
function entryOf(answer: Answer, what: string): Entry {
  assert.ok(answer.status < 500, `${what}: ${answer.status} ${answer.text}`);
  if (answer.status === 401 && answer.text === "") {
    return answer.headers.get("WWW-Authenticate") === "Bearer" ? NO_TOKEN : UNVERIFIED;
  }
  const message = (answer.body as { message?: unknown } | null | undefined)?.message;
  return answer.status === 401 ? REFUSALS.find((refusal) => refusal === message) ?? "in" : "in";
}

function expectedEntry({ accepts, isForUsers, path }: Operation, kind: TokenKind): Entry {
  if (LETS_IN[accepts].includes(kind) || kind === "key" && isForUsers) return "in";
  if (kind === "none") return path.startsWith("/v1/") ? UNVERIFIED : NO_TOKEN;
  return ACCESS.includes(kind) && accepts !== "refresh" ? "SUDO_TOKEN_REQUIRED" : UNVERIFIED;
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
  for (const { route, security, accepts } of await listOperations(target)) {
    assert.deepEqual(security.flatMap((scheme) => Object.keys(scheme)).sort(), SCHEMES[accepts], route);
  }
});

testApp("every operation accepts exactly the tokens of the catalogue", async (target) => {
  const wrong: string[] = [];
  const operations = await listOperations(target);
  const badTokens = await makeBadTokens(target);
  for (const operation of operations) {
    // New users each time, so that the effect of one accepted request does not reach the next.
    const goodTokens = await makeGoodTokens(target);
    const bystander = goodTokens.get("fresh")?.userId ?? 0;
    const { path, body } = exampleOf(operation);
    for (const [kind, { token }] of [...goodTokens, ...badTokens]) {
      const isOther = kind === "other's";
      const before = isOther ? await stateOf(target, bystander) : "";
      const what = `${operation.route} with ${kind}`;
      const answer = await send(target, operation.method, path, { token, body });
      const entry = entryOf(answer, what);
      const expected = expectedEntry(operation, kind);
      if (entry !== expected) {
        wrong.push(`${what}: ${entry}, not ${expected} (${answer.status} ${answer.text})`);
      }
      if (entry !== "in") assertChallenge(answer, entry, what);
      if (kind === "key" && operation.isForUsers) assertError(answer, 403, DENIED, what);
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
  } else if (entry === NO_TOKEN) {
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
