/** Codes by mail: their setup, what each is valid for, how often they are mailed, and how many guesses they allow. */
import assert from "node:assert/strict";
import {
  type Answer,
  assertDone,
  assertError,
  assertWait,
  forEachApp,
  MALFORMED,
  query,
  queryNumber,
  send,
  succeed,
  UNVERIFIED,
} from "../../helpers/http.ts";
import {
  activateEmailOtp,
  type Ada,
  challengeByMail,
  CODES_AT,
  EMAIL,
  eventsOf,
  isLive,
  mailedCode,
  mailsTo,
  otherThan,
  setUpTotp,
  startLogin,
  stepUp,
  testAda,
  testAdaAlone,
  type Tokens,
} from "../../helpers/second_factors.ts";
import type { TestApp } from "../../helpers/test_app.ts";
import { fifty, statusesOf } from "../../flows/concurrency_services.ts";

const INVALID = "OTP_INVALID_EXPIRED";
const TOO_MANY_MAILS = "TOO_MANY_OTP_EMAILS";

function post(target: TestApp, token: string, operation: string, body?: unknown): Promise<Answer> {
  return send(target, "POST", `/user/2fa/email-otp/${operation}`, { token, body });
}

async function setUp(target: TestApp, token: string, email = CODES_AT): Promise<void> {
  assert.equal(await succeed(target, "POST", "/user/2fa/email-otp/setup", { token, body: { email } }), null);
}

function deactivate(target: TestApp, token: string): Promise<Answer> {
  return send(target, "DELETE", "/user/2fa/email-otp", { token });
}

function enable(target: TestApp, token: string, otp: string): Promise<Answer> {
  return post(target, token, "enable", { otp });
}

function prove(target: TestApp, token: string, otp: string): Promise<Answer> {
  return post(target, token, "authenticate", { otp });
}

function askNextMail(target: TestApp, token: string): Promise<Answer> {
  return send(target, "GET", "/user/2fa/email-otp/next-email", { token });
}

async function nextMail(target: TestApp, token: string): Promise<number> {
  return ((await askNextMail(target, token)).body as { duration: number }).duration;
}

/** Waits until a code may be mailed, and sends one to the first session. */
async function sendLater({ target, renew }: Ada): Promise<string> {
  target.clock.advance(await nextMail(target, await renew()));
  return await challengeByMail(target, await renew());
}

/** A client address that no account knows. */
const ELSEWHERE = "198.51.100.7";

async function failures(target: TestApp): Promise<number> {
  return await queryNumber(target, "SELECT failures FROM second_factor WHERE kind = 'email_otp'");
}

testAdaAlone("a mailed code activates the address, and a later code gives a sudo token", async (ada) => {
  const { target, accessToken: token } = ada;
  await setUp(target, token);
  assert.deepEqual(await mailsTo(target, CODES_AT), [["email_otp", "activation"]]);
  assertError(await prove(target, token, "123456"), 409, "EMAIL_OTP_INACTIVE");
  const answer = await enable(target, token, await mailedCode(target));
  assert.equal((answer.body as { recoveryCodes: string[] }).recoveryCodes.length, 10);
  assert.deepEqual(await mailsTo(target, EMAIL), [["factor_activated", "email_otp"]]);
  target.clock.advance(60);
  const otp = await challengeByMail(target, token);
  assert.deepEqual((await mailsTo(target, CODES_AT)).at(-1), ["email_otp", "sign_in"]);
  const proven = await prove(target, token, otp);
  assert.deepEqual(Object.keys(proven.body as object), ["sudoToken"]);
  assertError(await prove(target, token, otp), 401, INVALID, "a used code");
  const { sudoToken } = proven.body as Tokens;
  assertDone(await deactivate(target, sudoToken));
  assertError(await deactivate(target, token), 409, "EMAIL_OTP_ALREADY_INACTIVE");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM recovery_code"), 0);
});

