/** Recovery codes: each works once, a reset replaces them, and guesses are hashed and counted. */
import assert from "node:assert/strict";
import { AppError } from "../../../src/core/errors.ts";
import {
  type Answer,
  assertError,
  assertWait,
  execute,
  forEachApp,
  MALFORMED,
  queryNumber,
  send,
  succeed,
  testApp,
  UNVERIFIED,
} from "../../helpers/http.ts";
import {
  activateTotp,
  createAda,
  EMAIL,
  eventsOf,
  isLive,
  mailsTo,
  startLogin,
  stepUp,
  testAda,
  testAdaAlone,
} from "../../helpers/second_factors.ts";
import { createSpyHasher } from "../../helpers/spy_hasher.ts";
import { fifty, statusesOf } from "../../flows/concurrency_services.ts";
import { openHashingApp, openTestApp, type TestApp } from "../../helpers/test_app.ts";

const INVALID = "RECOVERY_CODE_INVALID";
const TOO_MANY = "TOO_MANY_RECOVERY_CODE_CHECKS";
const WRONG = "0000-0000-0000-0000";
const FAILURES = "SELECT failures FROM second_factor WHERE kind = 'recovery_code'";

function prove(target: TestApp, token: string, recoveryCode: string | undefined): Promise<Answer> {
  return send(target, "POST", "/user/2fa/recovery-code/authenticate", { token, body: { recoveryCode } });
}

function reset(target: TestApp, token: string): Promise<Answer> {
  return send(target, "POST", "/user/2fa/recovery-code/reset", { token });
}

testApp("a recovery code steps up once, in any spelling", async (target) => {
  const { accessToken: token } = await createAda(target);
  const { recoveryCodes: codes } = await activateTotp(target, token);
  const [first = "", second = "", third = ""] = codes;
  assert.deepEqual(Object.keys((await prove(target, token, first)).body as object), ["sudoToken"]);
  assertError(await prove(target, token, first), 401, INVALID);
  assert.equal((await prove(target, token, second.toLowerCase().replaceAll("-", ""))).status, 200);
  const mistyped = third.replaceAll("0", "o").replaceAll("1", "l").replaceAll("-", " ");
  assert.equal((await prove(target, token, mistyped)).status, 200);
  const mails = (await mailsTo(target, EMAIL)).slice(2).toSorted();
  assert.deepEqual(mails, ["7", "8", "9"].map((left) => ["recovery_code_used", left]));
  const listed = await succeed<{ recoveryCodes: { remaining: number } }>(target, "GET", "/user/2fa", {
    token,
  });
  assert.equal(listed.recoveryCodes.remaining, 7);
  assert.equal(await queryNumber(target, "SELECT count(DISTINCT substr(hash, 1, 54)) FROM recovery_code"), 1);
}, openHashingApp);

testAda("without a factor there are no recovery codes", async ({ target, accessToken: token }) => {
  assertError(await prove(target, token, WRONG), 409, "RECOVERY_CODES_UNINITIALIZED");
  assertError(await reset(target, token), 409, "2FA_IS_DISABLED");
  const next = await send(target, "GET", "/user/2fa/recovery-code/next-guess", { token });
  assertError(next, 409, "RECOVERY_CODES_UNINITIALIZED");
});

testAda("after all factors were off, activating one again gives new codes that work", async (ada) => {
  const { target, accessToken: token } = ada;
  const { app, recoveryCodes: [old] } = await activateTotp(target, token);
  await succeed(target, "DELETE", "/user/2fa/totp", { token: await stepUp(target, token, app) });
  const { recoveryCodes: [code] } = await activateTotp(target, token);
  assertError(await prove(target, token, old), 401, INVALID);
  assert.equal((await prove(target, token, code)).status, 200);
});

testAdaAlone("an impossible recovery code is malformed or a wrong guess", async (ada) => {
  const { target, accessToken: token } = ada;
  await activateTotp(target, token);
  for (const code of ["", "0".repeat(65)]) assertError(await prove(target, token, code), 400, MALFORMED);
  for (const code of ["0", "ÄÖÜ", "0".repeat(64)]) {
    assertError(await prove(target, token, code), 401, INVALID);
  }
  assert.equal(await queryNumber(target, FAILURES), 3);
});

