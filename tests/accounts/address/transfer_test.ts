/** Changing an account's address: codes, waits, reserved addresses, and what an undo takes back. */
import assert from "node:assert/strict";
import {
  type Answer,
  assertDone,
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
import { createRole } from "../../every_operation/request_catalogue.ts";
import { besideBystander } from "../../helpers/bystander.ts";
import { lastCode, lastLinkToken, lastMail, otherCode, readMails } from "../../helpers/mails.ts";
import {
  liveSessions,
  makeSudoToken,
  openEndedSession,
  type SignedIn,
  signIn,
} from "../../helpers/security_scene.ts";
import { fifty, statusesOf } from "../../flows/concurrency_services.ts";
import type { TestApp } from "../../helpers/test_app.ts";

/** Whatever becomes of one account, another one stays as it is. */
const testBeside = besideBystander(testApp);

const OLD = "ada@example.com";
const NEW = "ada@example.org";
const PASSWORD = "a password that is right";
const INVALID = "OTP_INVALID_EXPIRED";
const TOO_MANY = "TOO_MANY_TRANSFER_ATTEMPTS";
const IN_USE = "NEW_EMAIL_ALREADY_IN_USE";
const THREE_DAYS = 72 * 3600;

function initiate(target: TestApp, token: string, email = NEW, suffix = ""): Promise<Answer> {
  return send(target, "POST", `/user/email/initiate${suffix}`, { token, body: { email } });
}

function complete(target: TestApp, token: string, otp: string): Promise<Answer> {
  return send(target, "PUT", "/user/email", { token, body: { otp } });
}

function undo(target: TestApp, token: string): Promise<Answer> {
  return send(target, "POST", "/user/email/undo", { body: { token } });
}

async function emailOf(target: TestApp, userId: number): Promise<unknown> {
  const [row] = await query(target, "SELECT email FROM user_account WHERE id = :userId", { userId });
  return row?.["email"];
}

/** Logs in again, because access tokens are only valid for ten minutes. */
async function renew(target: TestApp, ada: SignedIn): Promise<SignedIn> {
  return { userId: ada.userId, ...await target.openSession(ada.userId) };
}

/** Initiates a transfer, and returns the code from its mail. */
async function mailCode(target: TestApp, { accessToken }: { accessToken: string }, email = NEW) {
  assertDone(await initiate(target, accessToken, email));
  return await lastCode(target, "email_transfer_otp");
}

/** Transfers the account, and returns the token of the link that undoes it. */
async function transfer(target: TestApp, ada: SignedIn, email = NEW): Promise<string> {
  assertDone(await complete(target, ada.accessToken, await mailCode(target, ada, email)));
  return await lastLinkToken(target, "email_transferred_old");
}

testBeside("a transfer moves the account, ends other sessions and mails both addresses", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  await target.openSession(ada.userId);
  await openEndedSession(target, ada.userId);
  const sudo = await makeSudoToken(target, ada);
  assertDone(await initiate(target, sudo, ` ${NEW.toUpperCase()} `));
  const mail = await lastMail(target, "email_transfer_otp");
  assert.deepEqual([mail.recipient, mail.expiresAt - mail.createdAt], [NEW, 600_000]);
  const code = await lastCode(target, "email_transfer_otp");
  assert.equal(await emailOf(target, ada.userId), OLD);
  assertDone(await complete(target, ada.accessToken, code.toLowerCase()));
  assert.equal(await emailOf(target, ada.userId), NEW);
  assert.deepEqual(await liveSessions(target, ada.userId), [ada.sessionId]);
  assertError(await initiate(target, sudo), 401, UNVERIFIED, "an earlier sudo token");
  assertError(await complete(target, ada.accessToken, code), 401, INVALID);
  assert.equal((await login(target, NEW, PASSWORD)).status, 200);
  assertError(await login(target, OLD, PASSWORD), 401, "PASSWORD_INCORRECT");
  assert.equal((await lastMail(target, "email_transferred")).recipient, NEW);
  const notice = await lastMail(target, "email_transferred_old");
  assert.deepEqual([notice.recipient, notice.expiresAt - notice.createdAt], [OLD, THREE_DAYS * 1000]);
  assert.match(notice.params["link"] ?? "", /^https:\/\/rolegrid\.test\/undo-email-transfer#token=/);
  const events = await query(
    target,
    "SELECT event, result FROM security_event WHERE event LIKE 'email%' ORDER BY id",
  );
  assert.deepEqual(events.slice(0, 2), [
    { event: "email.initiate", result: "ok" },
    { event: "email.transfer", result: "ok" },
  ]);
});

testBeside("another user's code is refused", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  const bob = await signIn(target, "bob@example.com", PASSWORD);
  assertError(await complete(target, ada.accessToken, "123456"), 401, INVALID, "nothing was initiated");
  const code = await mailCode(target, ada);
  assertDone(await initiate(target, bob.accessToken, "bob@example.org"));
  if (code !== await lastCode(target, "email_transfer_otp")) {
    assertError(await complete(target, bob.accessToken, code), 401, INVALID);
  }
  assertDone(await complete(target, ada.accessToken, code));
  assert.equal(await emailOf(target, bob.userId), "bob@example.com");
});

