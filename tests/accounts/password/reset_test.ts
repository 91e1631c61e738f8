/** Resetting a forgotten password by a mailed link or code, with its waits, for known and unknown addresses. */
import assert from "node:assert/strict";
import {
  type Answer,
  assertDone,
  assertError,
  assertWait,
  forEachApp,
  login,
  logInFully,
  MALFORMED,
  query,
  queryNumber,
  send,
  type Sent,
  succeed,
  testApp,
  tokenFrom,
  UNVERIFIED,
} from "../../helpers/http.ts";
import { besideBystander } from "../../helpers/bystander.ts";
import { liveSessions, openEndedSession, signIn } from "../../helpers/security_scene.ts";
import { lastCode, lastLinkToken, lastMail, otherCode, readMails } from "../../helpers/mails.ts";
import { fifty, statusesOf } from "../../flows/concurrency_services.ts";
import type { TestApp } from "../../helpers/test_app.ts";

/** Whatever becomes of one account, another one stays as it is. */
const testBeside = besideBystander(testApp);

const EMAIL = "ada@example.com";
const OLD = "the password of yesterday";
const NEW = "the password of tomorrow";
const TOO_MANY = "TOO_MANY_RESET_MAIL_ATTEMPTS";
const INVALID = "OTP_INVALID_EXPIRED";
const LINK = "/user/password/reset/email";
const CODE = "/user/password/reset/send";

function ask(target: TestApp, path: string, email = EMAIL, from?: string): Promise<Answer> {
  return send(target, "POST", path, { body: { email }, from });
}

/** Requests a code, and returns it from its mail. */
async function mailCode(target: TestApp): Promise<string> {
  assertDone(await ask(target, CODE));
  return await lastCode(target, "password_reset_otp");
}

/** Requests a link, and returns its token from its mail. */
async function mailLink(target: TestApp, from?: string): Promise<string> {
  assert.equal((await ask(target, LINK, EMAIL, from)).status, 204);
  return await lastLinkToken(target, "password_reset_link");
}

function check(target: TestApp, otp: string, email = EMAIL, sent: Sent = {}): Promise<Answer> {
  return send(target, "POST", "/user/password/reset/validate", { ...sent, body: { email, otp } });
}

function setByCode(target: TestApp, otp: string, newPassword = NEW, userEmail = EMAIL): Promise<Answer> {
  return send(target, "PUT", "/user/password/otp", { body: { userEmail, otp, newPassword } });
}

function setByLink(target: TestApp, token: string, newPassword = NEW): Promise<Answer> {
  return send(target, "PUT", "/user/password/link", { body: { token, newPassword } });
}

async function createAda(target: TestApp): Promise<number> {
  return (await signIn(target, EMAIL, OLD)).userId;
}

