/** The administrator's operations on accounts, called directly; `tests/scripts/account_test.ts` runs their task. */
import assert from "node:assert/strict";
import {
  actAsAdministrator,
  type AdministratorAction,
  lookUpAccount,
} from "../../../src/accounts/own/administrator_service.ts";
import {
  assertWait,
  dumpState,
  execute,
  forEachApp,
  login,
  logInFully,
  query,
  queryNumber,
  send,
  testApp,
} from "../../helpers/http.ts";
import { besideBystander } from "../../helpers/bystander.ts";
import { openInvitation } from "../../every_operation/request_catalogue.ts";
import { openEndedSession } from "../../helpers/security_scene.ts";
import { Person } from "../../helpers/person.ts";
import type { TestApp } from "../../helpers/test_app.ts";
import { createKey } from "../../key/key_scene.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "a password that is right";
const INSERT_CODE = "INSERT INTO recovery_code (user_id, position, hash) VALUES (:userId, 0, 'hash')";
const INSERT_PARTIAL = `
  INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client)
  VALUES ('partial', :userId, :now, 0, :now + 600000, 'test')`;

/** Whatever becomes of one account, another one stays as it is. */
const testBeside = besideBystander(testApp);

async function addFactor(
  target: TestApp,
  userId: number,
  kind: string,
  change: { activatedAt?: number | null; failures?: number; nextGuessAt?: number } = {},
): Promise<void> {
  await execute(
    target,
    `INSERT INTO second_factor (user_id, kind, activated_at, failures, next_guess_at, sealed_secret,
       pending_sealed_secret)
     VALUES (:userId, :kind, :activatedAt, :failures, :nextGuessAt, 'sealed', 'sealed too')`,
    { userId, kind, activatedAt: 1, failures: 0, nextGuessAt: 0, ...change },
  );
}

async function account(target: TestApp): Promise<number> {
  const { userId } = await target.createUser(EMAIL);
  await openEndedSession(target, userId);
  await target.setPassword(userId, PASSWORD);
  return userId;
}

const EVENTS =
  "SELECT event, result, actor_id AS actorId, user_id AS userId, session_id AS sessionId FROM security_event";

function act(target: TestApp, action: AdministratorAction, email = EMAIL): Promise<string> {
  return actAsAdministrator(target.deps, email, action);
}

/** The last event, and the mails about the administrator's operations. */
async function traces(target: TestApp): Promise<unknown> {
  const events = await query(target, `${EVENTS} ORDER BY id DESC LIMIT 1`);
  const mails = await query(
    target,
    "SELECT recipient, detail FROM outbox WHERE template = 'operator_action' ORDER BY created_at",
  );
  return { event: events[0], mails };
}

besideBystander(forEachApp)("disabling a factor keeps another's recovery codes", async (target) => {
  const userId = await account(target);
  await addFactor(target, userId, "totp", { failures: 7 });
  await addFactor(target, userId, "email_otp");
  await addFactor(target, userId, "recovery_code");
  await execute(target, [INSERT_CODE, INSERT_PARTIAL], { userId, now: target.clock.now() });
  const disable = (factor: "totp" | "email_otp"): Promise<string> =>
    act(target, { kind: "disableFactor", factor }, "ADA@example.com");
  const counts = (): Promise<unknown> =>
    query(
      target,
      `SELECT (SELECT group_concat(kind) FROM (SELECT kind FROM second_factor WHERE activated_at IS NOT NULL
           AND user_id = :userId ORDER BY kind)) AS kinds,
         (SELECT count(*) FROM recovery_code WHERE user_id = :userId) AS codes,
         (SELECT count(*) FROM session WHERE ended_at IS NULL AND user_id = :userId) AS sessions,
         (SELECT count(*) FROM partial_login WHERE ended_at IS NULL AND user_id = :userId) AS partial,
         (SELECT count(*) FROM second_factor WHERE pending_sealed_secret IS NOT NULL AND user_id = :userId) AS pending,
         (SELECT security_version FROM user_account WHERE id = :userId) AS version`,
      { userId },
    ).then(([row]) => row);
  assert.equal(await disable("totp"), "ok");
  const ended = { sessions: 0, partial: 0, pending: 0 };
  assert.deepEqual(await counts(), { ...ended, kinds: "email_otp,recovery_code", codes: 1, version: 1 });
  const event = { event: "operator.factor_disabled", actorId: null, userId, sessionId: null };
  const mail = { recipient: EMAIL, detail: "factor_disabled" };
  assert.deepEqual(await traces(target), { event: { ...event, result: "ok" }, mails: [mail] });
  assert.equal(await disable("totp"), "inactive");
  assert.deepEqual(await traces(target), { event: { ...event, result: "inactive" }, mails: [mail] });
  assert.equal(await disable("email_otp"), "ok");
  assert.deepEqual(await counts(), { ...ended, kinds: null, codes: 0, version: 2 });
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200, "the password alone signs in");
});

