/** A new factor strengthens sessions only after its mailed link was opened. */
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { openMailParams } from "../../../src/mail/outbox.ts";
import {
  assertError,
  execute,
  query,
  queryNumber,
  send,
  succeed,
  testApp,
  tokenFrom,
} from "../../helpers/http.ts";
import {
  activateTotp,
  EMAIL,
  setUpTotp,
  startLogin,
  stepUp,
  testAda,
  type Tokens,
} from "../../helpers/second_factors.ts";
import {
  addPasskey,
  listPasskeys,
  provePasskey,
  signInWithPasskey,
  type SoftwarePasskey,
} from "../../helpers/software_passkey.ts";
import type { TestApp } from "../../helpers/test_app.ts";

/** The token of the latest mailed link that confirms a factor, if there is one. */
async function linkTo(target: TestApp, recipient = EMAIL): Promise<string | undefined> {
  const [mail] = await query<{ id: string; sealed: string | null }>(
    target,
    `SELECT id, sealed_params AS sealed FROM outbox WHERE recipient = :recipient
       AND template = 'factor_confirmation' ORDER BY created_at DESC, rowid DESC LIMIT 1`,
    { recipient },
  );
  if (mail === undefined) return undefined;
  const { link = "" } = await openMailParams(target.deps.secrets, mail.id, mail.sealed);
  return /^https:\/\/rolegrid\.test\/confirm-factor#token=(.+)$/.exec(link)?.[1];
}

function confirm(target: TestApp, token: string | undefined) {
  return send(target, "POST", "/user/2fa/confirm", { body: { token } });
}

async function acrAfter(target: TestApp, refreshToken: string): Promise<unknown> {
  return decodeJwt(await tokenFrom(target, "/auth/accesstoken", refreshToken))["acr"];
}

async function signIn(target: TestApp, passkey: SoftwarePasskey): Promise<string> {
  const answer = await signInWithPasskey(target, passkey);
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

testAda("a TOTP app counts once its mailed link is opened, and a step-up raises the session", async (ada) => {
  const { target, accessToken: token } = ada;
  const { app } = await activateTotp(target, token);
  const login = async () => {
    const sent = { token: await startLogin(target), body: { totp: app.code() } };
    const tokens = await succeed<Tokens>(target, "POST", "/user/2fa/totp/authenticate", sent);
    target.clock.advance(60);
    return tokens;
  };
  const before = await login();
  const { acr, amr } = decodeJwt(before.accessToken);
  assert.deepEqual([acr, amr], [undefined, ["pwd", "otp"]]);
  const link = await linkTo(target);
  assert.equal((await confirm(target, link)).status, 200);
  assertError(await confirm(target, link), 401, "OTP_INVALID_EXPIRED", "a second time");
  assert.equal(await acrAfter(target, before.refreshToken), undefined, "proved before");
  await stepUp(target, before.accessToken, app);
  assert.equal(await acrAfter(target, before.refreshToken), "aal2");
  assert.equal(decodeJwt((await login()).accessToken)["acr"], "aal2");
  const { totp } = await succeed<{ totp: { confirmed: boolean } }>(target, "GET", "/user/2fa", { token });
  assert.equal(totp.confirmed, true);
});

testAda("a passkey needs a link, unless a session of its own strength added it", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey: first } = await addPasskey(target, token, { isConfirmed: false });
  assertError(await signInWithPasskey(target, first), 409, "PASSKEY_UNCONFIRMED");
  assert.equal((await confirm(target, await linkTo(target))).status, 200);
  const refreshToken = await signIn(target, first);
  assert.equal(await acrAfter(target, refreshToken), "phr");
  const strong = await tokenFrom(target, "/auth/accesstoken", refreshToken);
  const { sudoToken } = (await provePasskey(target, strong, first)).body as Tokens;
  const mails = () => query(target, "SELECT id FROM outbox WHERE template = 'factor_confirmation'");
  const count = (await mails()).length;
  const { passkey: second } = await addPasskey(target, sudoToken, { isConfirmed: false });
  assert.equal((await mails()).length, count);
  assert.equal(await acrAfter(target, await signIn(target, second)), "phr");
});

testAda("removing the confirmed passkey takes its strength from the session that removes it", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token, { isConfirmed: false });
  await confirm(target, await linkTo(target));
  const refreshToken = await signIn(target, passkey);
  const accessToken = await tokenFrom(target, "/auth/accesstoken", refreshToken);
  const { sudoToken } = (await provePasskey(target, accessToken, passkey)).body as Tokens;
  const [id] = await listPasskeys(target, accessToken);
  await succeed(target, "DELETE", `/user/2fa/passkey/${id}`, { token: sudoToken });
  assert.equal(await acrAfter(target, refreshToken), undefined);
});

testAda("an app that is set up anew takes from other sessions what the old one proved", async (ada) => {
  const { target, accessToken: token, userId } = ada;
  const { app, recoveryCodes: [recoveryCode] } = await activateTotp(target, token);
  await confirm(target, await linkTo(target));
  const complete = async (path: string, body: object) =>
    await succeed<Tokens>(target, "POST", path, { token: await startLogin(target), body });
  await complete("/user/2fa/totp/authenticate", { totp: app.code() });
  target.clock.advance(60);
  const meets = `SELECT max(meets) FROM session WHERE user_id = ${userId}`;
  assert.equal(await queryNumber(target, meets), 1);
  const owner = await complete("/user/2fa/recovery-code/authenticate", { recoveryCode });
  const body = { totp: (await setUpTotp(target, owner.sudoToken)).code() };
  await succeed(target, "POST", "/user/2fa/totp/enable", { token: owner.accessToken, body });
  assert.equal(await queryNumber(target, meets), 0);
});

testAda("a link does not confirm what was removed or replaced, nor after 7 days", async (ada) => {
  const { target, accessToken: token } = ada;
  const { app } = await activateTotp(target, token);
  const old = await linkTo(target);
  await succeed(target, "DELETE", "/user/2fa/totp", { token: await stepUp(target, token, app) });
  assertError(await confirm(target, old), 401, "OTP_INVALID_EXPIRED");
  await activateTotp(target, token);
  assertError(await confirm(target, old), 401, "OTP_INVALID_EXPIRED", "the link of the former app");
  target.clock.advance(7 * 86_400);
  assertError(await confirm(target, await linkTo(target)), 401, "OTP_INVALID_EXPIRED", "late");
});

testAda("while a transfer of the address can be undone, the link goes to the old address", async (ada) => {
  const { target, userId, accessToken: token } = ada;
  const now = target.clock.now();
  await execute(
    target,
    `INSERT INTO undo_link (mac, user_id, email, created_at, expires_at)
     VALUES ('mac ' || :userId, :userId, 'old@example.com', :now, :later)`,
    { userId, now, later: now + 60_000 },
  );
  const before = await linkTo(target);
  await addPasskey(target, token, { isConfirmed: false });
  assert.equal(await linkTo(target), before, "none to the new address");
  assert.ok(await linkTo(target, "old@example.com"));
});

testApp("the page of the link has a button, and an invented token confirms nothing", async (target) => {
  const page = await send(target, "GET", "/confirm-factor?language=de");
  assert.match(page.text, /<html lang="de">/);
  assert.match(page.headers.get("Content-Security-Policy") ?? "", /default-src 'none'/);
  assertError(await confirm(target, "A".repeat(43)), 401, "OTP_INVALID_EXPIRED");
});
