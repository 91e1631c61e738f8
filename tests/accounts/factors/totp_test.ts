/** Codes of an authenticator app: setup, steps that work once, replacement, removal, and simultaneous guesses. */
import assert from "node:assert/strict";
import { drawQrCode } from "../../../src/accounts/factors/totp/qr_code.ts";
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
  UNVERIFIED,
} from "../../helpers/http.ts";
import {
  activateEmailOtp,
  activateTotp,
  type Ada,
  CODES_AT,
  EMAIL,
  eventsOf,
  isLive,
  mailedCode,
  mailsTo,
  setUpTotp,
  startLogin,
  stepUp,
  testAda,
  testAdaAlone,
} from "../../helpers/second_factors.ts";
import type { TestApp } from "../../helpers/test_app.ts";
import { fifty, statusesOf } from "../../flows/concurrency_services.ts";

function enable(target: TestApp, token: string, totp: string): Promise<Answer> {
  return send(target, "POST", "/user/2fa/totp/enable", { token, body: { totp } });
}

function prove(target: TestApp, token: string, totp: string): Promise<Answer> {
  return send(target, "POST", "/user/2fa/totp/authenticate", { token, body: { totp } });
}

testAda("after setup and activation, a code gives a sudo token", async ({ target, accessToken }) => {
  const answer = await send(target, "POST", "/user/2fa/totp/setup", { token: accessToken, body: {} });
  const { url, qrCode } = answer.body as { url: string; qrCode: string };
  assert.match(
    url,
    /^otpauth:\/\/totp\/Rolegrid:ada%40example\.com\?issuer=Rolegrid&secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/,
  );
  assert.equal(qrCode, drawQrCode(url));
  const { app, recoveryCodes } = await activateTotp(target, accessToken);
  assert.equal(new Set(recoveryCodes).size, 10);
  for (const code of recoveryCodes) {
    assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  }
  const proven = await prove(target, accessToken, app.code());
  assert.equal(proven.status, 200);
  assert.equal(proven.headers.get("Cache-Control"), "no-store");
  assert.deepEqual(Object.keys(proven.body as object), ["sudoToken"]);
  const mails = await mailsTo(target, EMAIL);
  assert.deepEqual(mails, [["factor_activated", "totp"], ["factor_confirmation", "totp"]]);
});

testAda("a setup has no effect before its activation and expires after ten minutes", async (ada) => {
  const { target, accessToken: token } = ada;
  assertError(await enable(target, token, "123456"), 409, "TOTP_UNINITIALIZED");
  assertError(await prove(target, token, "123456"), 409, "TOTP_UNINITIALIZED");
  const app = await setUpTotp(target, token);
  assertError(await prove(target, token, app.code()), 409, "TOTP_INACTIVE");
  assert.deepEqual(await succeed(target, "GET", "/user/2fa", { token }), { enabled: false });
  assertError(await send(target, "DELETE", "/user/2fa/totp", { token }), 409, "TOTP_ALREADY_INACTIVE");
  target.clock.advance(599);
  assertError(await enable(target, token, app.wrongCode()), 401, "TOTP_INVALID");
  target.clock.advance(1);
  const fresh = await ada.renew();
  assertError(await enable(target, fresh, app.code()), 409, "TOTP_UNINITIALIZED");
  assertError(await prove(target, fresh, app.code()), 409, "TOTP_UNINITIALIZED");
});

testAda("an activation uses up its code and its time step", async ({ target, accessToken: token }) => {
  const app = await setUpTotp(target, token);
  const code = app.code();
  assert.equal((await enable(target, token, code)).status, 200);
  assertError(await enable(target, token, code), 409, "TOTP_UNINITIALIZED");
  assertError(await prove(target, token, code), 401, "TOTP_INVALID");
  target.clock.advance(30);
  assert.equal((await prove(target, token, app.code())).status, 200);
});

testAda("an accepted step and all earlier steps are never accepted again", async (ada) => {
  const { target, accessToken: token } = ada;
  const { app } = await activateTotp(target, token);
  const [before, current, next] = [app.code(-30), app.code(), app.code(30)];
  assert.equal((await prove(target, token, current)).status, 200);
  assertError(await prove(target, token, current), 401, "TOTP_INVALID");
  assertError(await prove(target, token, before), 401, "TOTP_INVALID");
  assert.equal((await prove(target, token, next)).status, 200);
  assertError(await prove(target, token, next), 401, "TOTP_INVALID");
  target.clock.advance(30);
  assertError(await prove(target, token, next), 401, "TOTP_INVALID", "in the next step");
  assert.equal((await prove(target, token, app.code(30))).status, 200);
  target.clock.advance(-60);
  assertError(await prove(target, token, app.code()), 401, "TOTP_INVALID", "a clock set back");
});

