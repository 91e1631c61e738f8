/** A login with a second factor: partial tokens, methods, and how wrong codes wait and lock. */
import assert from "node:assert/strict";
import {
  type Answer,
  assertError,
  assertWait,
  execute,
  forEachApp,
  login,
  MALFORMED,
  query,
  queryNumber,
  send,
  succeed,
  tokenFrom,
  UNVERIFIED,
} from "../../helpers/http.ts";
import { activateFactor } from "../../helpers/security_scene.ts";
import {
  activateEmailOtp,
  activateTotp,
  type Ada,
  type Authenticator,
  CODES_AT,
  EMAIL,
  isLive,
  mailedCode,
  mailsTo,
  otherThan,
  PASSWORD,
  startLogin,
  testAda,
  testAdaAlone,
  type Tokens,
} from "../../helpers/second_factors.ts";
import type { TestApp } from "../../helpers/test_app.ts";
import { fifty } from "../../flows/concurrency_services.ts";

const BOB = "bob@example.com";
const RECOVERY = "/user/2fa/recovery-code/authenticate";

function proveTotp(target: TestApp, token: string, totp: string): Promise<Answer> {
  return send(target, "POST", "/user/2fa/totp/authenticate", { token, body: { totp } });
}

/** Logs Bob in up to his second factor, and returns the partial token. */
async function startLoginOfBob(target: TestApp): Promise<string> {
  const { userId } = await target.createUser(BOB);
  await target.setPassword(userId, PASSWORD);
  await activateFactor(target, userId);
  return ((await login(target, BOB, PASSWORD)).body as { partialAuthToken: string }).partialAuthToken;
}

async function statusOf(target: TestApp, path: string, token: string): Promise<number> {
  return (await send(target, "GET", path, { token })).status;
}

testAdaAlone("a right password alone opens no session if a factor is active", async (ada) => {
  const { target, userId, accessToken } = ada;
  const { app } = await activateTotp(target, accessToken);
  await execute(target, "DELETE FROM known_address");
  const sessions = await queryNumber(target, "SELECT count(*) FROM session");
  const answer = await login(target, EMAIL, PASSWORD);
  const { partialAuthToken: partial, ...rest } = answer.body as { partialAuthToken: string };
  assert.deepEqual(rest, {
    statusCode: 401,
    error: "Unauthorized",
    message: "2FA_REQUIRED",
    methods: ["totp", "recoveryCode"],
  });
  assert.equal(answer.headers.get("WWW-Authenticate"), "Bearer");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session"), sessions);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM known_address"), 0);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM throttle WHERE count <> 0"), 0, "given back");
  const tokens = (await proveTotp(target, partial, app.code())).body as Tokens;
  assert.deepEqual(Object.keys(tokens).toSorted(), ["accessToken", "refreshToken", "sudoToken"]);
  const claims = await target.deps.accessTokens.verify(tokens.accessToken);
  assert.deepEqual([claims.userId, claims.assuranceLevel], [userId, 2]);
  const refreshed = await tokenFrom(target, "/auth/accesstoken", tokens.refreshToken);
  assert.equal((await target.deps.accessTokens.verify(refreshed)).assuranceLevel, 2);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM known_address"), 1);
  assert.equal((await send(target, "POST", "/user/2fa/totp/setup", { token: tokens.sudoToken })).status, 200);
  assertError(await send(target, "GET", "/user/2fa", { token: partial }), 401, UNVERIFIED, "it is used");
});

testAdaAlone("login asks for active factors only, and names those that can be used", async (ada) => {
  const { target, accessToken: token } = ada;
  await succeed(target, "POST", "/user/2fa/totp/setup", { token });
  await succeed(target, "POST", "/user/2fa/email-otp/setup", { token, body: { email: CODES_AT } });
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200, "nothing is active");
  const body = { otp: await mailedCode(target) };
  await succeed(target, "POST", "/user/2fa/email-otp/enable", { token, body });
  const methods = async (): Promise<unknown> =>
    ((await login(target, EMAIL, PASSWORD)).body as { methods: unknown }).methods;
  assert.deepEqual(await methods(), ["emailOtp", "recoveryCode"]);
  await execute(target, "UPDATE recovery_code SET used_at = 1");
  assert.deepEqual(await methods(), ["emailOtp"]);
});