testBeside("a code works for ten minutes, and ends with the fifth wrong guess", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  assertDone(await initiate(target, ada.accessToken));
  target.clock.advance(599);
  const code = await lastCode(target, "email_transfer_otp");
  for (let i = 0; i < 4; i++) {
    assertError(await complete(target, ada.accessToken, otherCode(code)), 401, INVALID);
  }
  target.clock.advance(1);
  const again = await renew(target, ada);
  assertError(await complete(target, again.accessToken, code), 401, INVALID, "too late");
  const second = await mailCode(target, again);
  for (let i = 0; i < 5; i++) {
    assertError(await complete(target, again.accessToken, otherCode(second)), 401, INVALID);
  }
  assertError(await complete(target, again.accessToken, second), 401, INVALID, "used up");
  target.clock.advance(60);
  assertDone(await complete(target, again.accessToken, await mailCode(target, again)));
});

testBeside("codes are mailed at most once a minute and three times an hour", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  for (const wait of [60, 60, 3480]) {
    assertDone(await initiate(target, (await renew(target, ada)).accessToken));
    const { accessToken } = await renew(target, ada);
    assertWait(await initiate(target, accessToken, "x@example.org"), TOO_MANY, wait);
    target.clock.advance(wait - 1);
    assertWait(await initiate(target, (await renew(target, ada)).accessToken), TOO_MANY, 1);
    target.clock.advance(1);
  }
  assertDone(await initiate(target, (await renew(target, ada)).accessToken));
  assert.equal((await readMails(target, "email_transfer_otp")).length, 4);
});

forEachApp("of fifty concurrent initiations and right codes, one each succeeds", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  const begun = await fifty(() => initiate(target, ada.accessToken));
  assert.deepEqual(statusesOf(begun), { 200: 1, 429: 49 });
  const code = await lastCode(target, "email_transfer_otp");
  const done = await fifty(() => complete(target, ada.accessToken, code));
  assert.deepEqual(statusesOf(done), { 200: 1, 401: 49 });
  for (const answer of done.filter(({ status }) => status === 401)) assertError(answer, 401, INVALID);
  assert.equal((await readMails(target, "email_transferred")).length, 1);
  assert.equal((await readMails(target, "email_transferred_old")).length, 1);
});

forEachApp("of fifty concurrent wrong codes five count", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  const code = await mailCode(target, ada);
  const guesses = await fifty(() => complete(target, ada.accessToken, otherCode(code)));
  for (const answer of guesses) assertError(answer, 401, INVALID);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM security_event WHERE result = 'wrong'"), 5);
  assertError(await complete(target, ada.accessToken, code), 401, INVALID);
});

testApp("only a caller with the code mailed to an address learns that it is taken", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  await signIn(target, NEW, PASSWORD);
  for (const email of [NEW, OLD]) {
    const code = await mailCode(target, ada, email.toUpperCase());
    assert.equal((await lastMail(target, "email_transfer_otp")).recipient, email);
    assertError(await complete(target, ada.accessToken, otherCode(code)), 401, INVALID);
    assertError(await complete(target, ada.accessToken, code), 409, IN_USE);
    target.clock.advance(60);
  }
  assert.equal(await emailOf(target, ada.userId), OLD);
  assert.deepEqual(await query(target, "SELECT * FROM undo_link"), []);
});