testAda("a code two steps away is refused", async ({ target, accessToken: token }) => {
  const { app } = await activateTotp(target, token);
  target.clock.advance(60);
  for (const seconds of [-60, 60]) {
    assertError(await prove(target, token, app.code(seconds)), 401, "TOTP_INVALID");
  }
  assert.equal((await prove(target, token, app.code(-30))).status, 200);
  assert.equal((await prove(target, token, app.code(30))).status, 200);
});

testAda("a new secret replaces the old one at its activation, and not before", async (ada) => {
  const { target, accessToken: token } = ada;
  const { app: old } = await activateTotp(target, token);
  const sudo = await stepUp(target, token, old);
  const renewed = await setUpTotp(target, sudo);
  assertError(await prove(target, token, renewed.code()), 401, "TOTP_INVALID");
  assert.equal((await prove(target, token, old.code())).status, 200);
  assert.deepEqual((await enable(target, token, renewed.code())).body, { recoveryCodes: [] });
  target.clock.advance(60);
  assertError(await prove(target, token, old.code()), 401, "TOTP_INVALID");
  assert.equal((await prove(target, token, renewed.code())).status, 200);
});

testAda("with an active factor, a setup needs a sudo token, which is valid for five minutes", async (ada) => {
  const { target, accessToken: token } = ada;
  const setUp = (token: string) => send(target, "POST", "/user/2fa/totp/setup", { token });
  const { app } = await activateTotp(target, token);
  assertError(await setUp(token), 401, "SUDO_TOKEN_REQUIRED");
  const sudo = await stepUp(target, token, app);
  assert.equal((await setUp(sudo)).status, 200);
  target.clock.advance(240);
  assertError(await setUp(sudo), 401, UNVERIFIED);
});

testAda("without a factor, the proof of the password is fresh for fifteen minutes", async (ada) => {
  const { target, renew } = ada;
  target.clock.advance(899);
  const token = await renew();
  await setUpTotp(target, token);
  target.clock.advance(1);
  assertError(await send(target, "POST", "/user/2fa/totp/setup", { token }), 401, "SUDO_TOKEN_REQUIRED");
});

testAda("a change of factors ends every earlier sudo and partial token", async (ada) => {
  const { target, accessToken: token } = ada;
  const { app } = await activateTotp(target, token);
  const [sudo, partial] = [await stepUp(target, token, app), await startLogin(target)];
  await succeed(target, "POST", "/user/2fa/email-otp/setup", { token: sudo, body: { email: CODES_AT } });
  const renewed = await setUpTotp(target, sudo);
  await succeed(target, "POST", "/user/2fa/totp/enable", { token, body: { totp: renewed.code() } });
  assertError(await send(target, "POST", "/user/2fa/totp/setup", { token: sudo }), 401, UNVERIFIED);
  assertError(await send(target, "GET", "/user/2fa", { token: partial }), 401, UNVERIFIED);
  assertError(await prove(target, partial, renewed.code(30)), 401, UNVERIFIED);
  assertError(
    await send(target, "POST", "/user/2fa/email-otp/enable", { token, body: { otp: "123456" } }),
    409,
    "EMAIL_OTP_UNINITIALIZED",
    "a setup of before the change",
  );
});

testAdaAlone("deactivation ends other sessions, is mailed and removes recovery codes", async (ada) => {
  const { target, userId, accessToken: token } = ada;
  const { app } = await activateTotp(target, token);
  const other = await target.accessToken(userId);
  const sudo = await stepUp(target, token, app);
  assert.equal(await succeed(target, "DELETE", "/user/2fa/totp", { token: sudo }), null);
  assert.equal(await isLive(target, token), true);
  assert.equal(await isLive(target, other), false);
  assert.deepEqual(await succeed(target, "GET", "/user/2fa", { token }), { enabled: false });
  assert.equal(await queryNumber(target, "SELECT count(*) FROM recovery_code"), 0);
  assert.deepEqual((await mailsTo(target, EMAIL)).at(-1), ["factor_deactivated", "totp"]);
  assertError(await send(target, "DELETE", "/user/2fa/totp", { token: sudo }), 401, UNVERIFIED);
  assertError(await prove(target, token, app.code()), 409, "TOTP_UNINITIALIZED");
  assertError(await send(target, "DELETE", "/user/2fa/totp", { token }), 409, "TOTP_ALREADY_INACTIVE");
});

testAda("recovery codes remain while another factor is active", async ({ target, accessToken: token }) => {
  const { app } = await activateTotp(target, token);
  const sudo = await stepUp(target, token, app);
  await succeed(target, "POST", "/user/2fa/email-otp/setup", { token: sudo, body: { email: CODES_AT } });
  const body = { otp: await mailedCode(target) };
  const enabled = await succeed(target, "POST", "/user/2fa/email-otp/enable", { token, body });
  assert.deepEqual(enabled, { recoveryCodes: [] });
  const again = await stepUp(target, token, app);
  await succeed(target, "DELETE", "/user/2fa/totp", { token: again });
  const { body: listed } = await send(target, "GET", "/user/2fa", { token });
  const { enabled: isOn, recoveryCodes } = listed as { enabled: boolean; recoveryCodes: object };
  assert.deepEqual([isOn, Object.entries(recoveryCodes).at(-1)], [true, ["remaining", 10]]);
});

