/** Refusals that changed nothing share rows of the logs, so that no caller can fill these. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import { assertError, DENIED, forEachApp, login, query, queryNumber, send } from "../helpers/http.ts";
import { bootstrap, invite, type Person } from "../helpers/person.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { signIn } from "../helpers/security_scene.ts";
import { createSpyHasher } from "../helpers/spy_hasher.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";

interface Refusal {
  readonly rev: number;
  readonly kind: string;
  readonly roleId: number | null;
  readonly decision: string;
  readonly attempts: number;
  readonly at: number;
}

async function refusals(target: TestApp): Promise<Refusal[]> {
  return await query<Refusal>(
    target,
    `SELECT rev, kind, role_id AS roleId, decision, attempts, at FROM change_log
     WHERE decision NOT IN ('ok', 'noop') ORDER BY rev`,
  );
}

async function setScene(target: TestApp): Promise<{ admin: Person; guest: Person; rootId: number }> {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  return { admin, guest: await invite(target, admin, roleId, "guest@example.com"), rootId };
}

const update = (person: Person, roleId: number, name = "Mine") =>
  person.ask("PUT", `/v1/role/${roleId}`, { name, selfRights: rights() });

forEachApp("equal refusals share one row a minute, which counts them", async (target) => {
  const { guest, rootId } = await setScene(target);
  const before = await queryNumber(target, "SELECT count(*) FROM change_log");
  for (let i = 0; i < 20; i++) {
    const names = Array.from({ length: 10 }, (_, k) => `Mine ${i} ${k}`);
    const answers = await Promise.all(names.map((name) => update(guest, rootId, name)));
    for (const answer of answers) assertError(answer, 403, DENIED);
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM change_log") - before, 1);
  target.clock.advance(60);
  assertError(await update(guest, rootId), 403, DENIED);
  const [first, second, ...others] = await refusals(target);
  assert.deepEqual(others, []);
  assert.deepEqual([first?.attempts, second?.attempts], [200, 1]);
  assert.deepEqual([first?.roleId, first?.kind, first?.decision], [rootId, "role.update", "denied"]);
  assert.equal(first?.at, target.clock.now() - 60_000, "the time is that of the first");
});

forEachApp("refusals of another user, kind, target or reason have rows of their own", async (target) => {
  const { admin, guest, rootId } = await setScene(target);
  const roleId = await admin.create(rootId, "Other");
  const other = await invite(target, admin, roleId, "other@example.com");
  for (let i = 0; i < 2; i++) {
    for (const person of [guest, other]) {
      assertError(await update(person, rootId), 403, DENIED);
      assertError(await update(person, 999_999), 403, DENIED);
      assertError(await person.ask("PUT", `/v1/role/${rootId}/password`, { password: null }), 403, DENIED);
      assertError(await person.ask("DELETE", `/v1/role/${rootId}/member/999999`), 403, DENIED);
    }
    const put = (childId: number) =>
      admin.ask("PUT", `/v1/role/${roleId}/manages?childRoleId=${childId}`, rights());
    assertError(await put(rootId), 403, DENIED);
    assert.equal((await put(roleId)).status, 409, "a cycle");
  }
  const found = await refusals(target);
  assert.equal(found.length, 10);
  assert.deepEqual(new Set(found.map(({ attempts }) => attempts)), new Set([2]));
});

forEachApp("after sixty rows in a minute, refusals of all targets share rows", async (target) => {
  const { guest } = await setScene(target);
  for (let i = 0; i < 100; i++) assertError(await update(guest, 1_000_000 + i), 403, DENIED);
  assertError(await guest.ask("DELETE", "/v1/role/5000000/member/999999"), 403, DENIED);
  const found = await refusals(target);
  assert.equal(found.length, 62);
  assert.deepEqual(found.slice(60).map(({ kind, roleId, attempts }) => [kind, roleId, attempts]), [
    ["role.update", null, 40],
    ["member.remove", 5_000_000, 1],
  ]);
});

forEachApp("a merged refusal advances the revision, and each success has its own row", async (target) => {
  const { admin, guest, rootId } = await setScene(target);
  const roleId = await admin.create(rootId, "Updated");
  const revisions: number[] = [];
  for (const name of ["one", "two", "two"]) {
    for (const person of [guest, admin, guest]) {
      const answer = await update(person, roleId, name);
      assert.equal(answer.status, person === admin ? 200 : 403);
      revisions.push(Number(answer.headers.get("X-Rolegrid-Revision")));
    }
  }
  assert.deepEqual(revisions, revisions.map((_, i) => (revisions[0] ?? 0) + i));
  const decisions = await query<{ decision: string; attempts: number }>(
    target,
    "SELECT decision, attempts FROM change_log WHERE kind = 'role.update' ORDER BY rev",
  );
  const counted = decisions.map(({ decision, attempts }) => `${decision} ${attempts}`);
  assert.deepEqual(counted, ["denied 6", "ok 1", "ok 1", "noop 1"]);
});

forEachApp("attempts that are refused unchecked share a row of the security log", async (target) => {
  const { userId, accessToken } = await signIn(target, "ada@example.com", "a password that is right");
  const { accessTokens } = target.deps;
  const claims = await accessTokens.verify(accessToken);
  // Too late to count as proof.
  target.clock.advance(901);
  const token = await accessTokens.sign(claims);
  const refuse = async (method: string, path: string, body?: unknown): Promise<void> => {
    for (let i = 0; i < 5; i++) {
      const { status } = await send(target, method, path, body === undefined ? { token } : { token, body });
      assert.ok(status >= 400, `${path}: ${status}`);
    }
  };
  await refuse("POST", "/user/2fa/totp/authenticate", { totp: "123456" });
  await refuse("POST", "/user/2fa/totp/enable", { totp: "123456" });
  await refuse("POST", "/user/2fa/email-otp/challenge");
  await refuse("DELETE", "/user/session/unknown");
  await refuse("PUT", "/user/email", { otp: "123456" });
  await refuse("POST", "/user/2fa/recovery-code/authenticate", { recoveryCode: "0000-0000-0000" });
  await refuse("DELETE", "/user/2fa/totp");
  await refuse("POST", "/user/2fa/totp/setup");
  await refuse("POST", "/user/2fa/email-otp/setup", { email: "codes@example.com" });
  await refuse("POST", "/user/email/initiate", { email: "new@example.com" });
  await refuse("DELETE", "/user");
  const guess = { password: "not the right password" };
  for (let i = 0; i < 12; i++) {
    await send(target, "POST", "/user/password/authenticate", { token, body: guess });
  }
  const rows = await query<{ event: string; result: string; attempts: number }>(
    target,
    `SELECT event, result, attempts FROM security_event WHERE user_id = ${userId} ORDER BY id`,
  );
  assert.deepEqual(rows.map(({ event, result, attempts }) => `${event} ${result} ${attempts}`), [
    "totp.authenticate uninitialized 5",
    "totp.activate uninitialized 5",
    "email_otp.challenge uninitialized 5",
    "session.end denied 5",
    "email.transfer no_code 5",
    "recovery_code.authenticate uninitialized 5",
    "totp.deactivate proof_required 5",
    "totp.setup proof_required 5",
    "email_otp.setup proof_required 5",
    "email.initiate proof_required 5",
    "account.delete proof_required 5",
    ...Array.from({ length: 4 }, () => "password.prove wrong 1"),
    "password.prove waiting 8",
  ]);
  target.clock.advance(60);
  await send(target, "DELETE", "/user/session/unknown", { token });
  const { body } = await send(target, "GET", "/user/security-log?limit=1", { token });
  const [event] = (body as { event: { event: string; attempts: number }[] }).event;
  assert.deepEqual([event?.event, event?.attempts], ["session.end", 1]);
});

forEachApp("logins refused for lack of hashing capacity share a row of the security log", async (target) => {
  const { userId } = await target.createUser("ada@example.com");
  for (let i = 0; i < 5; i++) {
    for (const name of ["ada@example.com", `unknown${i}@example.com`]) {
      assert.equal((await login(target, name, "whatever it is")).status, 503);
    }
  }
  const rows = await query<{ userId: number | null; result: string; attempts: number }>(
    target,
    "SELECT user_id AS userId, result, attempts FROM security_event ORDER BY id",
  );
  assert.deepEqual(rows.map((row) => ({ ...row })), [
    { userId, result: "abandoned", attempts: 5 },
    { userId: null, result: "abandoned", attempts: 5 },
  ]);
  assert.equal(await queryNumber(target, "SELECT coalesce(sum(count), 0) FROM throttle"), 0);
}, (kind) => {
  const hasher = createSpyHasher(() => {
    throw new AppError("UNAVAILABLE", { retryAfterSeconds: 1 });
  });
  return openTestApp(kind, { passwords: hasher, hasher });
});

forEachApp("beyond sixty a minute, a user's successes share rows, and each counts", async (target) => {
  const { admin } = await bootstrap(target);
  for (let i = 0; i < 100; i++) await admin.delete("/user/session");
  const count = (of: string): Promise<number> =>
    queryNumber(target, `SELECT ${of} FROM security_event WHERE event = 'session.end'`);
  assert.equal(await count("sum(attempts)"), 100);
  assert.ok(await count("count(*)") <= 60);
  target.clock.advance(60);
  await admin.delete("/user/session");
  await admin.delete("/user/session");
  const later = "sum(merge_key IS NULL AND at > (SELECT min(at) FROM security_event) + 59000)";
  assert.equal(await count(later), 2);
});