testBeside("waits after wrong passwords and codes end for one account", async (target) => {
  const userId = await account(target);
  const { accessToken } = await logInFully(target, EMAIL, PASSWORD);
  for (let i = 0; i < 4; i++) {
    const body = { oldPassword: "wrong", newPassword: "another good password" };
    await send(target, "PUT", "/user/password/old-password", { token: accessToken, body });
  }
  await target.createUser("bea@example.com");
  await addFactor(target, userId, "totp", { failures: 100, nextGuessAt: Number.MAX_SAFE_INTEGER });
  await addFactor(target, userId + 1, "totp", { failures: 9 });
  for (let i = 0; i < 4; i++) {
    await login(target, EMAIL, "wrong");
    await login(target, "bea@example.com", "wrong");
  }
  assertWait(await login(target, EMAIL, PASSWORD), "TOO_MANY_FAILED_PASSWORD_CHECKS", 30);
  const own = `SELECT count(*) FROM throttle WHERE scope = 'password.own' AND key = '${userId}'`;
  assert.equal(await queryNumber(target, own), 1);
  assert.equal(await act(target, { kind: "unlock" }), "ok");
  assert.equal(await queryNumber(target, own), 0);
  const factors = await query(
    target,
    "SELECT failures, next_guess_at AS next FROM second_factor WHERE user_id >= :userId ORDER BY user_id",
    { userId },
  );
  assert.deepEqual(factors, [{ failures: 0, next: 0 }, { failures: 9, next: 0 }]);
  const counters =
    "SELECT count(*) FROM throttle WHERE scope IN ('password', 'password.strangers_by_network') AND count > 3";
  assert.equal(await queryNumber(target, counters), 4, "those of the other account");
  assertWait(await login(target, "bea@example.com", "wrong"), "TOO_MANY_FAILED_PASSWORD_CHECKS", 30);
  const { text } = await login(target, EMAIL, PASSWORD);
  assert.match(text, /2FA_REQUIRED/, "the password is checked, the factor stays");
  const operator = { event: "operator.unlocked", actorId: null, userId, sessionId: null, result: "ok" };
  const [event] = await query(target, `${EVENTS} WHERE event LIKE 'operator%'`);
  assert.deepEqual(event, operator);
});

testBeside("the administrator ends all sessions of one account", async (target) => {
  const userId = await account(target);
  const other = await target.createUser("bea@example.com");
  const { accessToken, refreshToken } = await logInFully(target, EMAIL, PASSWORD);
  await execute(target, INSERT_PARTIAL, { userId, now: target.clock.now() });
  assert.equal(await act(target, { kind: "endSessions" }), "ok");
  const statusOf = async (path: string, token: string) => (await send(target, "GET", path, { token })).status;
  assert.equal(await statusOf("/user/session", accessToken), 401);
  assert.equal(await statusOf("/auth/accesstoken", refreshToken), 401);
  assert.equal(await statusOf("/user/session", other.accessToken), 200);
  const open = "SELECT count(*) FROM partial_login WHERE ended_at IS NULL AND id = 'partial'";
  assert.equal(await queryNumber(target, open), 0);
  assert.deepEqual(await traces(target), {
    event: { event: "operator.sessions_ended", result: "ok", actorId: null, userId, sessionId: null },
    mails: [{ recipient: EMAIL, detail: "sessions_ended" }],
  });
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200);
});

forEachApp("the administrator ends an account's sessions and all keys that its user made", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot("admin@example.com", "Root");
  const admin = new Person(target, await target.accessToken(userId));
  const path = `/v1/role/${roleId}/member`;
  const { member } = await admin.put<{ member: { id: number } }>(`${path}?userEmail=${EMAIL}`);
  const { userId: madeBy } = await target.createUser(EMAIL);
  const maker = new Person(target, await target.accessToken(madeBy));
  const { secret } = await createKey(maker, roleId);
  const { secret: anothers } = await createKey(admin, roleId);
  await admin.delete(`${path}/${member.id}`);
  assert.equal(await act(target, { kind: "endSessions", keys: true }), "ok");
  const statuses = [secret, anothers, maker.accessToken].map(async (token) =>
    (await send(target, "POST", "/v1/role/query", { token })).status
  );
  assert.deepEqual(await Promise.all(statuses), [401, 200, 401]);
  const done = { event: "operator.sessions_and_keys_ended", result: "ok" };
  assert.deepEqual(await traces(target), {
    event: { ...done, actorId: null, userId: madeBy, sessionId: null },
    mails: [{ recipient: EMAIL, detail: "sessions_and_keys_ended" }],
  });
  const deletions =
    "SELECT actor_id AS actorId, session_id AS sessionId FROM change_log WHERE kind = 'key.delete'";
  assert.deepEqual(await query(target, deletions), [{ actorId: 0, sessionId: "operator" }]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role_key"), 1);
});

