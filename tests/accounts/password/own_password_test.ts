/** Proving and changing one's own password: tokens, waits, and what a change ends. */
import assert from "node:assert/strict";
import { AppError } from "../../../src/core/errors.ts";
import {
  type Answer,
  assertError,
  assertWait,
  forEachApp,
  login,
  MALFORMED,
  query,
  queryNumber,
  send,
  testApp,
  UNVERIFIED,
} from "../../helpers/http.ts";
import { lastLinkToken, lastMail, readMails } from "../../helpers/mails.ts";
import { besideBystander } from "../../helpers/bystander.ts";
import {
  activateFactor,
  liveSessions,
  makeSudoToken,
  openEndedSession,
  signIn,
} from "../../helpers/security_scene.ts";
import { createSpyHasher, type SpyHasher } from "../../helpers/spy_hasher.ts";
import { fifty, statusesOf } from "../../flows/concurrency_services.ts";
import { openTestApp, type TestApp } from "../../helpers/test_app.ts";

const EMAIL = "ada@example.com";
const OLD = "the password of yesterday";
const NEW = "the password of tomorrow";
const INCORRECT = "PASSWORD_INCORRECT";
const TOO_MANY = "TOO_MANY_FAILED_PASSWORD_CHECKS";
const SCHEDULE = [0, 0, 0, 30, 60, 120, 300, 900, 3600, 3600];

function change(target: TestApp, token = "", oldPassword = OLD, newPassword = NEW): Promise<Answer> {
  return send(target, "PUT", "/user/password/old-password", { token, body: { oldPassword, newPassword } });
}

function prove(target: TestApp, token: string, password: string): Promise<Answer> {
  return send(target, "POST", "/user/password/authenticate", { token, body: { password } });
}

type Task = () => Promise<void> | void;

/** Registers a test with a hasher that counts, and that can run a function before it compares. */
function spied(
  name: string,
  body: (target: TestApp, hasher: SpyHasher, before: (task: Task) => void) => Promise<void>,
): void {
  const scenes = new WeakMap<TestApp, [SpyHasher, (task: Task) => void]>();
  forEachApp(name, async (target) => {
    const scene = scenes.get(target);
    assert.ok(scene);
    await body(target, ...scene);
  }, async (kind) => {
    let before: Task = () => {};
    const hasher = createSpyHasher(() => before());
    const target = await openTestApp(kind, { passwords: hasher, hasher });
    scenes.set(target, [hasher, (task) => void (before = task)]);
    return target;
  });
}

besideBystander(testApp)("a password change ends other sessions, sudo tokens and links", async (target) => {
  const ada = await signIn(target, EMAIL, OLD);
  const other = await target.openSession(ada.userId);
  await openEndedSession(target, ada.userId);
  const sudo = await makeSudoToken(target, ada);
  await send(target, "POST", "/user/password/reset/email", { body: { email: EMAIL } });
  const token = await lastLinkToken(target, "password_reset_link");
  assert.equal((await change(target, sudo, OLD)).text, "null");
  assert.deepEqual(await liveSessions(target, ada.userId), [ada.sessionId]);
  assertError(await send(target, "GET", "/user", { token: other.accessToken }), 401, UNVERIFIED);
  assert.equal((await send(target, "GET", "/user", { token: ada.accessToken })).status, 200);
  assertError(await change(target, sudo, NEW, OLD), 401, UNVERIFIED, "an earlier sudo token");
  const byLink = await send(target, "PUT", "/user/password/link", { body: { token, newPassword: OLD } });
  assertError(byLink, 401, "OTP_INVALID_EXPIRED");
  assertError(await login(target, EMAIL, OLD), 401, INCORRECT);
  assert.equal((await login(target, EMAIL, NEW)).status, 200);
  assert.equal((await lastMail(target, "password_set")).recipient, EMAIL);
  const changes = "SELECT result, session_id FROM security_event WHERE event = 'password.change'";
  assert.deepEqual(await query(target, changes), [{ result: "ok", session_id: ada.sessionId }]);
});

spied("an access token of any age suffices without a second factor, and never with one", async (target) => {
  const ada = await signIn(target, EMAIL, OLD);
  target.clock.advance(86_400);
  const claims = { ...ada, authenticatedAtMs: target.clock.now(), assuranceLevel: 1 } as const;
  const token = await target.deps.accessTokens.sign(claims);
  assert.equal((await prove(target, token, OLD)).status, 200);
  assert.equal((await change(target, token, OLD)).status, 200);
  await activateFactor(target, ada.userId);
  for (const answer of [await change(target, token, NEW, OLD), await prove(target, token, NEW)]) {
    assertError(answer, 401, "SUDO_TOKEN_REQUIRED");
  }
  assert.equal((await change(target, await makeSudoToken(target, ada), NEW, OLD)).status, 200);
});

spied("proving the password gives a sudo token for five minutes", async (target) => {
  const ada = await signIn(target, EMAIL, OLD);
  target.clock.advance(500);
  assertError(await prove(target, ada.accessToken, "wrong"), 401, INCORRECT);
  const answer = await prove(target, ada.accessToken, OLD);
  assert.equal(answer.headers.get("Cache-Control"), "no-store");
  const { sudoToken } = answer.body as { sudoToken: string };
  target.clock.advance(299);
  assert.equal((await change(target, sudoToken, OLD)).status, 200);
  target.clock.advance(1);
  assertError(await change(target, sudoToken, NEW, OLD), 401, UNVERIFIED);
});