testAda("without a setup there is nothing to send, activate or prove", async (ada) => {
  const { target, accessToken: token } = ada;
  assertError(await post(target, token, "challenge"), 409, "EMAIL_OTP_UNINITIALIZED");
  assertError(await enable(target, token, "123456"), 409, "EMAIL_OTP_UNINITIALIZED");
  assertError(await prove(target, token, "123456"), 409, "EMAIL_OTP_INACTIVE");
  assertError(await askNextMail(target, token), 409, "EMAIL_OTP_UNINITIALIZED");
  assertError(await deactivate(target, token), 409, "EMAIL_OTP_ALREADY_INACTIVE");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM outbox"), 0);
});

testAda("a mail has the requested address, sender and language, and the code's life", async (ada) => {
  const { target, accessToken: token } = ada;
  const path = "setup?origin=acme&language=nl";
  assert.equal((await post(target, token, path, { email: " Ada.Codes@EXAMPLE.org" })).status, 200);
  const [mail] = await query(
    target,
    `SELECT recipient, brand, language, detail, expires_at - created_at AS life FROM outbox WHERE template = 'email_otp'`,
  );
  const wanted = { brand: "acme", language: "nl" };
  assert.deepEqual(mail, { ...wanted, recipient: CODES_AT, detail: "activation", life: 600_000 });
  for (const query of ["origin=nobody", "language=x", "x=y"]) {
    assertError(await post(target, token, `setup?${query}`, { email: CODES_AT }), 400, MALFORMED, query);
    assertError(await post(target, token, `challenge?${query}`), 400, MALFORMED, query);
  }
  for (const email of ["", "ada", "a@b@c.org", `${"a".repeat(250)}@example.org`, "ada @example.org", 1]) {
    assertError(await post(target, token, "setup", { email }), 400, MALFORMED, String(email));
  }
});

testAdaAlone("a code is valid for ten minutes, and a newer one ends it", async (ada) => {
  const { target } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const first = await sendLater(ada);
  target.clock.advance(599);
  const second = await challengeByMail(target, await ada.renew());
  assertError(await prove(target, await ada.renew(), first), 401, INVALID);
  target.clock.advance(599);
  const token = await ada.renew();
  assert.equal((await prove(target, token, second)).status, 200);
  const third = await sendLater(ada);
  target.clock.advance(600);
  assertError(await prove(target, await ada.renew(), third), 401, INVALID);
  assert.equal(await failures(target), 0);
});

testAda("until its activation a new address gets no codes, and a code serves one purpose", async (ada) => {
  const { target, accessToken: token } = ada;
  const address = async (): Promise<string> =>
    (await succeed<{ emailOtp: { email: string } }>(target, "GET", "/user/2fa", { token })).emailOtp.email;
  await activateEmailOtp(target, token);
  const { sudoToken } = (await prove(target, token, await sendLater(ada))).body as Tokens;
  target.clock.advance(await nextMail(target, token));
  await setUp(target, sudoToken, "new@example.org");
  const activation = await mailedCode(target, "new@example.org");
  assertError(await prove(target, token, activation), 401, INVALID);
  const challenge = await sendLater(ada);
  assert.deepEqual((await mailsTo(target, CODES_AT)).at(-1), ["email_otp", "sign_in"]);
  assertError(await enable(target, token, challenge), 401, INVALID);
  assert.equal((await prove(target, token, challenge)).status, 200);
  assert.equal(await address(), CODES_AT);
  assert.deepEqual((await enable(target, token, activation)).body, { recoveryCodes: [] });
  assert.equal(await address(), "new@example.org");
});

testAda("a setup expires after a day, even if more codes were mailed", async (ada) => {
  const { target, accessToken, renew } = ada;
  await setUp(target, accessToken);
  target.clock.advance(86_399);
  const code = await challengeByMail(target, await renew());
  target.clock.advance(1);
  assertError(await enable(target, await renew(), code), 409, "EMAIL_OTP_UNINITIALIZED");
}, forEachApp);