forEachApp("of two accounts that complete transfers to one address at once, one gets it", async (target) => {
  const codes: [SignedIn, string][] = [];
  for (const email of [OLD, "bob@example.com"]) {
    const user = await signIn(target, email, PASSWORD);
    codes.push([user, await mailCode(target, user)]);
  }
  const answers = await Promise.all(codes.map(([user, code]) => complete(target, user.accessToken, code)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
});

testBeside("for three days, the old address is reserved and another transfer refused", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  const bob = await signIn(target, "bob@example.com", PASSWORD);
  await transfer(target, ada);
  target.clock.advance(THREE_DAYS - 1);
  const later = await renew(target, ada);
  assertError(await initiate(target, later.accessToken, "third@example.com"), 409, "TRANSFER_TOO_SOON");
  const bobLater = await renew(target, bob);
  assertDone(await initiate(target, bobLater.accessToken, OLD));
  const code = await lastCode(target, "email_transfer_otp");
  assertError(await complete(target, bobLater.accessToken, code), 409, IN_USE);
  target.clock.advance(1);
  assertDone(await complete(target, bobLater.accessToken, code));
  assertDone(await initiate(target, later.accessToken, "third@example.com"));
  assert.equal(await emailOf(target, bob.userId), OLD);
});

testBeside("an account cannot be deleted while its transfer can be undone", async (target) => {
  const thief = await signIn(target, OLD, PASSWORD);
  const token = await transfer(target, thief);
  const leave = async (): Promise<Answer> =>
    await send(target, "DELETE", "/user", { token: (await renew(target, thief)).accessToken });
  assertError(await leave(), 409, "TRANSFER_TOO_SOON");
  assertDone(await undo(target, token));
  assert.equal(await emailOf(target, thief.userId), OLD);
  assertDone(await leave());
});

testBeside("an invitation to a reserved address gets a 403", async (target) => {
  const root = await target.bootstrapRoot("admin@example.com", "Root");
  const ada = await signIn(target, OLD, PASSWORD);
  await transfer(target, ada);
  const invite = async (email: string): Promise<number> => {
    const token = await target.accessToken(root.userId);
    return (await send(target, "PUT", `/v1/role/${root.roleId}/member?userEmail=${email}`, { token })).status;
  };
  assert.equal(await invite(OLD), 403);
  assert.equal(await invite(NEW), 200);
  target.clock.advance(THREE_DAYS);
  assert.equal(await invite(OLD), 200);
});

testBeside("an undo restores the address, ends all sessions and clears the password", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  const token = await transfer(target, ada);
  const thief = await renew(target, ada);
  await openEndedSession(target, ada.userId);
  const sudo = await makeSudoToken(target, thief);
  assertError(await undo(target, (token.startsWith("A") ? "B" : "A") + token.slice(1)), 401, INVALID);
  assertDone(await undo(target, token));
  assertError(await undo(target, token), 401, INVALID);
  assert.equal(await emailOf(target, ada.userId), OLD);
  assert.deepEqual(await liveSessions(target, ada.userId), []);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM change_log"), 0, "there was nothing to void");
  for (const used of [thief.accessToken, sudo]) assertError(await initiate(target, used), 401, UNVERIFIED);
  assertError(await login(target, OLD, PASSWORD), 401, "PASSWORD_INCORRECT");
  assertError(await login(target, NEW, PASSWORD), 401, "PASSWORD_INCORRECT");
  const told = (await readMails(target, "transfer_undone")).map(({ recipient }) => recipient);
  assert.deepEqual(told.toSorted(), [OLD, NEW].toSorted());
  await send(target, "POST", "/user/password/reset/send", { body: { email: OLD } });
  const otp = await lastCode(target, "password_reset_otp");
  const body = { userEmail: OLD, otp, newPassword: PASSWORD };
  assertDone(await send(target, "PUT", "/user/password/otp", { body }));
  assert.equal((await login(target, OLD, PASSWORD)).status, 200);
  target.clock.advance(60);
  await transfer(target, await renew(target, ada), "third@example.com");
  assertError(await undo(target, token), 401, INVALID, "a later transfer");
  assert.equal(await emailOf(target, ada.userId), "third@example.com");
});

testBeside("an undo voids the role passwords set since three days before, and no others", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot(OLD, "Root");
  let ada = await target.openSession(userId);
  const { userId: otherId } = await target.createUser("other@example.com");
  let other = await target.openSession(otherId);
  const add = `/v1/role/${roleId}/member?userEmail=other@example.com`;
  assert.equal((await send(target, "PUT", add, { token: ada.accessToken })).status, 200);
  const roleIds: number[] = [];
  for (let i = 0; i < 5; i++) {
    roleIds.push((await createRole(target, ada.accessToken, roleId, `Role ${i}`)).roleId);
  }
  const setPassword = async (token: string, i: number): Promise<void> => {
    target.clock.advance(1);
    const body = { password: "open sesame, open" };
    assertDone(await send(target, "PUT", `/v1/role/${roleIds[i]}/password`, { token, body }));
  };
  await setPassword(ada.accessToken, 0);
  await setPassword(ada.accessToken, 4);
  target.clock.advance(72 * 3600);
  ada = await target.openSession(userId);
  other = await target.openSession(otherId);
  assertDone(await initiate(target, ada.accessToken));
  await setPassword(ada.accessToken, 1);
  assertDone(await complete(target, ada.accessToken, await lastCode(target, "email_transfer_otp")));
  await setPassword(ada.accessToken, 2);
  await setPassword(other.accessToken, 3);
  const known = async (): Promise<unknown[]> => {
    const answers = [];
    for (const id of roleIds) {
      const { body } = await send(target, "GET", `/v1/role/${id}/password`, { token: other.accessToken });
      const { set, setBy, works } = body as Record<string, unknown>;
      answers.push([set, setBy, works]);
    }
    return answers;
  };
  const [hers, others, voided] = [[true, userId, true], [true, otherId, true], [true, null, false]];
  assert.deepEqual(await known(), [hers, hers, hers, others, hers]);
  assertDone(await undo(target, await lastLinkToken(target, "email_transferred_old")));
  assert.deepEqual(await known(), [hers, voided, voided, others, voided]);
  const rows = await query(
    target,
    "SELECT actor_id AS actorId, details FROM change_log WHERE kind = 'role.password_voided'",
  );
  assert.deepEqual(rows, [
    { actorId: userId, details: JSON.stringify({ roleIds: [roleIds[1], roleIds[2], roleIds[4]] }) },
  ]);
});