spied("wrong passwords of both operations and all sessions share one schedule", async (target, hasher) => {
  const ada = await signIn(target, EMAIL, OLD);
  const other = await target.openSession(ada.userId);
  const tokens = [
    await makeSudoToken(target, ada),
    await makeSudoToken(target, { ...other, userId: ada.userId }),
  ];
  for (const [i, seconds] of SCHEDULE.slice(0, 6).entries()) {
    const token = i % 2 ? ada.accessToken : other.accessToken;
    const guess = (password: string): Promise<Answer> =>
      i % 3 ? prove(target, token, password) : change(target, tokens[i % 2], password);
    assertError(await guess("wrong"), 401, INCORRECT, `failure ${i + 1}`);
    if (seconds === 0) continue;
    const compared = hasher.calls.verify;
    assertWait(await guess(OLD), TOO_MANY, seconds, `after failure ${i + 1}`);
    target.clock.advance(seconds - 1);
    assertWait(await guess(OLD), TOO_MANY, 1);
    assert.equal(hasher.calls.verify, compared, "a password was checked during the wait");
    target.clock.advance(1);
  }
  assert.equal((await prove(target, ada.accessToken, OLD)).status, 200);
  for (let i = 0; i < 4; i++) assertError(await prove(target, ada.accessToken, "wrong"), 401, INCORRECT);
  assertWait(await prove(target, ada.accessToken, OLD), TOO_MANY, 30, "a success began it anew");
});

spied("an account's wrong guesses delay no other account and no sign-in", async (target) => {
  const ada = await signIn(target, EMAIL, OLD);
  const bob = await signIn(target, "bob@example.com", OLD);
  for (let i = 0; i < 4; i++) assertError(await prove(target, ada.accessToken, "wrong"), 401, INCORRECT);
  assertWait(await prove(target, ada.accessToken, OLD), TOO_MANY, 30);
  assert.equal((await prove(target, bob.accessToken, OLD)).status, 200);
  assert.equal((await login(target, EMAIL, OLD)).status, 200);
});

spied("of fifty simultaneous wrong passwords, four are compared", async (target, hasher) => {
  const ada = await signIn(target, EMAIL, OLD);
  const answers = await fifty((i) => (i % 2 ? prove : change)(target, ada.accessToken, "wrong"));
  assert.deepEqual(statusesOf(answers), { 401: 4, 429: 46 });
  for (const answer of answers) if (answer.status === 429) assertWait(answer, TOO_MANY, 30);
  assert.equal(hasher.calls.verify, 4);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM security_event WHERE result = 'wrong'"), 4);
});

spied("of fifty simultaneous changes, one succeeds", async (target) => {
  const ada = await signIn(target, EMAIL, OLD);
  const answers = await fifty((i) => change(target, ada.accessToken, OLD, `${NEW} ${i}`));
  const winner = answers.findIndex(({ status }) => status === 200);
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal((await login(target, EMAIL, `${NEW} ${winner}`)).status, 200);
  assert.equal((await readMails(target, "password_set")).length, 1);
});

spied("a password replaced during its comparison counts as wrong", async (target, _hasher, before) => {
  const ada = await signIn(target, EMAIL, OLD);
  before(async () => {
    before(() => {});
    await target.setPassword(ada.userId, "another person's password");
  });
  assertError(await change(target, ada.accessToken, OLD), 401, INCORRECT);
  assert.equal(await queryNumber(target, "SELECT count FROM throttle WHERE scope = 'password.own'"), 1);
  assert.equal((await login(target, EMAIL, "another person's password")).status, 200);
});

spied("a session's end or a new factor during the comparison refuses a proof", async (target, _h, before) => {
  const ada = await signIn(target, EMAIL, OLD);
  const other = await target.openSession(ada.userId);
  before(async () => {
    before(() => {});
    await send(target, "DELETE", "/user/session", { token: other.accessToken });
  });
  assertError(await prove(target, ada.accessToken, OLD), 401, UNVERIFIED);
  before(async () => {
    before(() => {});
    await activateFactor(target, ada.userId);
  });
  assertError(await prove(target, other.accessToken, OLD), 401, "SUDO_TOKEN_REQUIRED");
});

spied("a full hasher gives a 503 and counts no guess", async (target, _hasher, before) => {
  const ada = await signIn(target, EMAIL, OLD);
  for (let i = 0; i < 3; i++) assertError(await prove(target, ada.accessToken, "wrong"), 401, INCORRECT);
  before(() => {
    throw new AppError("UNAVAILABLE", { retryAfterSeconds: 1 });
  });
  for (let i = 0; i < 3; i++) {
    assert.equal((await prove(target, ada.accessToken, OLD)).status, 503);
    assert.equal((await change(target, ada.accessToken, OLD)).status, 503);
  }
  before(() => {});
  assertError(await prove(target, ada.accessToken, "wrong"), 401, INCORRECT, "the fourth");
  assertWait(await prove(target, ada.accessToken, OLD), TOO_MANY, 30);
});

spied("a refused new password counts no guess, and an oversized password gets a 400", async (target) => {
  const ada = await signIn(target, EMAIL, OLD);
  for (let i = 0; i < 10; i++) {
    assertError(await change(target, ada.accessToken, "wrong", "password1"), 400, "PASSWORD_TOO_COMMON");
    assertError(await change(target, ada.accessToken, "wrong", EMAIL), 400, "PASSWORD_EQUALS_NAME");
  }
  assertError(await change(target, ada.accessToken, "x".repeat(257)), 400, MALFORMED);
  assertError(await prove(target, ada.accessToken, "x".repeat(257)), 400, MALFORMED);
  // Attempts whose rules needed the account are recorded, and then taken back.
  const counted = "SELECT count(*) FROM security_event WHERE result <> 'abandoned'";
  assert.equal(await queryNumber(target, counted), 0);
  for (let i = 0; i < 3; i++) assertError(await prove(target, ada.accessToken, "wrong"), 401, INCORRECT);
  assert.equal((await change(target, ada.accessToken, OLD)).status, 200);
});
