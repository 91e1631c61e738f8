/** Logins: what is compared, what a failure leaves behind, and how outdated hashes are replaced. */
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { AppError } from "../../src/core/errors.ts";
import {
  assertError,
  assertWait,
  execute,
  forEachApp,
  login,
  logInFully,
  MALFORMED,
  query,
  send,
  testApp,
  tokenFrom,
} from "../helpers/http.ts";
import type { PasswordVerdict } from "../../src/accounts/password/hasher.ts";
import { besideBystander } from "../helpers/bystander.ts";
import { createSpyHasher } from "../helpers/spy_hasher.ts";
import { openHashingApp, openTestApp, START_MS, TEST_URL, type TestApp } from "../helpers/test_app.ts";

/** Whatever becomes of one account, another one stays as it is. */
const testBeside = besideBystander(testApp);

const EMAIL = "ada@example.com";
const PASSWORD = "a password that is right";

async function createAda(target: TestApp): Promise<number> {
  const { userId } = await target.createUser(EMAIL);
  await target.setPassword(userId, PASSWORD);
  return userId;
}

testBeside("login returns a refresh token as plain text, which gives an access token", async (target) => {
  const userId = await createAda(target);
  const answer = await login(target, EMAIL, PASSWORD);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("Content-Type") ?? "", /^text\/plain/);
  assert.equal(answer.headers.get("Cache-Control"), "no-store");
  assert.match(answer.text, /^[A-Za-z0-9_.-]+$/);
  const { sid, jti, ...rest } = decodeJwt(await tokenFrom(target, "/accesstoken", answer.text));
  const now = START_MS / 1000;
  const times = { auth_time: now, iat: now, exp: now + 600 };
  const person = { iss: TEST_URL, aud: TEST_URL, sub: String(userId), aal: 1, amr: ["pwd"] };
  assert.deepEqual(rest, { ...person, ...times });
  assert.deepEqual([typeof sid, typeof jti], ["string", "string"]);
});

testBeside("the username is matched ignoring case, surrounding space and width", async (target) => {
  await createAda(target);
  for (const spelling of [EMAIL.toUpperCase(), ` ${EMAIL}\n`, "ａｄａ@example.com"]) {
    assert.equal((await login(target, spelling, PASSWORD)).status, 200, spelling);
  }
});

testBeside("a password is compared exactly, after Unicode normalization", async (target) => {
  const { userId } = await target.createUser(EMAIL);
  await target.setPassword(userId, " Zoë's pässword ");
  assert.equal((await login(target, EMAIL, " Zoe\u0308's pa\u0308ssword ")).status, 200);
  for (const wrong of ["Zoë's pässword", " zoë's pässword ", " Zoë's pässword  ", ""]) {
    const answer = await login(target, EMAIL, wrong);
    assertError(answer, 401, "PASSWORD_INCORRECT", wrong);
    assert.equal(answer.headers.get("WWW-Authenticate"), "Bearer");
  }
}, openHashingApp);

testBeside("the longest allowed password logs in, in each of its normal forms", async (target) => {
  const { userId } = await target.createUser(EMAIL);
  for (const password of ["😀".repeat(256), "ǖ".repeat(256), "ΐ".repeat(256)]) {
    await target.setPassword(userId, password);
    assert.equal((await login(target, EMAIL, password)).status, 200);
    assert.equal((await login(target, EMAIL, password.normalize("NFD"))).status, 200);
    assertError(await login(target, EMAIL, `${password}x`), 400, MALFORMED);
  }
}, openHashingApp);

testBeside("a password that is too long is refused before it is hashed", async (target) => {
  await createAda(target);
  const endless = "a" + "\u0301\u0323".repeat(4000);
  assertError(await login(target, EMAIL, endless), 400, MALFORMED);
  const body = { token: "any", newPassword: endless };
  assertError(await send(target, "PUT", "/user/password/link", { body }), 400, "PASSWORD_TOO_LONG");
});

/** The response and the traces of a failed login, without those that name the account. */
async function traceOf(target: TestApp, username: string): Promise<unknown> {
  await execute(target, ["DELETE FROM throttle", "DELETE FROM security_event"]);
  const answers = [];
  for (let i = 0; i < 5; i++) {
    const { status, text, headers } = await login(target, username, "wrong");
    answers.push({ status, text, headers: [...headers].filter(([name]) => name !== "x-request-id") });
  }
  return {
    answers,
    events: await query(target, "SELECT event, result, address FROM security_event ORDER BY id"),
    throttles: await query(
      target,
      `SELECT scope, count, next_at, started_at, expires_at, length(key) AS length FROM throttle ORDER BY scope`,
    ),
    others: await query(
      target,
      "SELECT (SELECT count(*) FROM session) AS n, (SELECT count(*) FROM outbox) AS m",
    ),
  };
}