testAda("a reset replaces the codes, ends other sessions and mails the user", async (ada) => {
  const { target, userId, accessToken: token, hasher } = ada;
  const { app, recoveryCodes: old } = await activateTotp(target, token);
  const other = await target.accessToken(userId);
  const hashed = hasher.calls.hash + hasher.calls.hashLike;
  assertError(await reset(target, token), 401, "SUDO_TOKEN_REQUIRED");
  assert.equal(hasher.calls.hash + hasher.calls.hashLike, hashed, "codes were hashed without a proof");
  const sudo = await stepUp(target, token, app);
  const { recoveryCodes } = (await reset(target, sudo)).body as { recoveryCodes: string[] };
  assert.equal(new Set([...old, ...recoveryCodes]).size, 20);
  assertError(await prove(target, token, old[0]), 401, INVALID);
  assert.equal((await prove(target, token, recoveryCodes[0])).status, 200);
  assert.deepEqual([await isLive(target, token), await isLive(target, other)], [true, false]);
  const templates = (await mailsTo(target, EMAIL)).map(([template]) => template);
  assert.ok(templates.includes("recovery_codes_reset"));
  assertError(await reset(target, sudo), 401, UNVERIFIED);
});

testAda("a guess costs one hash, and none during a wait", async ({ target, accessToken: token, hasher }) => {
  const { recoveryCodes } = await activateTotp(target, token);
  const before = hasher.calls.hashLike;
  for (let i = 0; i < 4; i++) assertError(await prove(target, token, WRONG), 401, INVALID);
  assert.equal(hasher.calls.hashLike, before + 4);
  assertWait(await prove(target, token, recoveryCodes[0]), TOO_MANY, 30);
  assert.equal(hasher.calls.hashLike, before + 4);
  assert.equal(hasher.calls.verify, 1, "the login's");
});

testAda("of fifty simultaneous wrong guesses, four are hashed", async (ada) => {
  const { target, userId, accessToken, hasher } = ada;
  await activateTotp(target, accessToken);
  const tokens = [accessToken, await target.accessToken(userId), await startLogin(target)];
  const before = hasher.calls.hashLike;
  const answers = await fifty((i) => prove(target, tokens[i % 3] ?? "", WRONG));
  assert.deepEqual(statusesOf(answers), { 401: 4, 429: 46 });
  for (const answer of answers) if (answer.status !== 401) assertWait(answer, TOO_MANY, 30);
  assert.equal(hasher.calls.hashLike, before + 4);
  assert.equal(await queryNumber(target, FAILURES), 4);
}, forEachApp);

testAda("of fifty simultaneous uses of one code, one succeeds", async ({ target, accessToken }) => {
  const { recoveryCodes } = await activateTotp(target, accessToken);
  const partial = await startLogin(target);
  const sessions = await queryNumber(target, "SELECT count(*) FROM session");
  const answers = await fifty(() => prove(target, partial, recoveryCodes[0]));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session"), sessions + 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM recovery_code WHERE used_at IS NOT NULL"), 1);
}, forEachApp);

let whenHashed: (() => Promise<void> | void) | undefined;

/** Registers a test with a recovery code of Ada's, whose hasher calls `whenHashed` before each guess. */
function withHook(
  name: string,
  body: (target: TestApp, guess: () => Promise<Answer>) => Promise<void>,
): void {
  forEachApp(name, async (target) => {
    const { accessToken } = await createAda(target);
    const { recoveryCodes } = await activateTotp(target, accessToken);
    try {
      await body(target, () => prove(target, accessToken, recoveryCodes[0]));
    } finally {
      whenHashed = undefined;
    }
  }, (kind) => {
    const hasher = createSpyHasher(() => whenHashed?.());
    return openTestApp(kind, { passwords: hasher, hasher });
  });
}

withHook("a guess gets a 503 and counts as no failure if the hasher is full", async (target, guess) => {
  whenHashed = () => {
    throw new AppError("UNAVAILABLE", { retryAfterSeconds: 1 });
  };
  for (let i = 0; i < 6; i++) assert.equal((await guess()).status, 503);
  whenHashed = undefined;
  assert.equal(await queryNumber(target, FAILURES), 0);
  assert.equal((await guess()).status, 200);
});

withHook("a right code is refused if the set is replaced while it is hashed", async (target, guess) => {
  whenHashed = async () => {
    whenHashed = undefined;
    await execute(target, "UPDATE recovery_code SET hash = 'plain:' || position");
  };
  assertError(await guess(), 401, INVALID);
});

withHook("a right code is refused if the session ends while it is hashed", async (target, guess) => {
  whenHashed = async () => {
    whenHashed = undefined;
    await execute(target, "UPDATE session SET ended_at = 1");
  };
  assertError(await guess(), 401, UNVERIFIED);
  assert.deepEqual(await eventsOf(target, "recovery_code.authenticate"), ["over"]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM recovery_code WHERE used_at IS NOT NULL"), 0);
});
