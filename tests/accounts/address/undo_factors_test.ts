/** Undoing a transfer keeps only the second factors that are clearly older than the transfer. */
import assert from "node:assert/strict";
import { fifty, statusesOf } from "../../flows/concurrency_services.ts";
import {
  type Answer,
  assertError,
  forEachApp,
  login,
  query,
  queryNumber,
  send,
  succeed,
  UNVERIFIED,
} from "../../helpers/http.ts";
import { lastCode, lastLinkToken } from "../../helpers/mails.ts";
import {
  activateEmailOtp,
  activateTotp,
  type Ada,
  type Authenticator,
  EMAIL,
  mailedCode,
  PASSWORD,
  setUpTotp,
  startLogin,
  stepUp,
  testAda,
  testAdaAlone,
} from "../../helpers/second_factors.ts";
import { addPasskey, signInWithPasskey } from "../../helpers/software_passkey.ts";
import { makeSudoToken, type SignedIn } from "../../helpers/security_scene.ts";
import type { TestApp } from "../../helpers/test_app.ts";

const NEW = "ada@example.org";
const HOUR = 3600;
const THREE_DAYS = 72 * HOUR;

type Session = Omit<SignedIn, "refreshToken">;

async function openSession({ target, userId }: Ada): Promise<Session> {
  return { userId, ...await target.openSession(userId) };
}

async function begin(target: TestApp, session: Session, email = NEW): Promise<void> {
  const token = await makeSudoToken(target, session);
  await succeed(target, "POST", "/user/email/initiate", { token, body: { email } });
}

async function complete(target: TestApp, session: Session): Promise<void> {
  const token = await makeSudoToken(target, session);
  const otp = await lastCode(target, "email_transfer_otp");
  await succeed(target, "PUT", "/user/email", { token, body: { otp } });
}

async function transfer(target: TestApp, session: Session, email = NEW): Promise<void> {
  await begin(target, session, email);
  await complete(target, session);
}

async function undo(target: TestApp): Promise<Answer> {
  const token = await lastLinkToken(target, "email_transferred_old");
  return await send(target, "POST", "/user/email/undo", { body: { token } });
}

/** Resets the password by a mailed code, as the owner does after an undo. */
async function resetPassword(target: TestApp): Promise<void> {
  await succeed(target, "POST", "/user/password/reset/send", { body: { email: EMAIL } });
  const otp = await lastCode(target, "password_reset_otp");
  const body = { userEmail: EMAIL, otp, newPassword: PASSWORD };
  await succeed(target, "PUT", "/user/password/otp", { body });
}

/** Undoes the transfer, resets the password, and returns the methods that the next login asks for; none if it succeeds. */
async function methodsAfterUndo(target: TestApp): Promise<unknown> {
  const answer = await undo(target);
  assert.equal(answer.status, 200, answer.text);
  await resetPassword(target);
  const { status, body } = await login(target, EMAIL, PASSWORD);
  return status === 200 ? [] : (body as { methods: unknown }).methods;
}

function countCodes(target: TestApp): Promise<number> {
  return queryNumber(target, "SELECT count(*) FROM recovery_code");
}

/** Activates an app, transfers `seconds` later from another session, and returns what is left after the undo. */
async function leftOfFactor(ada: Ada, seconds: number): Promise<[methods: unknown, codes: number]> {
  const { target, accessToken } = ada;
  await activateTotp(target, accessToken);
  target.clock.advance(seconds - 60);
  const thief = await openSession(ada);
  await begin(target, thief);
  target.clock.advance(599);
  await complete(target, thief);
  target.clock.advance(HOUR);
  return [await methodsAfterUndo(target), await countCodes(target)];
}

testAdaAlone("an undo removes a factor activated 72 hours before the transfer began", async (ada) => {
  assert.deepEqual(await leftOfFactor(ada, THREE_DAYS), [[], 0]);
});