testAdaAlone("a wrong second factor opens no session and makes no address known", async (ada) => {
  const { target, accessToken } = ada;
  const { app } = await activateTotp(target, accessToken);
  const partial = await startLogin(target);
  await execute(target, "DELETE FROM known_address");
  const sessions = await queryNumber(target, "SELECT count(*) FROM session");
  assertError(await proveTotp(target, partial, app.wrongCode()), 401, "TOTP_INVALID");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session"), sessions);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM known_address"), 0);
});

testAda("ending all other sessions ends one's own pending sign-ins, and no other user's", async (ada) => {
  const { target, accessToken } = ada;
  const bobs = await startLoginOfBob(target);
  await activateTotp(target, accessToken);
  const mine = await startLogin(target);
  await succeed(target, "DELETE", "/user/session", { token: accessToken });
  assertError(await send(target, "GET", "/user/2fa", { token: mine }), 401, UNVERIFIED);
  assert.equal(await statusOf(target, "/user/2fa", bobs), 200);
});

testAdaAlone("a login by a second factor ends the least recently used of 100 sessions", async (ada) => {
  const { target, userId, accessToken } = ada;
  const { app } = await activateTotp(target, accessToken);
  for (let i = 0; i < 100; i++) await target.openSession(userId);
  const token = await startLogin(target);
  assertError(await proveTotp(target, token, otherThan(app.code())), 401, "TOTP_INVALID");
  assert.equal(await isLive(target, accessToken), true);
  assert.equal((await proveTotp(target, token, app.code())).status, 200);
  assert.equal(await isLive(target, accessToken), false, "the oldest");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session WHERE ended_at IS NULL"), 100);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session WHERE ended_reason = 'too_many'"), 3);
});

testAdaAlone("a user has up to 100 pending sign-ins, and strangers end only strangers'", async (ada) => {
  const { target, accessToken } = ada;
  const bobs = await startLoginOfBob(target);
  await activateTotp(target, accessToken);
  const old = await startLogin(target);
  // The address of all requests is known to Ada's account, since she signed in from it.
  target.clock.advance(601);
  const mine = await startLogin(target);
  const stranger = async (i: number): Promise<string> => {
    target.clock.advance(1);
    return await startLogin(target, `198.51.100.${i}`);
  };
  const first = await stranger(0);
  const statuses = (...tokens: string[]) =>
    Promise.all(tokens.map((token) => statusOf(target, "/user/2fa", token)));
  for (let i = 1; i < 99; i++) await stranger(i);
  assert.deepEqual(await statuses(mine, first), [200, 200]);
  const last = await stranger(99);
  assert.deepEqual(await statuses(mine, first, last, old), [200, 401, 200, 401]);
  const open = "SELECT count(*) FROM partial_login WHERE ended_at IS NULL";
  assert.equal(await queryNumber(target, `${open} AND user_id = ${ada.userId}`), 100);
  assert.equal(await queryNumber(target, open), 101, "Bob's is not Ada's");
  assert.ok(bobs);
});

testAda("a wrong password does not reveal that a second factor is active", async (ada) => {
  const { target, accessToken } = ada;
  await activateTotp(target, accessToken);
  assertError(await login(target, EMAIL, "wrong"), 401, "PASSWORD_INCORRECT");
});

