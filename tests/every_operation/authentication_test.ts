import assert from "node:assert/strict";
import { SignJWT } from "jose";
import { type AccessTokenInput, createAccessTokens } from "../../src/identity/token/access_token.ts";
import { generateTokenKeys, importTokenKeys } from "../../src/identity/token/token_keys.ts";
import {
  assertError,
  assertUnchanged,
  forEachApp,
  logInFully,
  NO_TOKEN,
  send,
  succeed,
  UNVERIFIED,
} from "../helpers/http.ts";
import {
  ADMIN,
  ADMIN_PASSWORD,
  catalogue,
  type CatalogueRequest,
  methodOf,
  type Scene,
  sentOf,
  setScene,
} from "./request_catalogue.ts";
import { openTestApp, TEST_URL, type TestApp } from "../helpers/test_app.ts";

Deno.test("the catalogue of requests holds every route of the service", async () => {
  await using target = await openTestApp("file");
  const served = target.app.routes.filter(({ method }) => method !== "ALL");
  const routes = catalogue(await setScene(target)).map(({ route }) => route);
  assert.deepEqual(new Set(routes), new Set(served.map(({ method, path }) => `${method} ${path}`)));
});

Deno.test("every request of the catalogue succeeds as it stands", async () => {
  await using target = await openTestApp("file");
  const { length } = catalogue(await setScene(target));
  for (let i = 0; i < length; i++) {
    await target.reset();
    const scene = await setScene(target);
    const request = catalogue(scene)[i];
    assert.ok(request);
    const { status, text } = await send(target, methodOf(request), request.path, sentOf(scene, request));
    assert.equal(status, WITHOUT_CONTENT.has(request.route) ? 204 : 200, `${request.route}: ${text}`);
  }
});

/** Operations whose success has no body. */
const WITHOUT_CONTENT: ReadonlySet<string> = new Set([
  "POST /auth/logout",
  "POST /v1/telemetry",
  "POST /user/password/reset/email",
  "POST /v1/auth/forgot-password",
]);

const INVALID = 'Bearer error="invalid_token"';

/** Sends the request with this Authorization header: refused as said. */
async function assertRefused(
  scene: Scene,
  request: CatalogueRequest,
  authorization: string | undefined,
  name: string,
): Promise<void> {
  const { target } = scene;
  const headers = authorization === undefined ? {} : { Authorization: authorization };
  const sent = sentOf(scene, request, { token: undefined, headers });
  const answer = await send(target, methodOf(request), request.path, sent);
  const context = `${request.route} with ${name}`;
  const isMissing = authorization === undefined || authorization === "";
  const isNamed = isMissing && !request.path.startsWith("/v1/");
  assertError(answer, 401, isNamed ? NO_TOKEN : UNVERIFIED, context);
  assert.equal(answer.headers.get("WWW-Authenticate"), isMissing ? "Bearer" : INVALID, context);
}