testAdaAlone("an undo keeps a factor activated more than 72 hours before the transfer began", async (ada) => {
  assert.deepEqual(await leftOfFactor(ada, THREE_DAYS + 1), [["totp", "recoveryCode"], 10]);
});

testAdaAlone("an undo removes any factor of the session that began the transfer", async (ada) => {
  const thief = await activateInOldSession(ada);
  await begin(ada.target, thief);
  await complete(ada.target, await openSession(ada));
  assert.deepEqual(await methodsAfterUndo(ada.target), []);
  assert.equal(await countCodes(ada.target), 0);
});

testAdaAlone("an undo removes any factor of the session that completed the transfer", async (ada) => {
  const thief = await activateInOldSession(ada);
  await begin(ada.target, await openSession(ada));
  await complete(ada.target, thief);
  assert.deepEqual(await methodsAfterUndo(ada.target), []);
  assert.equal(await countCodes(ada.target), 0);
});

/** Activates an app a month ago, and returns the session in which that was done. */
async function activateInOldSession(ada: Ada): Promise<Session> {
  const session = await openSession(ada);
  await activateTotp(ada.target, session.accessToken);
  ada.target.clock.advance(30 * 24 * HOUR);
  return session;
}

/** The owner's authenticator app, activated in a session that has ended, a month ago. */
async function activateLongAgo(ada: Ada): Promise<{ app: Authenticator; recoveryCodes: string[] }> {
  const activated = await activateTotp(ada.target, ada.accessToken);
  ada.target.clock.advance(30 * 24 * HOUR);
  return activated;
}

testAdaAlone("an undo removes a thief's later factor and keeps the owner's", async (ada) => {
  const { target } = ada;
  const { app } = await activateLongAgo(ada);
  await transfer(target, await openSession(ada));
  target.clock.advance(HOUR);
  await activateMail(target, await openSession(ada), "thief@example.org");
  assert.deepEqual(await methodsAfterUndo(target), ["totp", "recoveryCode"]);
  assert.equal(await countCodes(target), 10);
  await stepUp(target, await startLogin(target), app);
});

testAdaAlone("an undo removes a thief's later passkey and keeps the owner's", async (ada) => {
  const { target } = ada;
  const { passkey: own } = await addPasskey(target, ada.accessToken);
  target.clock.advance(30 * 24 * HOUR);
  await transfer(target, await openSession(ada));
  target.clock.advance(HOUR);
  const { passkey: stolen } = await addPasskey(target, await makeSudoToken(target, await openSession(ada)));
  assert.deepEqual(await methodsAfterUndo(target), ["passkey", "recoveryCode"]);
  for (const [passkey, status] of [[own, 200], [stolen, 401]] as const) {
    assert.equal((await signInWithPasskey(target, passkey)).status, status);
  }
});

/** Activates an address in a session that has a sudo token. */
async function activateMail(target: TestApp, session: Session, email: string): Promise<void> {
  const token = await makeSudoToken(target, session);
  await succeed(target, "POST", "/user/2fa/email-otp/setup", { token, body: { email } });
  const body = { otp: await mailedCode(target, email) };
  await succeed(target, "POST", "/user/2fa/email-otp/enable", { token: session.accessToken, body });
}

testAdaAlone("an undo removes a thief's recovery codes and keeps the owner's app", async (ada) => {
  const { target } = ada;
  const { app } = await activateLongAgo(ada);
  const thief = await openSession(ada);
  const token = await makeSudoToken(target, thief);
  await succeed(target, "POST", "/user/2fa/recovery-code/reset", { token });
  await transfer(target, thief);
  assert.deepEqual(await methodsAfterUndo(target), ["totp"]);
  assert.equal(await countCodes(target), 0);
  const sudoToken = await stepUp(target, await startLogin(target), app);
  const reset = await send(target, "POST", "/user/2fa/recovery-code/reset", { token: sudoToken });
  assert.equal((reset.body as { recoveryCodes: string[] }).recoveryCodes.length, 10);
});