testAda("factors are listed with their times, and masked for a partial token", async (ada) => {
  const { target, accessToken: token } = ada;
  await activateEmailOtp(target, token);
  const completedAt = new Date(target.clock.now() - 60_000).toISOString();
  const listed = {
    enabled: true,
    emailOtp: { email: CODES_AT, completedAt },
    recoveryCodes: { completedAt, remaining: 10 },
  };
  assert.deepEqual(await succeed(target, "GET", "/user/2fa", { token }), listed);
  const masked = { ...listed, emailOtp: { email: "a***@example.org", completedAt } };
  assert.deepEqual(await succeed(target, "GET", "/user/2fa", { token: await startLogin(target) }), masked);
});

testAda("a partial token is valid for ten minutes", async ({ target, accessToken }) => {
  const { app } = await activateTotp(target, accessToken);
  const partial = await startLogin(target);
  target.clock.advance(599);
  assert.equal(await statusOf(target, "/user/2fa", partial), 200);
  target.clock.advance(1);
  assertError(await proveTotp(target, partial, app.code()), 401, UNVERIFIED);
});

testAda("the fifth wrong code ends a login, over all factors, and mails the user once", async (ada) => {
  const { target, accessToken } = ada;
  const { app } = await activateTotp(target, accessToken);
  const [partial, other] = [await startLogin(target), await startLogin(target)];
  for (let i = 0; i < 3; i++) {
    assertError(await proveTotp(target, partial, app.wrongCode()), 401, "TOTP_INVALID");
  }
  const sent = { token: partial, body: { recoveryCode: "0000-0000-0000-0000" } };
  for (let i = 0; i < 2; i++) {
    assertError(await send(target, "POST", RECOVERY, sent), 401, "RECOVERY_CODE_INVALID");
  }
  assertError(await proveTotp(target, partial, app.code()), 401, UNVERIFIED);
  assert.deepEqual((await mailsTo(target, EMAIL)).slice(2), [["second_factor_failures", null]]);
  assert.equal((await proveTotp(target, other, app.code())).status, 200, "another login was ended, too");
});

testAda("five wrong codes in a row mail the user once, even over several logins", async (ada) => {
  const { target, accessToken } = ada;
  const { app } = await activateTotp(target, accessToken);
  for (let i = 1; i <= 6; i++) {
    const token = await startLogin(target);
    assertError(await proveTotp(target, token, app.wrongCode()), 401, "TOTP_INVALID");
    const told = (await mailsTo(target, EMAIL)).filter(([template]) => template === "second_factor_failures");
    assert.equal(told.length, i < 5 ? 0 : 1, `failure ${i}`);
    if (i >= 4) target.clock.advance(60);
  }
});

/** A factor with a wrong and a right code, and its error messages. */
interface Guessing {
  readonly path: string;
  readonly next: string | undefined;
  readonly invalid: string;
  readonly tooMany: string;
  wrong(): unknown;
  right(): unknown;
}

async function guessing(ada: Ada, kind: string): Promise<Guessing> {
  const { target, accessToken } = ada;
  if (kind === "email_otp") {
    await activateEmailOtp(target, accessToken);
    return {
      path: "/user/2fa/email-otp/authenticate",
      next: undefined,
      invalid: "OTP_INVALID_EXPIRED",
      tooMany: "TOO_MANY_EMAIL_OTP_CHECKS",
      wrong: () => ({ otp: "x".repeat(6) }),
      right: () => ({ otp: "x".repeat(6) }),
    };
  }
  const { app, recoveryCodes } = await activateTotp(target, accessToken);
  if (kind === "totp") {
    return {
      path: "/user/2fa/totp/authenticate",
      next: "/user/2fa/totp/next-guess",
      invalid: "TOTP_INVALID",
      tooMany: "TOO_MANY_TOTP_CHECKS",
      wrong: () => ({ totp: app.wrongCode() }),
      right: () => ({ totp: app.code() }),
    };
  }
  return {
    path: RECOVERY,
    next: "/user/2fa/recovery-code/next-guess",
    invalid: "RECOVERY_CODE_INVALID",
    tooMany: "TOO_MANY_RECOVERY_CODE_CHECKS",
    wrong: () => ({ recoveryCode: "0000-0000-0000-0000" }),
    right: () => ({ recoveryCode: recoveryCodes.shift() }),
  };
}