forEachApp("an undo deletes the keys made since three days before, and no others", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot(OLD, "Root");
  const { userId: otherId } = await target.createUser("other@example.com");
  let ada = await target.openSession(userId);
  const add = `/v1/role/${roleId}/member?userEmail=other@example.com`;
  assert.equal((await send(target, "PUT", add, { token: ada.accessToken })).status, 200);
  const make = async (token: string, name: string): Promise<string> => {
    target.clock.advance(1);
    const made = await send(target, "POST", `/v1/role/${roleId}/key`, { token, body: { name } });
    return (made.body as { secret: string }).secret;
  };
  const secrets = [await make(ada.accessToken, "old")];
  target.clock.advance(72 * 3600);
  ada = await target.openSession(userId);
  const other = await target.openSession(otherId);
  secrets.push(await make(ada.accessToken, "before"));
  assertDone(await complete(target, ada.accessToken, await mailCode(target, ada)));
  secrets.push(await make(ada.accessToken, "after"), await make(other.accessToken, "another's"));
  const statusOf = async (token: string) => (await send(target, "POST", "/v1/role/query", { token })).status;
  const statuses = () => Promise.all(secrets.map(statusOf));
  assert.deepEqual(await statuses(), [200, 200, 200, 200]);
  assertDone(await undo(target, await lastLinkToken(target, "email_transferred_old")));
  assert.deepEqual(await statuses(), [200, 401, 401, 200]);
  const rows = await query(
    target,
    `SELECT actor_id AS actorId, role_id AS roleId, subject_id = -relation_id AS isKey, details FROM change_log
     WHERE kind = 'key.delete' ORDER BY rev`,
  );
  const deleted = { actorId: userId, roleId, isKey: 1 };
  assert.deepEqual(
    rows,
    ["before", "after"].map((name) => ({ ...deleted, details: JSON.stringify({ name }) })),
  );
  assert.equal(await queryNumber(target, "SELECT count(*) FROM member WHERE user_id < 0"), 2);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role_key"), 2);
});

forEachApp("an undo link works once within three days, also after a password change", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  const token = await transfer(target, ada);
  const body = { oldPassword: PASSWORD, newPassword: "another person's password" };
  assertDone(await send(target, "PUT", "/user/password/old-password", { token: ada.accessToken, body }));
  target.clock.advance(THREE_DAYS - 1);
  assert.deepEqual(statusesOf(await fifty(() => undo(target, token))), { 200: 1, 401: 49 });
  assert.equal((await readMails(target, "transfer_undone")).length, 2);
});

testBeside("an undo link expires after three days", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  const token = await transfer(target, ada);
  target.clock.advance(THREE_DAYS);
  assertError(await undo(target, token), 401, INVALID);
  assert.equal(await emailOf(target, ada.userId), NEW);
});

testBeside("a link of one purpose is refused for another", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  await send(target, "POST", "/user/password/reset/email", { body: { email: OLD } });
  assertError(await undo(target, await lastLinkToken(target, "password_reset_link")), 401, INVALID);
  const token = await transfer(target, ada);
  const body = { token, newPassword: "another good password" };
  assertError(await send(target, "PUT", "/user/password/link", { body }), 401, INVALID);
  assertDone(await undo(target, token));
});

testBeside("the mail has the requested language and sender; malformed requests get a 400", async (target) => {
  const ada = await signIn(target, OLD, PASSWORD);
  assertDone(await initiate(target, ada.accessToken, NEW, "?origin=acme&language=de"));
  const { language, brand } = await lastMail(target, "email_transfer_otp");
  assert.deepEqual([language, brand], ["de", "acme"]);
  assertError(await initiate(target, ada.accessToken, NEW, "?origin=unknown"), 400, MALFORMED);
  for (const email of ["", "ada", `${"a".repeat(250)}@example.com`]) {
    assertError(await initiate(target, ada.accessToken, email), 400, MALFORMED);
  }
  for (const otp of ["", "12345", "1234567"]) {
    assertError(await complete(target, ada.accessToken, otp), 400, MALFORMED);
  }
  for (const token of ["", "x".repeat(129)]) assertError(await undo(target, token), 400, MALFORMED);
});