testAdaAlone("an undo removes an app that replaced the owner's, and all recovery codes", async (ada) => {
  const { target } = ada;
  const { app } = await activateLongAgo(ada);
  const thief = await openSession(ada);
  const sudo = await stepUp(target, thief.accessToken, app);
  const theirs = await setUpTotp(target, sudo);
  await succeed(target, "POST", "/user/2fa/totp/enable", {
    token: thief.accessToken,
    body: { totp: theirs.code() },
  });
  assert.equal(await countCodes(target), 10, "the owner's");
  await transfer(target, thief);
  assert.deepEqual(await methodsAfterUndo(target), []);
  assert.equal(await countCodes(target), 0);
  const kept = "activated_at IS NOT NULL OR sealed_secret IS NOT NULL OR email IS NOT NULL";
  assert.deepEqual(await query(target, `SELECT kind FROM second_factor WHERE ${kept}`), []);
});

testAdaAlone("an undo ends all setups, codes and sign-ins that a thief has begun", async (ada) => {
  const { target } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const thief = await openSession(ada);
  await transfer(target, thief);
  target.clock.advance(HOUR);
  const again = await openSession(ada);
  const sudo = await makeSudoToken(target, again);
  const app = await setUpTotp(target, sudo);
  const loggedIn = await login(target, NEW, PASSWORD);
  const { partialAuthToken: partial } = loggedIn.body as { partialAuthToken: string };
  for (const token of [partial, again.accessToken]) {
    await succeed(target, "POST", "/user/2fa/email-otp/challenge", { token });
    target.clock.advance(120);
  }
  assert.deepEqual(await methodsAfterUndo(target), []);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM one_time_code WHERE ended_at IS NULL"), 0);
  const pending = "SELECT count(*) FROM second_factor WHERE pending_until IS NOT NULL";
  assert.equal(await queryNumber(target, pending), 0);
  const refused: [token: string, operation: string, body?: object][] = [
    [partial, "email-otp/challenge"],
    [again.accessToken, "email-otp/challenge"],
    [again.accessToken, "totp/enable", { totp: app.code() }],
    [sudo, "totp/setup"],
  ];
  for (const [token, operation, body] of refused) {
    const answer = await send(target, "POST", `/user/2fa/${operation}`, { token, body });
    assertError(answer, 401, UNVERIFIED, operation);
  }
});

testAda("an undo counts from its own transfer, and a used link removes no factor", async (ada) => {
  const { target } = ada;
  await transfer(target, await openSession(ada));
  const used = await lastLinkToken(target, "email_transferred_old");
  assert.deepEqual(await methodsAfterUndo(target), []);
  const owner = await openSession(ada);
  await activateTotp(target, owner.accessToken);
  const again = await send(target, "POST", "/user/email/undo", { body: { token: used } });
  assertError(again, 401, "OTP_INVALID_EXPIRED");
  target.clock.advance(THREE_DAYS);
  await transfer(target, await openSession(ada), "third@example.com");
  assert.deepEqual(await methodsAfterUndo(target), ["totp", "recoveryCode"]);
});

testAda("of fifty concurrent undos one succeeds and removes the factor", async (ada) => {
  const { target } = ada;
  await activateTotp(target, ada.accessToken);
  await transfer(target, await openSession(ada));
  assert.deepEqual(statusesOf(await fifty(() => undo(target))), { 200: 1, 401: 49 });
  assert.equal(await countCodes(target), 0);
}, forEachApp);

testAdaAlone("an undo keeps the factors of other users", async (ada) => {
  const { target } = ada;
  const { userId } = await target.createUser("bob@example.com");
  await target.setPassword(userId, PASSWORD);
  const bob = { userId, ...await target.openSession(userId) };
  await activateTotp(target, bob.accessToken);
  await transfer(target, await openSession(ada));
  assert.deepEqual(await methodsAfterUndo(target), []);
  assert.equal((await login(target, "bob@example.com", PASSWORD)).status, 401);
  assert.equal(await countCodes(target), 10);
});