forEachApp("an unknown user, no password and a wrong password leave the same trace", async (target) => {
  await createAda(target);
  await target.createUser("invited@example.com");
  const wrong = await traceOf(target, EMAIL);
  assert.deepEqual(await traceOf(target, "unknown@example.com"), wrong);
  assert.deepEqual(await traceOf(target, "invited@example.com"), wrong);
  assert.deepEqual(await traceOf(target, "no address at all"), wrong);
});

const counting = createSpyHasher();

forEachApp("an unknown user costs one password comparison, as a known one does", async (target) => {
  await createAda(target);
  await target.createUser("invited@example.com");
  const before = { ...counting.calls };
  await login(target, EMAIL, "wrong");
  await login(target, "unknown@example.com", "wrong");
  await login(target, "invited@example.com", "wrong");
  const { hash, verify, dummy } = counting.calls;
  assert.deepEqual([hash - before.hash, verify - before.verify, dummy - before.dummy], [0, 1, 2]);
}, (kind) => openTestApp(kind, { passwords: counting, hasher: counting }));

const oldHash = createSpyHasher();

forEachApp("a right password replaces a hash with weaker parameters", async (target) => {
  const userId = await createAda(target);
  await execute(target, "UPDATE user_account SET password_hash = 'old:' || password_hash");
  assertError(await login(target, EMAIL, "wrong"), 401, "PASSWORD_INCORRECT");
  assert.match(await hashOf(target, userId), /^old:/);
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200);
  assert.equal(await hashOf(target, userId), `plain:${PASSWORD}`);
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200);
}, (kind) => {
  const hasher = weakHasher(() => Promise.resolve(`plain:${PASSWORD}`));
  return openTestApp(kind, { passwords: hasher, hasher: oldHash });
});

forEachApp("a login succeeds even if the weaker hash cannot be replaced at the moment", async (target) => {
  const userId = await createAda(target);
  await execute(target, "UPDATE user_account SET password_hash = 'old:' || password_hash");
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200);
  assert.match(await hashOf(target, userId), /^old:/);
  for (let i = 0; i < 4; i++) assertError(await login(target, EMAIL, "wrong"), 401, "PASSWORD_INCORRECT");
  assertWait(await login(target, EMAIL, PASSWORD), "TOO_MANY_FAILED_PASSWORD_CHECKS", 30);
}, (kind) => {
  const hasher = weakHasher(() => Promise.reject(new AppError("UNAVAILABLE", { retryAfterSeconds: 1 })));
  return openTestApp(kind, { passwords: hasher, hasher: oldHash });
});

/** A hasher that treats `old:plain:<password>` as an outdated hash. */
function weakHasher(hash: () => Promise<string>): ReturnType<typeof createSpyHasher> {
  const spy = createSpyHasher();
  return {
    ...spy,
    hash,
    async verify(password, phc): Promise<PasswordVerdict> {
      const { ok } = await spy.verify(password, phc.replace(/^old:/, ""));
      return { ok, needsRehash: ok && phc.startsWith("old:"), isUnreadable: false };
    },
  };
}

async function hashOf(target: TestApp, userId: number): Promise<string> {
  const sql = "SELECT password_hash AS hash FROM user_account WHERE id = :userId";
  return (await query<{ hash: string }>(target, sql, { userId }))[0]?.hash ?? "";
}

testBeside("a successful login is logged with its session and without secrets", async (target) => {
  const userId = await createAda(target);
  const { refreshToken, accessToken } = await logInFully(target, EMAIL, PASSWORD);
  const sessionId = decodeJwt(accessToken)["sid"];
  const events = await query(
    target,
    `SELECT event, result, actor_id AS actorId, user_id AS userId, session_id AS sessionId, address
     FROM security_event`,
  );
  assert.deepEqual(events, [
    { event: "login", result: "ok", actorId: userId, userId, sessionId, address: "192.0.2.1" },
  ]);
  const log = target.logLines.join("\n");
  for (const secret of [PASSWORD, refreshToken, accessToken, EMAIL]) assert.ok(!log.includes(secret));
});

forEachApp("a login fails if the password changes during its comparison", async (target) => {
  const userId = await createAda(target);
  duringComparison = async () => {
    duringComparison = undefined;
    await target.setPassword(userId, "another password");
  };
  assertError(await login(target, EMAIL, PASSWORD), 401, "PASSWORD_INCORRECT");
  assert.deepEqual(await query(target, "SELECT 1 FROM session WHERE client <> 'test'"), []);
  assert.equal((await login(target, EMAIL, "another password")).status, 200);
}, (kind) => {
  const hasher = createSpyHasher(() => duringComparison?.());
  return openTestApp(kind, { passwords: hasher, hasher });
});

let duringComparison: (() => Promise<void>) | undefined;

testBeside("the published keys contain the public members only", async (target) => {
  const answer = await send(target, "GET", "/.well-known/jwks.json");
  assert.equal(answer.status, 200);
  const { keys } = answer.body as { keys: Record<string, unknown>[] };
  assert.equal(keys.length, 1);
  const { x, kid, ...rest } = keys[0] ?? {};
  assert.deepEqual(rest, { kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig" });
  assert.deepEqual([typeof x, typeof kid], ["string", "string"]);
});