const SCHEDULE = [0, 0, 0, 30, 60, 120, 300, 900, 3600, 3600];

/**
 * Gives each session and login a code that is valid for any number of guesses: these tests are about the limit of the
 * account, not of the code.
 */
async function giveCodes({ target, userId }: Ada): Promise<void> {
  await execute(
    target,
    `INSERT INTO one_time_code (purpose, subject, mac, user_id, created_at, expires_at, guesses_left)
      SELECT 'email_otp.challenge', id, 'none', :userId, 0, 9000000000000, 1000
      FROM (SELECT id FROM session UNION ALL SELECT id FROM partial_login) WHERE true ON CONFLICT DO NOTHING`,
    { userId },
  );
}

for (const kind of ["totp", "email_otp", "recovery_code"]) {
  testAda(`wrong codes of ${kind} wait by the schedule, over all sessions and logins`, async (ada) => {
    const { target, userId, renew } = ada;
    const factor = await guessing(ada, kind);
    const second = await target.openSession(userId);
    const secondClaims = await target.deps.accessTokens.verify(second.accessToken);
    const tokens = [renew, () => target.deps.accessTokens.sign(secondClaims), () => startLogin(target)];
    const guess = async (i: number, body: unknown): Promise<Answer> => {
      const token = await tokens[i % 3]?.();
      await giveCodes(ada);
      return await send(target, "POST", factor.path, { token, body });
    };
    const next = async (i: number): Promise<unknown> =>
      (await send(target, "GET", factor.next ?? "", { token: await tokens[i % 3]?.() })).body;
    for (const [i, seconds] of SCHEDULE.entries()) {
      assertError(await guess(i, factor.wrong()), 401, factor.invalid, `failure ${i + 1}`);
      if (factor.next !== undefined) assert.deepEqual(await next(i + 1), { duration: seconds });
      if (seconds === 0) continue;
      assertWait(await guess(i + 1, factor.right()), factor.tooMany, seconds, `after failure ${i + 1}`);
      target.clock.advance(seconds - 1);
      assertWait(await guess(i + 2, factor.wrong()), factor.tooMany, 1, `at the end of wait ${i + 1}`);
      target.clock.advance(1);
      if (factor.next !== undefined) assert.deepEqual(await next(i), { duration: 0 });
    }
  });
}

for (const kind of ["totp", "recovery_code"]) {
  testAdaAlone(`a success with ${kind} restarts its own schedule only`, async (ada) => {
    const { target, renew } = ada;
    const factor = await guessing(ada, kind);
    const other = kind === "totp" ? "recovery_code" : "totp";
    await execute(target, "UPDATE second_factor SET failures = 6 WHERE kind IN ('totp', 'recovery_code')");
    await succeed(target, "POST", factor.path, { token: await renew(), body: factor.right() });
    const failuresOf = (of: string) =>
      queryNumber(target, `SELECT failures FROM second_factor WHERE kind = '${of}'`);
    assert.deepEqual([await failuresOf(kind), await failuresOf(other)], [0, 6]);
  });
}

testAdaAlone("a hundred failures lock a factor until another factor succeeds", async (ada) => {
  const { target, renew } = ada;
  const { app, recoveryCodes } = await activateTotp(target, ada.accessToken);
  await execute(target, "UPDATE second_factor SET failures = 99 WHERE kind = 'totp'");
  const totp = async (code: string): Promise<Answer> => await proveTotp(target, await renew(), code);
  assertError(await totp(app.wrongCode()), 401, "TOTP_INVALID");
  assertWait(await totp(app.code()), "TOO_MANY_TOTP_CHECKS", 86_400);
  target.clock.advance(5 * 86_400);
  assertWait(await totp(app.code()), "TOO_MANY_TOTP_CHECKS", 86_400, "days later");
  const next = await succeed(target, "GET", "/user/2fa/totp/next-guess", { token: await renew() });
  assert.deepEqual(next, { duration: 86_400 });
  const body = { recoveryCode: recoveryCodes[0] };
  await succeed(target, "POST", RECOVERY, { token: await renew(), body });
  assert.equal((await totp(app.code())).status, 200);
});