testBeside("a mailed link sets a password once, ends all sessions and gives no tokens", async (target) => {
  await openEndedSession(target, await createAda(target));
  const { refreshToken, accessToken } = await logInFully(target, EMAIL, OLD);
  const asked = await ask(target, LINK, EMAIL.toUpperCase());
  assert.deepEqual([asked.status, asked.text], [204, ""]);
  const mail = await lastMail(target, "password_reset_link");
  assert.deepEqual([mail.recipient, mail.expiresAt - mail.createdAt], [EMAIL, 1_800_000]);
  assert.match(mail.params["link"] ?? "", /^https:\/\/rolegrid\.test\/reset-password#token=/);
  const token = await lastLinkToken(target, "password_reset_link");
  assertDone(await setByLink(target, token));
  assertError(await setByLink(target, token), 401, INVALID);
  assertError(await login(target, EMAIL, OLD), 401, "PASSWORD_INCORRECT");
  assertError(await send(target, "GET", "/user", { token: accessToken }), 401, UNVERIFIED);
  assertError(await send(target, "GET", "/auth/accesstoken", { token: refreshToken }), 401, UNVERIFIED);
  await logInFully(target, EMAIL, NEW);
  assert.equal((await lastMail(target, "password_set")).recipient, EMAIL);
  const events = await query(
    target,
    "SELECT event, result FROM security_event WHERE event LIKE 'password%' ORDER BY id",
  );
  assert.deepEqual(events, [
    { event: "password_reset_link.request", result: "ok" },
    { event: "password.reset_link", result: "ok" },
  ]);
});

testBeside("a link is valid for thirty minutes, and the three latest links at once", async (target) => {
  await createAda(target);
  const tokens: string[] = [];
  for (let i = 0; i < 4; i++) {
    tokens.push(await mailLink(target, `198.51.100.${i}`));
    target.clock.advance(1);
  }
  assert.equal((await ask(target, CODE, EMAIL, "198.51.100.9")).status, 200, "a code beside the links");
  assertError(await setByLink(target, tokens[0] as string), 401, INVALID);
  target.clock.advance(1797);
  // The second link was made at second 1, so it expires now, and the third one a second later.
  assertError(await setByLink(target, tokens[1] as string), 401, INVALID, "the second has expired");
  assertDone(await setByLink(target, tokens[2] as string));
  assertError(await setByLink(target, tokens[3] as string), 401, INVALID, "a success ends the others");
});

testBeside("checking a mailed code does not use it up, and it sets a new password once", async (target) => {
  await createAda(target);
  const { accessToken } = await logInFully(target, EMAIL, OLD);
  const code = await mailCode(target);
  const mail = await lastMail(target, "password_reset_otp");
  assert.deepEqual([mail.recipient, mail.expiresAt - mail.createdAt], [EMAIL, 600_000]);
  for (let i = 0; i < 8; i++) assertDone(await check(target, code, ` ${EMAIL.toUpperCase()} `));
  assertDone(await check(target, code.toLowerCase().replaceAll("0", "o").replaceAll("1", "l")));
  assertDone(await setByCode(target, code.toLowerCase()));
  assertError(await setByCode(target, code), 401, INVALID);
  assertError(await check(target, code), 401, INVALID);
  assertError(await send(target, "GET", "/user", { token: accessToken }), 401, UNVERIFIED);
  await logInFully(target, EMAIL, NEW);
  assert.equal((await lastMail(target, "password_set")).recipient, EMAIL);
});

testBeside("a code is valid for ten minutes, to the second, and a newer one ends it", async (target) => {
  await createAda(target);
  const first = await mailCode(target);
  target.clock.advance(599);
  assertDone(await check(target, first));
  target.clock.advance(1);
  assertError(await check(target, first), 401, INVALID);
  const second = await mailCode(target);
  target.clock.advance(60);
  const third = await mailCode(target);
  if (second !== third) assertError(await check(target, second), 401, INVALID);
  assertDone(await setByCode(target, third));
});

testApp("a code allows five wrong guesses per network, by checks and updates together", async (target) => {
  await createAda(target);
  const code = await mailCode(target);
  const wrong = otherCode(code);
  assertError(await check(target, wrong), 401, INVALID);
  assertError(await setByCode(target, wrong), 401, INVALID);
  assertError(await check(target, "ÄÖÜ€!?"), 401, INVALID, "another alphabet is a wrong guess");
  assertError(await setByCode(target, "UUUUUU"), 401, INVALID);
  assertDone(await check(target, code));
  assert.equal(await queryNumber(target, "SELECT guesses_left FROM one_time_code"), 6);
  assertError(await check(target, wrong), 401, INVALID);
  assertError(await check(target, code), 401, INVALID);
  assertError(await setByCode(target, code), 401, INVALID);
  await logInFully(target, EMAIL, OLD);
});

forEachApp("of fifty simultaneous wrong guesses, five are counted", async (target) => {
  await createAda(target);
  const code = await mailCode(target);
  const wrong = otherCode(code);
  const guesses = await fifty((i) => i % 2 ? check(target, wrong) : setByCode(target, wrong));
  for (const answer of guesses) assertError(answer, 401, INVALID);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM security_event WHERE result = 'wrong'"), 5);
  assertError(await check(target, code), 401, INVALID);
});

const CODE_NETWORKS = [
  ["IPv4", (i: number) => `198.51.100.${i}`],
  ["IPv6", (i: number) => `2001:db8:1:${i}::1`],
] as const;

for (const [family, neighbour] of CODE_NETWORKS) {
  forEachApp(`guesses of strangers in one ${family} network do not end the owner's code`, async (target) => {
    await createAda(target);
    const code = await mailCode(target);
    const wrong = otherCode(code);
    for (let i = 0; i < 20; i++) {
      assertError(await check(target, wrong, EMAIL, { from: neighbour(i) }), 401, INVALID);
    }
    const right = await check(target, code, EMAIL, { from: neighbour(20) });
    assertError(right, 401, INVALID, "no guess is left there");
    assert.equal(await queryNumber(target, "SELECT guesses_left FROM one_time_code"), 5);
    assertDone(await setByCode(target, code));
  });
}

testBeside("guesses count for one code, and a new code starts again", async (target) => {
  await createAda(target);
  const wrong = otherCode(await mailCode(target));
  for (let i = 0; i < 5; i++) assertError(await check(target, wrong), 401, INVALID);
  target.clock.advance(60);
  assertDone(await setByCode(target, await mailCode(target)));
});

forEachApp("the tenth guess from several networks ends a code, and a link remains valid", async (target) => {
  await createAda(target);
  assert.equal((await ask(target, LINK)).status, 204);
  target.clock.advance(60);
  const code = await mailCode(target);
  const wrong = otherCode(code);
  const guess = (network: number) => check(target, wrong, EMAIL, { from: `198.51.${network}.1` });
  for (let i = 0; i < 6; i++) assertError(await guess(0), 401, INVALID);
  const guesses = Array.from({ length: 60 }, (_, i) => guess(i % 3));
  for (const answer of await Promise.all(guesses)) assertError(answer, 401, INVALID);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM security_event WHERE result = 'wrong'"), 10);
  const byNetwork = await query<{ guesses: number }>(
    target,
    "SELECT count(*) AS guesses FROM security_event WHERE result = 'wrong' GROUP BY address",
  );
  for (const { guesses } of byNetwork) assert.ok(guesses <= 5);
  assertError(await check(target, code), 401, INVALID);
  assertError(await setByCode(target, code), 401, INVALID);
  assertDone(await setByLink(target, await lastLinkToken(target, "password_reset_link")));
});

forEachApp("of fifty simultaneous redemptions, one succeeds, with a code and with a link", async (target) => {
  await createAda(target);
  const code = await mailCode(target);
  const byCode = await fifty((i) => setByCode(target, code, `${NEW} ${i}`));
  assert.deepEqual(statusesOf(byCode), { 200: 1, 401: 49 });
  target.clock.advance(60);
  const token = await mailLink(target);
  const byLink = await fifty((i) => setByLink(target, token, `${NEW} ${i}`));
  assert.deepEqual(statusesOf(byLink), { 200: 1, 401: 49 });
  await logInFully(target, EMAIL, `${NEW} ${byLink.findIndex(({ status }) => status === 200)}`);
  assert.equal((await readMails(target, "password_set")).length, 2);
});

testApp("a refused password spends no code, link or guess", async (target) => {
  await createAda(target);
  const code = await mailCode(target);
  target.clock.advance(60);
  const token = await mailLink(target);
  const refused = [
    ["short", "PASSWORD_TOO_SHORT"],
    ["x".repeat(257), "PASSWORD_TOO_LONG"],
    ["password1", "PASSWORD_TOO_COMMON"],
    ["ADA@example.com", "PASSWORD_EQUALS_NAME"],
    ["RoleGrid", "PASSWORD_EQUALS_NAME"],
  ] as const;
  for (const [password, fault] of refused) {
    assertError(await setByCode(target, code, password), 400, fault);
    assertError(await setByCode(target, otherCode(code), password), 400, fault, "checked before the code");
    assertError(await setByLink(target, token, password), 400, fault);
  }
  assert.equal(await queryNumber(target, "SELECT guesses_left FROM one_time_code"), 10);
  assertDone(await setByCode(target, code));
});

testApp("a reset ends the pending code, raises the security version, ends all sessions", async (target) => {
  const userId = await createAda(target);
  const code = await mailCode(target);
  assert.equal((await ask(target, LINK, EMAIL, "198.51.100.1")).status, 204);
  const before = await queryNumber(target, "SELECT security_version FROM user_account");
  assertDone(await setByLink(target, await lastLinkToken(target, "password_reset_link")));
  assertError(await setByCode(target, code), 401, INVALID);
  assert.equal(await queryNumber(target, "SELECT security_version FROM user_account"), before + 1);
  assert.deepEqual(await liveSessions(target, userId), []);
});

testBeside("links and codes share a budget for each address and client, to the second", async (target) => {
  await createAda(target);
  const expectWait = async (seconds: number): Promise<void> => {
    assertWait(await ask(target, LINK), TOO_MANY, seconds);
    assertWait(await ask(target, CODE), TOO_MANY, seconds);
  };
  assert.equal((await ask(target, LINK)).status, 204);
  await expectWait(60);
  target.clock.advance(59);
  await expectWait(1);
  target.clock.advance(1);
  assertDone(await ask(target, CODE));
  target.clock.advance(60);
  assert.equal((await ask(target, LINK)).status, 204);
  await expectWait(3600 - 120);
  target.clock.advance(3600 - 121);
  await expectWait(1);
  target.clock.advance(1);
  for (let i = 0; i < 3; i++) {
    assertDone(await ask(target, CODE));
    target.clock.advance(60);
  }
  await expectWait(86_400 - 3600 - 180);
  assertDone(await ask(target, CODE, EMAIL, "198.51.100.1"));
  target.clock.advance(86_400 - 3600 - 181);
  await expectWait(1);
  target.clock.advance(1);
  assertDone(await ask(target, CODE));
});

testBeside("a client, or an IPv6 /64, requests twenty mails an hour in all", async (target) => {
  await createAda(target);
  for (let i = 0; i < 20; i++) {
    assertDone(await ask(target, CODE, `user${i}@example.com`, `2001:db8:0:1::${i + 1}`));
  }
  assertWait(await ask(target, CODE, EMAIL, "2001:db8:0:1::ffff"), TOO_MANY, 3600);
  assertDone(await ask(target, CODE, EMAIL, "2001:db8:0:2::1"));
  target.clock.advance(3600);
  assertDone(await ask(target, CODE, EMAIL, "2001:db8:0:1::ffff"));
});

forEachApp("fifty simultaneous requests send one mail", async (target) => {
  await createAda(target);
  const answers = await fifty((i) => ask(target, i % 2 ? LINK : CODE));
  assert.equal(answers.filter(({ status }) => status < 300).length, 1);
  for (const answer of answers.filter(({ status }) => status >= 300)) assertWait(answer, TOO_MANY, 60);
  assert.equal((await readMails(target)).length, 1);
});

const TABLES = ["security_event", "throttle", "one_time_code", "password_link", "outbox", "session"];

/** The number of rows in each of the tables. */
function countRows(target: TestApp): Promise<number[]> {
  return Promise.all(TABLES.map((table) => queryNumber(target, `SELECT count(*) FROM ${table}`)));
}

testApp("known and unknown addresses get the same responses and leave the same rows", async (target) => {
  await createAda(target);
  const seen: unknown[] = [];
  for (const [email, from] of [[EMAIL, "198.51.100.1"], ["unknown@example.com", "203.0.113.1"]] as const) {
    const before = await countRows(target);
    const answers = [await ask(target, CODE, email, from), await ask(target, LINK, email, from)];
    target.clock.advance(60);
    answers.push(await ask(target, LINK, email, from));
    const wrong = otherCode(await lastCode(target, "password_reset_otp"));
    answers.push(await check(target, wrong, email));
    for (const password of [NEW, "short"]) answers.push(await setByCode(target, wrong, password, email));
    const after = await countRows(target);
    seen.push({
      answers: answers.map(({ status, text }) => [status, text]),
      rows: after.map((count, i) => count - (before[i] ?? 0)),
      codes: await query(target, "SELECT guesses_left FROM one_time_code ORDER BY created_at DESC LIMIT 1"),
    });
    target.clock.advance(3600);
  }
  assert.deepEqual(seen[1], seen[0]);
  const unknown = (await readMails(target)).filter(({ recipient }) => recipient === null);
  assert.equal(unknown.length, 2);
  for (const { params } of unknown) assert.equal(Object.keys(params).length, 1, "the same parameters");
});

testBeside("codes and links for an unknown address do not open an account created later", async (target) => {
  const code = await mailCode(target);
  const token = await mailLink(target, "198.51.100.1");
  assertError(await check(target, code), 401, INVALID);
  await createAda(target);
  assertError(await check(target, code), 401, INVALID);
  assertError(await setByCode(target, code), 401, INVALID);
  assertError(await setByLink(target, token), 401, INVALID);
});

testBeside("codes are stored as keyed hashes and are valid for one user only", async (target) => {
  await createAda(target);
  await target.createUser("bob@example.com");
  const code = await mailCode(target);
  assertDone(await ask(target, CODE, "bob@example.com"));
  assertError(await check(target, code, "bob@example.com"), 401, INVALID);
  const dump = JSON.stringify(await query(target, "SELECT * FROM one_time_code"));
  assert.ok(!dump.includes(code) && !dump.includes(EMAIL));
  assertDone(await check(target, code));
});

testBeside("the deprecated path sends the link, too, and names its successor", async (target) => {
  await createAda(target);
  const answer = await ask(target, "/v1/auth/forgot-password");
  assert.equal(answer.status, 204);
  assert.equal(answer.headers.get("Link"), '</user/password/reset/email>; rel="successor-version"');
  assertDone(await setByLink(target, await lastLinkToken(target, "password_reset_link")));
});

testBeside("the mail has the requested language and sender, or the account's language", async (target) => {
  await createAda(target);
  const { accessToken } = await logInFully(target, EMAIL, OLD);
  await succeed(target, "PUT", "/user", { token: accessToken, body: { language: "nl" } });
  const cases = [
    ["", "nl", null],
    ["?language=FR&origin=acme", "fr", "acme"],
    ["?language=xx", "en", null],
  ] as const;
  for (const [suffix, language, brand] of cases) {
    assertDone(await ask(target, CODE + suffix));
    const mail = await lastMail(target, "password_reset_otp");
    assert.deepEqual([mail.language, mail.brand], [language, brand]);
    target.clock.advance(60);
  }
  for (const suffix of ["?origin=unknown", "?language=eng", "?other=1"]) {
    assertError(await ask(target, CODE + suffix), 400, MALFORMED);
    assertError(await ask(target, LINK + suffix), 400, MALFORMED);
  }
});

testBeside("malformed requests are refused without an event", async (target) => {
  for (const otp of ["", "12345", "1234567"]) assertError(await check(target, otp), 400, MALFORMED);
  for (const email of ["", "ada", "a".repeat(250) + "@example.com"]) {
    for (const path of [LINK, CODE]) assertError(await ask(target, path, email), 400, MALFORMED);
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM security_event"), 0);
});

testBeside("an account without a password gets one by a reset", async (target) => {
  await target.createUser(EMAIL);
  assertDone(await setByCode(target, await mailCode(target)));
  const { refreshToken } = await logInFully(target, EMAIL, NEW);
  await tokenFrom(target, "/auth/accesstoken", refreshToken);
});
