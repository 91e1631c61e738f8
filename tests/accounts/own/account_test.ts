/** A user's own account: language, security log, export and deletion. */
import assert from "node:assert/strict";
import { FIND_ACCOUNT } from "../../../src/accounts/own/account_queries.ts";
import { EXPORT_LISTS, EXPORT_PAGES } from "../../../src/accounts/own/export_queries.ts";
import { readTogether } from "../../../src/db/rows.ts";
import type { SqlArgs, Statement } from "../../../src/db/statement.ts";
import { LIST_SESSIONS } from "../../../src/identity/session_queries.ts";
import {
  type Answer,
  assertDone,
  assertError,
  DENIED,
  execute,
  forEachApp,
  login,
  logInFully,
  MALFORMED,
  query,
  queryNumber,
  send,
  succeed,
  testApp,
  UNVERIFIED,
} from "../../helpers/http.ts";
import { besideBystander } from "../../helpers/bystander.ts";
import { rights } from "../../every_operation/request_catalogue.ts";
import { lastCode, readMails } from "../../helpers/mails.ts";
import { activateFactor, makeSudoToken, signIn } from "../../helpers/security_scene.ts";
import type { TestApp } from "../../helpers/test_app.ts";

/** Whatever becomes of one account, another one stays as it is. */
const testBeside = besideBystander(testApp);

const EMAIL = "ada@example.com";
const PASSWORD = "a password that is right";

interface Events {
  readonly event: { at: string; event: string; result: string; sessionId: string; address: string }[];
  readonly nextCursor: string | null;
}

testBeside("users see their account and set its language", async (target) => {
  const { userId, accessToken: token } = await signIn(target, EMAIL, PASSWORD);
  const account = { id: userId, email: EMAIL, language: "en", createdAt: "2026-01-01T00:00:00.000Z" };
  const own = { ...account, memberOf: [], dormant: [], dormantFrom: [] };
  assert.deepEqual(await succeed(target, "GET", "/user", { token }), own);
  const body = { ...own, language: "NL" };
  assert.deepEqual(await succeed(target, "PUT", "/user", { token, body }), { ...account, language: "nl" });
  assert.deepEqual(await succeed(target, "GET", "/user", { token }), { ...own, language: "nl" });
  assert.deepEqual(await succeed(target, "PUT", "/user", { token, body: { language: "xx" } }), account);
  for (const wrong of [{}, { language: "eng" }, { language: 1 }, { language: "nl", password: "x" }]) {
    assertError(await send(target, "PUT", "/user", { token, body: wrong }), 400, MALFORMED);
  }
});