testAdaAlone("a right code does not reset the failures of another factor that is not locked", async (ada) => {
  const { target, renew } = ada;
  const { app, recoveryCodes } = await activateTotp(target, ada.accessToken);
  await failTotp(ada, app, 3);
  const body = { recoveryCode: recoveryCodes[0] };
  await succeed(target, "POST", RECOVERY, { token: await renew(), body });
  assert.equal(await queryNumber(target, "SELECT failures FROM second_factor WHERE kind = 'totp'"), 3);
});

testAda("reading the remaining wait changes nothing", async (ada) => {
  const { target, renew } = ada;
  const { app } = await activateTotp(target, ada.accessToken);
  await failTotp(ada, app, 4);
  const dump = (): Promise<unknown> =>
    Promise.all(
      ["second_factor", "security_event", "partial_login"].map((table) =>
        query(target, `SELECT * FROM ${table}`)
      ),
    );
  const before = await dump();
  for (let i = 0; i < 3; i++) {
    await succeed(target, "GET", "/user/2fa/totp/next-guess", { token: await renew() });
    await succeed(target, "GET", "/user/2fa/recovery-code/next-guess", { token: await renew() });
    await succeed(target, "GET", "/user/2fa", { token: await renew() });
    target.clock.advance(5);
  }
  assert.deepEqual(await dump(), before);
  const next = await succeed(target, "GET", "/user/2fa/totp/next-guess", { token: await renew() });
  assert.deepEqual(next, { duration: 15 });
}, forEachApp);

async function failTotp({ target, renew }: Ada, app: Authenticator, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    assertError(await proveTotp(target, await renew(), app.wrongCode()), 401, "TOTP_INVALID");
  }
}

testAda("operations without parameters accept no body or an empty object, and nothing else", async (ada) => {
  const { target, accessToken: token } = ada;
  await activateEmailOtp(target, token);
  const operations = ["email-otp/challenge", "totp/setup", "recovery-code/reset"];
  for (const operation of operations) {
    for (const body of [{ x: 1 }, [], null, "text"]) {
      const answer = await send(target, "POST", `/user/2fa/${operation}`, { token, body });
      assertError(answer, 400, MALFORMED, `${operation} ${JSON.stringify(body)}`);
    }
  }
  assert.equal(await succeed(target, "POST", "/user/2fa/email-otp/challenge", { token, body: {} }), null);
});

testAda("simultaneous second factors open one session for each code", async ({ target, accessToken }) => {
  const { recoveryCodes } = await activateTotp(target, accessToken);
  const sessions = await queryNumber(target, "SELECT count(*) FROM session");
  const partials = [await startLogin(target), await startLogin(target), await startLogin(target)];
  const answers = await fifty((i) =>
    send(target, "POST", RECOVERY, { token: partials[i % 3], body: { recoveryCode: recoveryCodes[i % 3] } })
  );
  const opened = answers.filter(({ status }) => status === 200).map(({ body }) =>
    (body as Tokens).refreshToken
  );
  assert.ok(opened.length >= 1 && opened.length <= 3, `${opened.length}`);
  assert.equal(new Set(opened).size, opened.length);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session"), sessions + opened.length);
  const used = "SELECT count(*) FROM recovery_code WHERE used_at IS NOT NULL";
  assert.equal(await queryNumber(target, used), opened.length);
}, forEachApp);