testAdaAlone("another user's secret is refused", async ({ target, accessToken }) => {
  const { app } = await activateTotp(target, accessToken);
  const { accessToken: eve } = await target.createUser("eve@example.com");
  await activateEmailOtp(target, eve, "eve.codes@example.org");
  assertError(await prove(target, eve, app.code()), 409, "TOTP_UNINITIALIZED");
  await execute(
    target,
    `INSERT INTO second_factor (user_id, kind, activated_at, sealed_secret)
      SELECT eve.id, 'totp', 1, stolen.sealed_secret FROM user_account eve, second_factor stolen
      WHERE eve.email = 'eve@example.com' AND stolen.kind = 'totp'`,
  );
  assert.equal((await prove(target, eve, app.code())).status, 500, "a secret moved to another row");
});

testAdaAlone("a code without six characters is malformed, and any other is a wrong guess", async (ada) => {
  const { target, accessToken: token } = ada;
  await activateTotp(target, token);
  for (const totp of ["", "12345", "1234567", "😀😀😀"]) {
    assertError(await prove(target, token, totp), 400, MALFORMED, totp);
  }
  for (const totp of ["abcdef", "１２３４５６", "😀😀😀😀😀😀"]) {
    assertError(await prove(target, token, totp), 401, "TOTP_INVALID", totp);
  }
  assert.equal(await queryNumber(target, "SELECT failures FROM second_factor WHERE kind = 'totp'"), 3);
});

testAda("of fifty simultaneous wrong codes, four are compared", async ({ target, userId, accessToken }) => {
  const { app } = await activateTotp(target, accessToken);
  const tokens = [accessToken, await target.accessToken(userId), await startLogin(target)];
  const answers = await fifty((i) => prove(target, tokens[i % 3] ?? "", app.wrongCode()));
  assert.deepEqual(statusesOf(answers), { 401: 4, 429: 46 });
  for (const answer of answers) {
    if (answer.status === 429) assertWait(answer, "TOO_MANY_TOTP_CHECKS", 30);
  }
  assert.equal(await queryNumber(target, "SELECT failures FROM second_factor WHERE kind = 'totp'"), 4);
  const results = await eventsOf(target, "totp.authenticate");
  assert.equal(results.filter((result) => result === "wrong").length, 4);
}, forEachApp);

testAda("of fifty simultaneous right codes, one is accepted and opens one session", async (ada) => {
  const { target, accessToken } = ada;
  const { app } = await activateTotp(target, accessToken);
  const partials = [await startLogin(target), await startLogin(target)];
  const sessions = await queryNumber(target, "SELECT count(*) FROM session");
  const answers = await fifty((i) => prove(target, partials[i % 2] ?? "", app.code()));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session"), sessions + 1);
}, forEachApp);

testAda("of fifty simultaneous activations, one creates the recovery codes", async (ada) => {
  const { target, accessToken } = ada;
  const app = await setUpTotp(target, accessToken);
  const answers = await fifty(() => enable(target, accessToken, app.code()));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM recovery_code"), 10);
  assert.equal((await mailsTo(target, EMAIL)).length, 2);
}, forEachApp);

/** Replaces a secret in this column of the user's factor each time that one is opened. */
async function replaceWhenOpened({ target, userId }: Ada, column: string): Promise<void> {
  const { secrets } = target.deps;
  const open = secrets.open.bind(secrets);
  const replacement = await secrets.seal("AAAAAAAAAAAAAAAAAAAAAAAAAAA", `totp ${userId}`);
  Object.assign(secrets, {
    open: async (sealed: string, context: string): Promise<string> => {
      const text = await open(sealed, context);
      await execute(target, `UPDATE second_factor SET ${column} = :replacement`, { replacement });
      return text;
    },
  });
}

testAda("a code is refused if the secret changes during its comparison", async (ada) => {
  const { target, accessToken } = ada;
  const { app } = await activateTotp(target, accessToken);
  await replaceWhenOpened(ada, "sealed_secret");
  assertError(await prove(target, accessToken, app.code()), 401, "TOTP_INVALID");
  assert.deepEqual(await eventsOf(target, "totp.authenticate"), ["outdated"]);
}, forEachApp);

testAda("an activation is refused if the setup restarts during the comparison of its code", async (ada) => {
  const { target, accessToken } = ada;
  const app = await setUpTotp(target, accessToken);
  await replaceWhenOpened(ada, "pending_sealed_secret");
  assertError(await enable(target, accessToken, app.code()), 401, "TOTP_INVALID");
  assert.deepEqual(await eventsOf(target, "totp.activate"), ["outdated"]);
}, forEachApp);