testBeside("a resent invitation has a new link in place of the old one", async (target) => {
  await target.bootstrapRoot("admin@example.com", "Another root");
  const { userId: adminId, roleId } = await target.bootstrapRoot("admin@example.com", "Root");
  const token = await target.accessToken(adminId);
  const path = `/v1/role/${roleId}/member?userEmail=${EMAIL}`;
  assert.equal((await send(target, "PUT", path, { token })).status, 200);
  const earlier = await openInvitation(target, EMAIL);
  await send(target, "POST", "/user/password/reset/email", { body: { email: EMAIL } });
  target.clock.advance(1);
  assert.equal(await act(target, { kind: "resendInvitation" }), "ok");
  const resets = "SELECT count(*) FROM password_link WHERE purpose = 'reset' AND ended_at IS NULL";
  assert.equal(await queryNumber(target, resets), 2, "the bystander's, and one that was asked for");
  const names = await query<{ name: string }>(
    target,
    "SELECT role_name AS name FROM outbox WHERE template = 'invitation' AND recipient = :EMAIL",
    { EMAIL },
  );
  assert.deepEqual(names.map(({ name }) => name), ["Root", "Root"]);
  const later = await openInvitation(target, EMAIL);
  assert.notEqual(later, earlier);
  const redeem = (link: string): Promise<number> =>
    send(target, "PUT", "/user/password/link", { body: { token: link, newPassword: PASSWORD } })
      .then(({ status }) => status);
  assert.deepEqual([await redeem(earlier), await redeem(later)], [401, 200]);
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200);
  assert.equal(await act(target, { kind: "resendInvitation" }), "has_password");
  await target.createUser("alone@example.com");
  assert.equal(await act(target, { kind: "resendInvitation" }, "alone@example.com"), "no_role");
  const sent = await query(target, "SELECT detail FROM outbox WHERE template = 'operator_action'");
  assert.deepEqual(sent, [{ detail: "invitation_resent" }]);
});

const ACTIONS: readonly AdministratorAction[] = [
  { kind: "disableFactor", factor: "totp" },
  { kind: "disableFactor", factor: "email_otp" },
  { kind: "unlock" },
  { kind: "endSessions" },
  { kind: "endSessions", keys: true },
  { kind: "resendInvitation" },
];

testBeside("operations on an unknown address write nothing", async (target) => {
  await account(target);
  await login(target, "unknown@example.com", "wrong");
  const counted = "SELECT count(*) FROM throttle";
  const [before, counters] = [await dumpState(target), await queryNumber(target, counted)];
  for (const action of ACTIONS) {
    assert.equal(await act(target, action, "unknown@example.com"), "unknown");
  }
  assert.equal(await lookUpAccount(target.deps, "unknown@example.com"), undefined);
  assert.equal(await dumpState(target), before);
  assert.equal(await queryNumber(target, counted), counters);
  const events = "SELECT count(*) FROM security_event WHERE event LIKE 'operator%'";
  assert.equal(await queryNumber(target, events), 0);
});

testBeside("a look-up shows factors, sessions and events, and no secret", async (target) => {
  const userId = await account(target);
  await addFactor(target, userId, "totp", { failures: 2 });
  await addFactor(target, userId, "email_otp", { activatedAt: null });
  await addFactor(target, userId, "recovery_code");
  const { sessionId } = await target.openSession(userId);
  await execute(target, [
    INSERT_CODE,
    "INSERT INTO recovery_code (user_id, position, hash, used_at) VALUES (:userId, 1, 'used', 1)",
    "UPDATE session SET idle_until = :now WHERE id = :sessionId",
  ], { userId, sessionId, now: target.clock.now() });
  await login(target, EMAIL, "wrong");
  await login(target, "aaron@example.com", "wrong");
  const found = await lookUpAccount(target.deps, " Ada@EXAMPLE.com");
  assert.deepEqual([found?.id, found?.email, found?.hasPassword], [userId, EMAIL, true]);
  const factors = found?.factors.map(({ kind, failures, remaining }) => [kind, failures, remaining]);
  assert.deepEqual(factors, [["recovery_code", 0, 1], ["totp", 2, 0]]);
  assert.equal(found?.sessions.length, 1);
  const events = found?.events.map(({ event, result }) => [event, result]);
  assert.deepEqual(events, [["login", "wrong"], ["logout", "ok"]]);
  assert.doesNotMatch(JSON.stringify(found), /sealed|hash"|argon2/);
});