testBeside("the security log lists the user's own events, newest first and in pages", async (target) => {
  const ada = await signIn(target, EMAIL, PASSWORD);
  await signIn(target, "bob@example.com", PASSWORD);
  const empty = await succeed<Events>(target, "GET", "/user/security-log", { token: ada.accessToken });
  assert.deepEqual(empty, { event: [], nextCursor: null });
  await login(target, EMAIL, "wrong", { from: "203.0.113.9" });
  await login(target, "bob@example.com", "wrong");
  target.clock.advance(1);
  const { accessToken: token } = await logInFully(target, EMAIL, PASSWORD);
  await succeed(target, "POST", "/user/password/authenticate", { token, body: { password: PASSWORD } });
  const all = await succeed<Events>(target, "GET", "/user/security-log", { token });
  assert.deepEqual(all.event.map(({ event, result }) => `${event} ${result}`), [
    "password.prove ok",
    "login ok",
    "login wrong",
  ]);
  assert.equal(all.event[2]?.address, "203.0.113.9");
  assert.equal(all.event[2]?.sessionId, null);
  assert.equal(all.event[1]?.at, "2026-01-01T00:00:01.000Z");
  assert.equal(all.nextCursor, null);
  const pages: Events["event"] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const path = `/user/security-log?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const page: Events = await succeed<Events>(target, "GET", path, { token });
    pages.push(...page.event);
    cursor = page.nextCursor;
  }
  assert.deepEqual(pages, all.event);
  for (const query of ["limit=0", "limit=1001", "cursor=x", "cursor=-1", "other=1"]) {
    assertError(await send(target, "GET", `/user/security-log?${query}`, { token }), 400, MALFORMED, query);
  }
});

/** A user with rows in every table. */
async function fill(target: TestApp): Promise<{ userId: number; token: string; roleId: number }> {
  const { userId, roleId } = await target.bootstrapRoot(EMAIL, "Energy Inc");
  await target.bootstrapRoot("other@example.com", "Another");
  await target.setPassword(userId, PASSWORD);
  const { accessToken: token } = await logInFully(target, EMAIL, PASSWORD);
  await succeed(target, "PUT", `/v1/role/${roleId}/member?userEmail=bob@example.com`, { token });
  await send(target, "POST", "/user/password/reset/email", { body: { email: EMAIL } });
  await send(target, "POST", "/user/password/reset/send", { body: { email: EMAIL }, from: "198.51.100.1" });
  await succeed(target, "POST", "/user/email/initiate", { token, body: { email: "ada@example.org" } });
  const otp = await lastCode(target, "email_transfer_otp");
  await succeed(target, "PUT", "/user/email", { token, body: { otp } });
  await login(target, "ada@example.org", "wrong");
  return { userId, token, roleId };
}

testBeside("the export holds everything about the user, and no hash or secret", async (target) => {
  const { userId, token, roleId } = await fill(target);
  await activateFactor(target, userId);
  const answer = await send(target, "GET", "/user/export", { token });
  assert.equal(answer.status, 200);
  const data = answer.body as Record<string, Record<string, unknown>[]> & {
    account: Record<string, unknown>;
  };
  assert.equal(data.account["email"], "ada@example.org");
  assert.equal(data.account["hasPassword"], true);
  const memberships = data["membership"]?.map(({ roleId: id, roleName }) => [id, roleName]);
  assert.deepEqual(memberships, [[roleId, "Energy Inc"]]);
  assert.equal(data["session"]?.length, 1);
  assert.deepEqual(data["knownAddress"]?.map(({ address }) => address), ["192.0.2.1"]);
  const factors = data["secondFactor"]?.map(({ kind, email }) => [kind, email]);
  assert.deepEqual(factors, [["email_otp", "factor@example.com"]]);
  const purposes = data["code"]?.map(({ purpose }) => purpose).toSorted();
  assert.deepEqual(purposes, ["email_transfer", "password_reset"]);
  assert.deepEqual(data["passwordLink"]?.map(({ purpose }) => purpose), ["invitation", "reset"]);
  assert.deepEqual(data["undoLink"]?.map(({ email }) => email), [EMAIL]);
  assert.deepEqual(data["reservedEmail"], [{ email: EMAIL, reservedUntil: "2026-01-04T00:00:00.000Z" }]);
  assert.ok((data["mail"]?.length ?? 0) >= 4);
  const log = await succeed<Events>(target, "GET", "/user/security-log", { token });
  assert.deepEqual(data["event"], log.event);
  const secrets = ["one_time_code", "password_link", "undo_link"].map((table) => `mac FROM ${table}`);
  for (const column of ["password_hash FROM user_account", "family_hash FROM session", ...secrets]) {
    for (const row of await query(target, `SELECT ${column}`)) {
      const [secret] = Object.values(row);
      assert.ok(secret === null || !answer.text.includes(String(secret)), column);
    }
  }
  assert.ok(!answer.text.includes("bob@example.com") && !answer.text.includes("other@example.com"));
});

testBeside("the export has all pages of events in one list, which may be empty", async (target) => {
  const { userId, accessToken: token } = await signIn(target, EMAIL, PASSWORD);
  const exported = () => succeed<Events>(target, "GET", "/user/export", { token });
  assert.deepEqual((await exported()).event, []);
  // More than two pages of the export.
  await execute(
    target,
    `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < 2001)
      INSERT INTO security_event (op_id, at, event, result, user_id)
      SELECT 'numbered ' || n, n, 'login', n, :userId FROM numbered ORDER BY n`,
    { userId },
  );
  const results = (await exported()).event.map(({ result }) => result);
  assert.deepEqual(results, Array.from({ length: 2001 }, (_, i) => String(2001 - i)));
});

const USER_TABLES = [
  "session",
  "known_address",
  "password_link",
  "one_time_code",
  "undo_link",
  "reserved_email",
  "second_factor",
  "recovery_code",
  "partial_login",
  "member",
];

const ADD_CODE_AND_SIGN_IN = [
  "INSERT INTO recovery_code (user_id, position, hash) VALUES (:userId, 0, 'hash')",
  `INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client)
   VALUES ('partial', :userId, 0, 0, 0, 'test')`,
];

testApp("deleting an account deletes all data about its user but their id in the log", async (target) => {
  const { userId, roleId } = await fill(target);
  // Their last transfer can be undone for three days. Until then the account cannot be deleted.
  target.clock.advance(72 * 3600);
  const session = { userId, ...await target.openSession(userId) };
  const token = session.accessToken;
  const counted = `SELECT count(*) FROM throttle WHERE key = '${userId}'`;
  const guess = await send(target, "PUT", `/v1/role/${roleId}/manages?childRoleId=999`, {
    token,
    headers: { "X-Child-Role-Password": "a wrong password" },
    body: rights(),
  });
  assertError(guess, 403, DENIED);
  await succeed(target, "POST", `/v1/role/${roleId}/key`, { token, body: { name: "Gateway" } });
  assert.ok(await queryNumber(target, counted) >= 2, "a guess, and a mail about a key");
  await activateFactor(target, userId);
  await execute(target, ADD_CODE_AND_SIGN_IN, { userId });
  const rows = (table: string) =>
    queryNumber(target, `SELECT count(*) FROM ${table} WHERE user_id = ${userId}`);
  for (const table of USER_TABLES) assert.notEqual(await rows(table), 0, table);
  assertDone(await send(target, "DELETE", "/user", { token: await makeSudoToken(target, session) }));
  assert.equal(await queryNumber(target, counted), 0, "counters");
  for (const table of USER_TABLES) assert.equal(await rows(table), 0, table);
  assert.equal(await queryNumber(target, `SELECT count(*) FROM user_account WHERE id = ${userId}`), 0);
  const events = `SELECT count(*) FROM security_event WHERE user_id = ${userId}`;
  assert.equal(await queryNumber(target, `${events} AND address IS NOT NULL`), 0);
  assert.ok(await queryNumber(target, events) > 3);
  const [left] = await query(
    target,
    "SELECT kind, decision, gone_relation_ids AS gone FROM change_log ORDER BY rev DESC LIMIT 1",
  );
  assert.equal(left?.["kind"], "member.leave");
  assert.equal(JSON.parse(String(left?.["gone"])).length, 1);
  const people = `SELECT count(*) FROM member WHERE role_id = ${roleId} AND user_id > 0`;
  assert.equal(await queryNumber(target, people), 1);
  assert.equal((await readMails(target, "account_deleted"))[0]?.recipient, "ada@example.org");
  assertError(await send(target, "GET", "/user", { token }), 401, UNVERIFIED);
  assertError(await login(target, "ada@example.org", PASSWORD), 401, "PASSWORD_INCORRECT");
  const { userId: next } = await target.createUser("ada@example.org");
  assert.ok(next > userId, "an id was reused");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM member"), 3, "others and the key stay");
});

forEachApp("the last member of a root, or one of two at once, keeps their account", async (target) => {
  const { userId, roleId } = await target.bootstrapRoot(EMAIL, "Energy Inc");
  const ada = await target.openSession(userId);
  const leave = (token: string): Promise<Answer> => send(target, "DELETE", "/user", { token });
  assertError(await leave(ada.accessToken), 409, "The root role would be left without a member");
  assert.equal((await send(target, "GET", "/user", { token: ada.accessToken })).status, 200);
  const path = `/v1/role/${roleId}/member?userEmail=bob@example.com`;
  await succeed(target, "PUT", path, { token: ada.accessToken });
  const { accessToken } = await target.createUser("bob@example.com");
  const answers = await Promise.all([leave(ada.accessToken), leave(accessToken)]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM member"), 1);
});

testBeside("the reads of a user's own data return nothing once their session has ended", async (target) => {
  const { database, clock } = target;
  const { userId: actorId } = await target.createUser(EMAIL);
  const { sessionId } = await target.openSession(actorId);
  const pages = Object.values(EXPORT_PAGES);
  const reads: Statement[] = [
    ...Object.values(EXPORT_LISTS),
    ...pages.map(({ read }) => read),
    FIND_ACCOUNT,
    LIST_SESSIONS,
  ];
  const now = clock.now();
  const args: SqlArgs = Object.assign(
    { actorId, sessionId, now, beforeAt: now + 1, limit: 10 },
    ...pages.map(({ first }) => first),
  );
  const countRows = async (): Promise<number> => (await readTogether(database, reads, args)).flat().length;
  assert.ok(await countRows() > 0);
  await execute(target, "UPDATE session SET ended_at = 1 WHERE id = :sessionId", { sessionId });
  assert.equal(await countRows(), 0);
});