/** Sends the request with each of these Authorization headers: all are refused, and nothing changes. */
async function assertAllRefused(
  scene: Scene,
  request: CatalogueRequest,
  authorizations: Readonly<Record<string, string | undefined>>,
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

/** Authorization headers that no operation accepts. */
const NOT_BEARER: Readonly<Record<string, string | undefined>> = {
  "no header": undefined,
  "an empty header": "",
  "the scheme alone": "Bearer",
  "another scheme": "Basic YTpi",
  "text that is no token": "Bearer not-a-token",
  "three empty segments": "Bearer ..",
  "a token of 100,000 characters": `Bearer ${"A".repeat(100_000)}`,
};

forEachApp("no operation that takes a token does without one", async (target) => {
  const scene = await setScene(target);
  for (const request of catalogue(scene)) {
    if (request.token === "none") continue;
    await assertAllRefused(scene, request, NOT_BEARER);
  }
});

/** The same text but for its first character. A fixed one would, now and then, be the one that stood there. */
function withAnotherStart(text: string): string {
  return (text.startsWith("A") ? "B" : "A") + text.slice(1);
}

/** Access tokens that look right and are not. */
async function forgedAccessTokens(scene: Scene): Promise<Record<string, string>> {
  const { clock, tokenKeys } = scene.target.deps;
  const { session } = await succeed<{ session: { id: string; current: boolean }[] }>(
    scene.target,
    "GET",
    "/user/session",
    { token: scene.accessToken },
  );
  const claims: AccessTokenInput = {
    userId: scene.adminId,
    sessionId: session.find(({ current }) => current)?.id ?? "",
    authenticatedAtMs: clock(),
    assuranceLevel: 1,
  };
  const other = await importTokenKeys(await generateTokenKeys());
  const make = (change: Partial<Parameters<typeof createAccessTokens>[0]>): Promise<string> =>
    createAccessTokens({ keys: tokenKeys, publicUrl: TEST_URL, clock, ...change }).sign(claims);
  const now = Math.floor(clock() / 1000);
  const jwt = (typ: string, audience: string): Promise<string> =>
    new SignJWT({ sid: claims.sessionId, auth_time: now, aal: 1 })
      .setProtectedHeader({ alg: "EdDSA", typ, kid: tokenKeys.signingKeyId })
      .setIssuer(TEST_URL).setAudience(audience).setSubject(String(claims.userId)).setJti("x")
      .setIssuedAt(now).setExpirationTime(now + 600).sign(tokenKeys.signingKey);
  const [header = "", payload = "", signature = ""] = scene.accessToken.split(".");
  const none = btoa(JSON.stringify({ alg: "none", typ: "at+jwt" })).replaceAll("=", "");
  const { sign } = scene.target.deps.accessTokens;
  // The way the forgeries are made gives a good token where nothing is forged.
  const control = await send(scene.target, "GET", "/user/session", { token: await jwt("at+jwt", TEST_URL) });
  assert.equal(control.status, 200);
  return {
    "an expired token": await make({ clock: () => clock() - 600_000 }),
    "a token from the future": await make({ clock: () => clock() + 6_000 }),
    "a token of a key that is not configured": await make({ keys: other }),
    "a token signed by another key under our key's id": await make({
      keys: { ...other, signingKeyId: tokenKeys.signingKeyId },
    }),
    "a token of another issuer": await make({ publicUrl: "https://elsewhere.test" }),
    "a token for another audience": await jwt("at+jwt", `${TEST_URL}/user`),
    "a token of another kind": await jwt("sudo+jwt", TEST_URL),
    "a token without a kind": await jwt("JWT", TEST_URL),
    "an unsigned token": `${none}.${payload}.`,
    "a token with an altered payload": `${header}.${withAnotherStart(payload)}.${signature}`,
    "a token with an altered signature": `${header}.${payload}.${withAnotherStart(signature)}`,
    "a token with padding": `${scene.accessToken}=`,
    "a token of a session that never was": await sign({ ...claims, sessionId: "AAAAAAAAAAAAAAAAAAAAAA" }),
    "a token of another user's session": await sign({ ...claims, sessionId: scene.foreign.sessionId }),
    "a token of a user who does not exist": await sign({ ...claims, userId: 999_999 }),
    "a refresh token": scene.refreshToken,
  };
}

forEachApp(
  "no operation accepts an access token that is not genuine, current and its session's",
  async (target) => {
    const scene = await setScene(target);
    const forged = await forgedAccessTokens(scene);
    for (const request of catalogue(scene)) {
      if (request.token !== "access") continue;
      await assertAllRefused(scene, request, bearers(forged));
    }
  },
);

forEachApp("no operation accepts a refresh token that is not genuine", async (target) => {
  const scene = await setScene(target);
  const [family = "", generation = "", mac = ""] = scene.refreshToken.split(".");
  const forged = {
    "an access token": scene.accessToken,
    "another generation": [family, Number(generation) + 1, mac].join("."),
    "another family": [withAnotherStart(family), generation, mac].join("."),
    "another code": [family, generation, withAnotherStart(mac)].join("."),
    "a part too many": `${scene.refreshToken}.x`,
    "padding": `${scene.refreshToken}=`,
  };
  for (const request of catalogue(scene)) {
    if (request.token !== "refresh") continue;
    await assertAllRefused(scene, request, bearers(forged));
  }
});

/** Ends the session of these tokens in the way named. */
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

interface Session {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly sessionId: string;
}

async function openSecondSession(target: TestApp): Promise<Session> {
  const tokens = await logInFully(target, ADMIN, ADMIN_PASSWORD);
  const { session } = await succeed<{ session: { id: string; current: boolean }[] }>(
    target,
    "GET",
    "/user/session",
    { token: tokens.accessToken },
  );
  return { ...tokens, sessionId: session.find(({ current }) => current)?.id ?? "" };
}

for (const [name, end] of Object.entries(ENDINGS)) {
  forEachApp(`no operation accepts a token of ${name}`, async (target) => {
    const scene = await setScene(target);
    const ended = await openSecondSession(target);
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

forEachApp("a session that ran out of time refuses every operation", async (target) => {
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

forEachApp("the scheme's name is read in any case", async (target) => {
  const { accessToken } = await setScene(target);
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const headers = { Authorization: `${scheme} ${accessToken}` };
    assert.equal((await send(target, "GET", "/user/session", { headers })).status, 200);
  }
});

forEachApp("an unknown route is 404, with and without a token", async (target) => {
  const { accessToken: token } = await setScene(target);
  const unknown = [
    "GET /",
    "GET /v1",
    "GET /v1/role/1",
    "PATCH /v1/role/1",
    "DELETE /v1/role/1",
    "POST /v2/role/query",
  ];
  for (const route of [...unknown, "GET /auth", "PUT /auth/login", "GET /v1/role/", "GET /v1/role/1/2/3/4"]) {
    const [method = "", path = ""] = route.split(" ");
    assertError(await send(target, method, path, { token }), 404, "Resource not found", route);
    assertError(await send(target, method, path), 404, "Resource not found", route);
  }
});
