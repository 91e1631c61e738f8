/** Access tokens for sibling services are valid for their own audience only. */
import assert from "node:assert/strict";
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import {
  assertError,
  logInFully,
  MALFORMED,
  NO_TOKEN,
  query,
  send,
  succeed,
  testApp,
  tokenFrom,
  UNVERIFIED,
} from "../helpers/http.ts";
import { OTHER_SIBLING_URL, SIBLING_URL, TEST_URL, type TestApp } from "../helpers/test_app.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "a password that is right";
const VALIDATE = "/auth/accesstoken/validate";

interface Scene {
  readonly target: TestApp;
  readonly userId: number;
  readonly refreshToken: string;
  readonly accessToken: string;
  readonly siblingToken: string;
}

function scene(name: string, body: (scene: Scene) => Promise<void>): void {
  testApp(name, async (target) => {
    const { userId } = await target.createUser(EMAIL);
    await target.setPassword(userId, PASSWORD);
    const tokens = await logInFully(target, EMAIL, PASSWORD);
    const siblingToken = await tokenFrom(target, forSibling("/auth/accesstoken"), tokens.refreshToken);
    await body({ target, userId, ...tokens, siblingToken });
  });
}

function forSibling(path: string, audience = SIBLING_URL): string {
  return `${path}?audience=${encodeURIComponent(audience)}`;
}

scene("a sibling's token differs from an access token only in audience and id", async (s) => {
  const [own, sibling] = [decodeJwt(s.accessToken), decodeJwt(s.siblingToken)];
  assert.deepEqual([own.aud, sibling.aud], [TEST_URL, SIBLING_URL]);
  assert.deepEqual({ ...sibling, aud: "", jti: "" }, { ...own, aud: "", jti: "" });
  const alias = await tokenFrom(s.target, forSibling("/accesstoken", OTHER_SIBLING_URL), s.refreshToken);
  assert.equal(decodeJwt(alias).aud, OTHER_SIBLING_URL);
});

scene("a sibling verifies tokens with the public keys and refuses other audiences", async (s) => {
  const keys = createLocalJWKSet(await succeed<JSONWebKeySet>(s.target, "GET", "/.well-known/jwks.json"));
  const options = {
    issuer: TEST_URL,
    audience: SIBLING_URL,
    typ: "at+jwt",
    algorithms: ["EdDSA"],
    currentDate: new Date(s.target.clock.now()),
  };
  const { payload } = await jwtVerify(s.siblingToken, keys, options);
  assert.equal(payload.sub, String(s.userId));
  const other = await tokenFrom(s.target, forSibling("/auth/accesstoken", OTHER_SIBLING_URL), s.refreshToken);
  for (const token of [s.accessToken, other]) await assert.rejects(jwtVerify(token, keys, options));
});

scene("a token is valid for its own audience only", async ({ target, userId, accessToken, siblingToken }) => {
  const validate = (path: string, token: string): ReturnType<typeof send> =>
    send(target, "GET", path, { token });
  assert.deepEqual((await validate(VALIDATE, accessToken)).body, { userId });
  // Twice, since a verified token is remembered.
  for (let i = 0; i < 2; i++) {
    assert.deepEqual((await validate(forSibling(VALIDATE), siblingToken)).body, { userId });
    assertError(await validate(VALIDATE, siblingToken), 401, UNVERIFIED);
    assertError(await validate(forSibling(VALIDATE, OTHER_SIBLING_URL), siblingToken), 401, UNVERIFIED);
    assertError(await validate(forSibling(VALIDATE), accessToken), 401, UNVERIFIED);
  }
  assertError(await send(target, "GET", forSibling(VALIDATE)), 401, NO_TOKEN);
});

scene("a sibling's token ends with its session and after ten minutes", async (s) => {
  const { target, refreshToken, siblingToken } = s;
  const statusOf = async (token: string): Promise<number> =>
    (await send(target, "GET", forSibling(VALIDATE), { token })).status;
  target.clock.advance(599);
  assert.equal(await statusOf(siblingToken), 200);
  target.clock.advance(1);
  assert.equal(await statusOf(siblingToken), 401);
  const next = await tokenFrom(target, forSibling("/auth/accesstoken"), refreshToken);
  assert.equal(await statusOf(next), 200);
  assert.equal((await send(target, "POST", "/auth/logout", { token: refreshToken })).status, 204);
  assert.equal(await statusOf(next), 401);
});

scene("an unknown audience is refused after a bad token, and leaves the refresh token unused", async (s) => {
  const next = await tokenFrom(s.target, "/auth/refreshtoken", s.refreshToken);
  const audiences = [
    "https://elsewhere.test",
    TEST_URL,
    `${SIBLING_URL}/`,
    SIBLING_URL.toUpperCase(),
    "",
    "__proto__",
    `${SIBLING_URL}/${"x".repeat(256)}`,
  ];
  const tokens = { "/auth/accesstoken": next, "/accesstoken": next, [VALIDATE]: s.accessToken };
  const queries = [
    ...audiences.map((audience) => `audience=${encodeURIComponent(audience)}`),
    `audience=${SIBLING_URL}&audience=${OTHER_SIBLING_URL}`,
    `resource=${SIBLING_URL}`,
  ];
  for (const [path, token] of Object.entries(tokens)) {
    for (const text of queries) {
      assertError(await send(s.target, "GET", `${path}?${text}`, { token }), 400, MALFORMED, text);
    }
    const guess = await send(s.target, "GET", forSibling(path, "https://elsewhere.test"), {
      token: "x".repeat(90),
    });
    assertError(guess, 401, UNVERIFIED);
  }
  const used = await query(s.target, "SELECT 1 FROM session WHERE generation = 2 AND used_at IS NOT NULL");
  assert.deepEqual(used, []);
});