testAda("before activation, a challenge mails an activation code to sessions only", async (ada) => {
  const { target, accessToken: token } = ada;
  const app = await setUpTotp(target, token);
  await succeed(target, "POST", "/user/2fa/totp/enable", { token, body: { totp: app.code() } });
  target.clock.advance(60);
  const sudo = await stepUp(target, token, app);
  await setUp(target, sudo);
  const first = await mailedCode(target);
  const partial = await startLogin(target);
  target.clock.advance(60);
  assertError(await post(target, partial, "challenge"), 409, "EMAIL_OTP_UNINITIALIZED");
  assertError(await askNextMail(target, partial), 409, "EMAIL_OTP_UNINITIALIZED");
  assertError(await prove(target, partial, first), 409, "EMAIL_OTP_INACTIVE");
  const second = await challengeByMail(target, token);
  assert.deepEqual(await mailsTo(target, CODES_AT), Array(2).fill(["email_otp", "activation"]));
  if (first !== second) assertError(await enable(target, token, first), 401, INVALID);
  assert.equal((await enable(target, token, second)).status, 200);
});

testAda("mails wait 60, 120, 300 and then 900 seconds, setups and challenges together", async (ada) => {
  const { target, renew } = ada;
  const mail = async (operation: "setup" | "challenge"): Promise<Answer> =>
    await post(target, await renew(), operation, operation === "setup" ? { email: CODES_AT } : undefined);
  assertDone(await mail("setup"));
  for (const [i, seconds] of [60, 120, 300].entries()) {
    assert.equal(await nextMail(target, await renew()), seconds);
    assertWait(await mail("setup"), TOO_MANY_MAILS, seconds);
    target.clock.advance(seconds - 1);
    assertWait(await mail("challenge"), TOO_MANY_MAILS, 1, `wait ${i + 1}`);
    assert.equal(await nextMail(target, await renew()), 1);
    target.clock.advance(1);
    assert.equal(await nextMail(target, await renew()), 0);
    assertDone(await mail(i % 2 === 0 ? "challenge" : "setup"));
  }
  for (let i = 5; i <= 6; i++) {
    assert.equal(await nextMail(target, await renew()), 900);
    target.clock.advance(900);
    assertDone(await mail("challenge"));
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM outbox WHERE template = 'email_otp'"), 6);
});

testAda("the waits restart a day after the last mail, and not before", async (ada) => {
  const { target, renew } = ada;
  await activateEmailOtp(target, ada.accessToken);
  await sendLater(ada);
  target.clock.advance(86_399);
  await challengeByMail(target, await renew());
  assert.equal(await nextMail(target, await renew()), 300);
  target.clock.advance(86_400);
  await challengeByMail(target, await renew());
  assert.equal(await nextMail(target, await renew()), 60);
});

testAda("a success restarts the waits without shortening the current one", async (ada) => {
  const { target, renew } = ada;
  await activateEmailOtp(target, ada.accessToken);
  await sendLater(ada);
  const otp = await sendLater(ada);
  assert.equal(await nextMail(target, await renew()), 300);
  assert.equal((await prove(target, await renew(), otp)).status, 200);
  assert.equal(await nextMail(target, await renew()), 300);
  await sendLater(ada);
  assert.equal(await nextMail(target, await renew()), 60);
});

testAda("a user gets ten mails a day, even with successes between them", async (ada) => {
  const { target, renew } = ada;
  const begun = target.clock.now();
  await activateEmailOtp(target, ada.accessToken);
  for (let mail = 2; mail <= 10; mail++) {
    assert.equal((await prove(target, await renew(), await sendLater(ada))).status, 200);
  }
  const left = 86_400 - (target.clock.now() - begun) / 1000;
  assert.equal(await nextMail(target, await renew()), left);
  assertWait(await post(target, await renew(), "challenge"), TOO_MANY_MAILS, left);
  target.clock.advance(left - 1);
  assertWait(await post(target, await renew(), "challenge"), TOO_MANY_MAILS, 1);
  target.clock.advance(1);
  await challengeByMail(target, await renew());
});

testAda("a refused mail changes nothing", async ({ target, accessToken: token }) => {
  await post(target, token, "setup", { email: CODES_AT });
  const dump = (): Promise<unknown> =>
    Promise.all(
      ["second_factor", "one_time_code", "outbox"].map((table) => query(target, `SELECT * FROM ${table}`)),
    );
  const before = await dump();
  target.clock.advance(1);
  assertWait(await post(target, token, "setup", { email: "eve@example.org" }), TOO_MANY_MAILS, 59);
  assertWait(await post(target, token, "challenge"), TOO_MANY_MAILS, 59);
  await nextMail(target, token);
  assert.deepEqual(await dump(), before);
}, forEachApp);

testAda("a code allows five wrong guesses", async (ada) => {
  const { target, renew } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const otp = await sendLater(ada);
  for (let i = 0; i < 4; i++) assertError(await prove(target, await renew(), otherThan(otp)), 401, INVALID);
  target.clock.advance(30);
  assertError(await prove(target, await renew(), otherThan(otp)), 401, INVALID);
  target.clock.advance(60);
  assertError(await prove(target, await renew(), otp), 401, INVALID);
  assert.deepEqual((await eventsOf(target, "email_otp.authenticate")).at(-1), "no_code");
  assert.equal(await failures(target), 5);
});

testAdaAlone("a wrong activation code counts as a failure, which a right one keeps", async (ada) => {
  const { target, accessToken: token } = ada;
  await post(target, token, "setup", { email: CODES_AT });
  const otp = await mailedCode(target);
  for (let i = 0; i < 4; i++) assertError(await enable(target, token, otherThan(otp)), 401, INVALID);
  assertWait(await enable(target, token, otp), "TOO_MANY_EMAIL_OTP_CHECKS", 30);
  target.clock.advance(30);
  assert.equal((await enable(target, token, otp)).status, 200);
  assert.equal(await failures(target), 4);
});

testAdaAlone("a code without six characters is malformed, and any other is a wrong guess", async (ada) => {
  const { target, accessToken: token } = ada;
  await activateEmailOtp(target, token);
  await sendLater(ada);
  for (const otp of ["", "12345", "1234567", 123456, null]) {
    assertError(await post(target, token, "authenticate", { otp }), 400, MALFORMED, String(otp));
    assertError(await post(target, token, "enable", { otp }), 400, MALFORMED, String(otp));
  }
  for (const otp of ["abcdef", "１２３４５６", "      "]) {
    assertError(await prove(target, token, otp), 401, INVALID, otp);
  }
  assert.equal(await failures(target), 3);
});

/** A sign-in from a known address and one from elsewhere, each with its code. */
async function startTwoLogins(target: TestApp): Promise<{ token: string; otp: string }[]> {
  const tokens = [await startLogin(target), await startLogin(target, ELSEWHERE)];
  const logins = [];
  for (const token of tokens) logins.push({ token, otp: await challengeByMail(target, token) });
  return logins;
}

testAda("of fifty simultaneous wrong guesses, four are counted", async (ada) => {
  const { target } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const logins = await startTwoLogins(target);
  const guess = (i: number, { token, otp } = logins[i % 2]!) => prove(target, token, otherThan(otp));
  const answers = await fifty((i) => guess(i));
  assert.deepEqual(statusesOf(answers), { 401: 4, 429: 46 });
  for (const answer of answers) {
    if (answer.status === 429) assertWait(answer, "TOO_MANY_EMAIL_OTP_CHECKS", 30);
    else assertError(answer, 401, INVALID);
  }
  const left = "SELECT sum(guesses_left) FROM one_time_code WHERE purpose = 'email_otp.challenge'";
  assert.equal(await queryNumber(target, left), 6);
}, forEachApp);

testAda("of fifty simultaneous right codes, one opens a session for each sign-in", async (ada) => {
  const { target } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const logins = await startTwoLogins(target);
  const sessions = await queryNumber(target, "SELECT count(*) FROM session");
  const guess = (i: number, { token, otp } = logins[i % 2]!) => prove(target, token, otp);
  const answers = await fifty((i) => guess(i));
  const accepted = answers.flatMap(({ status }, i) => status === 200 ? [i % 2] : []);
  assert.deepEqual(accepted.toSorted(), [0, 1]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session"), sessions + 2);
  assert.equal(await failures(target), 0);
}, forEachApp);

testAdaAlone("a code is valid only for the sign-in that requested it", async (ada) => {
  const { target, renew } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const [mine, other] = [await startLogin(target), await startLogin(target, ELSEWHERE)];
  const otp = await challengeByMail(target, mine);
  for (const token of [other, await renew()]) assertError(await prove(target, token, otp), 401, INVALID);
  assert.deepEqual(await eventsOf(target, "email_otp.authenticate"), ["no_code"]);
  assert.equal(await failures(target), 0, "without a code of one's own there is nothing to guess");
  const theirs = await challengeByMail(target, other);
  if (otp !== theirs) {
    assertError(await prove(target, other, otp), 401, INVALID);
    assert.equal(await failures(target), 1);
  }
  assert.equal((await prove(target, mine, otp)).status, 200);
  assertError(await prove(target, mine, otp), 401, UNVERIFIED, "a completed sign-in");
  assertError(await prove(target, await renew(), otp), 401, INVALID, "a used code");
  assert.equal((await prove(target, other, theirs)).status, 200);
});

testAda("a code requested by a session completes no sign-in and ends with the session", async (ada) => {
  const { target, userId } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const session = await target.openSession(userId);
  const otp = await challengeByMail(target, session.accessToken);
  assertError(await prove(target, await startLogin(target), otp), 401, INVALID);
  assert.equal((await send(target, "POST", "/auth/logout", { token: session.refreshToken })).status, 204);
  assertError(await prove(target, session.accessToken, otp), 401, UNVERIFIED);
});

testAdaAlone("an activation code is valid for its session and its address alone", async (ada) => {
  const { target, userId, accessToken: first } = ada;
  const second = await target.accessToken(userId);
  await setUp(target, first);
  const firstCode = await mailedCode(target);
  assertError(await enable(target, second, firstCode), 401, INVALID);
  target.clock.advance(60);
  await setUp(target, second, "new@example.org");
  assertError(await enable(target, first, firstCode), 401, INVALID, "a code mailed to another address");
  target.clock.advance(120);
  assertDone(await post(target, first, "challenge"));
  const secondCode = await mailedCode(target, "new@example.org");
  assert.equal(await failures(target), 0);
  assert.equal((await enable(target, first, secondCode)).status, 200);
});

testAdaAlone("three codes are live at a time, and a stranger's is the first to end", async (ada) => {
  const { target, renew } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const asks = async (from?: string): Promise<{ token: string; otp: string }> => {
    const token = await startLogin(target, from);
    return { token, otp: await challengeByMail(target, token) };
  };
  const LIVE =
    "SELECT count(*) FROM one_time_code WHERE purpose = 'email_otp.challenge' AND ended_at IS NULL";
  const live = () => queryNumber(target, LIVE);
  const oldest = await asks();
  target.clock.advance(120);
  const second = await asks();
  const stranger = await asks(ELSEWHERE);
  target.clock.advance(60);
  const nextStranger = await asks(ELSEWHERE);
  assert.equal(await live(), 3);
  assertError(await prove(target, stranger.token, stranger.otp), 401, INVALID);
  target.clock.advance(240);
  const otp = await challengeByMail(target, await renew());
  assert.equal(await live(), 3);
  assertError(await prove(target, nextStranger.token, nextStranger.otp), 401, INVALID);
  const lastStranger = await asks(ELSEWHERE);
  assertError(await prove(target, oldest.token, oldest.otp), 401, INVALID);
  assert.equal(await failures(target), 0);
  assert.equal((await prove(target, second.token, second.otp)).status, 200);
  assert.equal((await prove(target, lastStranger.token, lastStranger.otp)).status, 200);
  assert.equal((await prove(target, await renew(), otp)).status, 200);
});

testAda("strangers use at most half of the day's mails and do not delay the owner's", async (ada) => {
  const { target, renew } = ada;
  const begun = target.clock.now();
  const left = (): number => 86_400 - (target.clock.now() - begun) / 1000;
  await activateEmailOtp(target, ada.accessToken);
  for (const seconds of [60, 120, 300, 900]) {
    await challengeByMail(target, await startLogin(target, ELSEWHERE));
    const another = await startLogin(target, "198.51.100.8");
    assert.equal(await nextMail(target, another), seconds);
    assertWait(await post(target, another, "challenge"), TOO_MANY_MAILS, seconds);
    for (const owner of [await renew(), await startLogin(target)]) {
      assert.equal(await nextMail(target, owner), 0);
    }
    target.clock.advance(seconds);
  }
  await challengeByMail(target, await startLogin(target, ELSEWHERE));
  assert.equal(await nextMail(target, await startLogin(target, ELSEWHERE)), left());
  assertWait(await post(target, await startLogin(target, ELSEWHERE), "challenge"), TOO_MANY_MAILS, left());
  for (const seconds of [120, 300, 900]) {
    await challengeByMail(target, await startLogin(target));
    assert.equal(await nextMail(target, await renew()), seconds);
    target.clock.advance(seconds);
  }
  await challengeByMail(target, await renew());
  assertWait(await post(target, await startLogin(target), "challenge"), TOO_MANY_MAILS, left(), "the tenth");
  assert.equal((await mailsTo(target, CODES_AT)).length, 10);
  target.clock.advance(left());
  await challengeByMail(target, await startLogin(target, ELSEWHERE));
  assert.equal(await nextMail(target, await startLogin(target, ELSEWHERE)), 60);
  assert.equal(await nextMail(target, await renew()), 0);
});

testAda("a client address is known after a sign-in completed from it", async (ada) => {
  const { target } = ada;
  await activateEmailOtp(target, ada.accessToken);
  await challengeByMail(target, await startLogin(target, ELSEWHERE));
  target.clock.advance(60);
  const token = await startLogin(target, ELSEWHERE);
  const otp = await challengeByMail(target, token);
  assert.equal(await nextMail(target, token), 120);
  const sent = { token, body: { otp }, from: ELSEWHERE };
  await succeed(target, "POST", "/user/2fa/email-otp/authenticate", sent);
  assert.equal(await nextMail(target, await startLogin(target, ELSEWHERE)), 0);
});

testAda("of fifty strangers who request a code at once, one gets it", async (ada) => {
  const { target } = ada;
  await activateEmailOtp(target, ada.accessToken);
  const tokens: string[] = [];
  for (let i = 1; i <= 50; i++) tokens.push(await startLogin(target, `198.51.100.${i}`));
  const answers = await Promise.all(tokens.map((token) => post(target, token, "challenge")));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) {
    if (answer.status !== 200) assertWait(answer, TOO_MANY_MAILS, 60);
  }
  await challengeByMail(target, await startLogin(target));
}, forEachApp);

testAda("of fifty simultaneous mail requests, one is sent", async ({ target, accessToken: token }) => {
  await activateEmailOtp(target, token);
  const answers = await fifty(() => post(target, token, "challenge"));
  assert.deepEqual(statusesOf(answers), { 200: 1, 429: 49 });
  assert.equal((await mailsTo(target, CODES_AT)).length, 2);
}, forEachApp);

testAdaAlone("deactivation ends pending codes and other sessions and keeps the counters", async (ada) => {
  const { target, userId, accessToken: token } = ada;
  await activateEmailOtp(target, token);
  const { sudoToken } = (await prove(target, await ada.renew(), await sendLater(ada))).body as Tokens;
  const app = await setUpTotp(target, sudoToken);
  const enabling = { token: await ada.renew(), body: { totp: app.code() } };
  await succeed(target, "POST", "/user/2fa/totp/enable", enabling);
  target.clock.advance(60);
  const otp = await sendLater(ada);
  assertError(await prove(target, token, otherThan(otp)), 401, INVALID);
  const other = await target.accessToken(userId);
  const sudo = await stepUp(target, await ada.renew(), app);
  assertDone(await deactivate(target, sudo));
  assert.deepEqual([await isLive(target, await ada.renew()), await isLive(target, other)], [true, false]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM one_time_code WHERE ended_at IS NULL"), 0);
  assertError(await prove(target, await ada.renew(), otp), 409, "EMAIL_OTP_INACTIVE");
  assertError(await post(target, sudo, "setup", { email: CODES_AT }), 401, UNVERIFIED);
  assert.equal(await failures(target), 1);
  assert.deepEqual((await mailsTo(target, EMAIL)).at(-1), ["factor_deactivated", "email_otp"]);
});
