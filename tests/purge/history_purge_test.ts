/** The purge ends memberships and keys that are over, and moves the beginning of history. */
import assert from "node:assert/strict";
import { purge } from "../../src/purge/purge_service.ts";
import { PURGE_BATCH } from "../../src/purge/retention.ts";
import { type Answer, execute, forEachApp, queryNumber, testApp } from "../helpers/http.ts";
import { ADMIN } from "../every_operation/request_catalogue.ts";
import { bootstrap, invite, type Member, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { explain } from "../explain/explain_scene.ts";
import { createKey } from "../key/key_scene.ts";

const DAY = 86_400;

async function purgedRows(target: TestApp, historyDays = 400): Promise<Record<string, number | undefined>> {
  const counts = await purge({ ...target.deps, historyDays });
  return Object.fromEntries(counts.map(({ what, rows }) => [what, rows]));
}

/** The user in a new session, since tokens expire as time passes. */
async function signedIn(target: TestApp, email = ADMIN): Promise<Person> {
  return new Person(target, (await target.createUser(email)).accessToken);
}

function inDays(target: TestApp, days: number): string {
  return new Date(target.clock.now() + days * DAY * 1000).toISOString();
}

/** The moment is before the history, of which the response names the beginning. */
function assertGone({ status, body }: Answer): void {
  const { message, since } = body as { message: string; since: string };
  assert.deepEqual([status, message, new Date(since).toISOString()], [410, "BEFORE_HISTORY", since]);
}

/** Checks a right of the administrator's as it was. */
async function checkThen(target: TestApp, roleId: number, asOf: string | number): Promise<Answer> {
  const admin = await signedIn(target);
  return await admin.ask("POST", "/v1/rights/check", { checks: [{ roleId, right: "viewManagement" }], asOf });
}

async function allowedThen(target: TestApp, roleId: number, asOf: string | number): Promise<boolean[]> {
  return ((await checkThen(target, roleId, asOf)).body as { allowed: boolean[] }).allowed;
}

/** The rows of the log about memberships and keys that the purge ended, as the manager reads them. */
async function endsSeenBy(person: Person, roleId: number): Promise<unknown[]> {
  const { change } = await person.post<{ change: Record<string, string>[] }>("/v1/change/query", {
    filter: { roleId },
  });
  return change.filter(({ kind }) => kind?.endsWith(".end")).map((
    { kind, actor, ...row },
  ) => [kind, actor, row["memberEmail"], row["keyId"], row["deletedRelationIds"]]);
}

testApp("ended memberships and keys are removed, each with a row in the log", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  const path = `/v1/role/${roleId}/member`;
  const until = inDays(target, 1);
  const { member } = await admin.put<{ member: Member }>(`${path}?userEmail=guest@example.com`, { until });
  await admin.put(`${path}?userEmail=later@example.com`, { until: inDays(target, 2) });
  await admin.put(`${path}?userEmail=always@example.com`);
  const { key } = await createKey(admin, roleId, { expiresAt: until });
  target.clock.advance(DAY - 1);
  assert.equal((await purgedRows(target))["ended memberships"], 0);
  target.clock.advance(1);
  assert.equal((await purgedRows(target))["ended memberships"], 2);
  assert.deepEqual(await endsSeenBy(await signedIn(target), roleId), [
    ["member.end", null, "guest@example.com", null, [member.id]],
    ["key.end", null, null, key.id, [key.id]],
  ]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role_key"), 0);
  const left = await (await signedIn(target)).post<{ member: Member[] }>(`${path}/query`);
  const stayed = left.member.map(({ userEmail }) => userEmail);
  assert.deepEqual(stayed, ["later@example.com", "always@example.com"]);
  assert.equal((await purgedRows(target))["ended memberships"], 0, "only once");
});

testApp("a purge ends the history of a membership, and the past can still be asked about", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Guests");
  await invite(target, admin, roleId, "guest@example.com");
  const guest = { userEmail: "guest@example.com", asOf: inDays(target, 0) };
  await admin.put(`/v1/role/${roleId}/member?userEmail=guest@example.com`, { until: inDays(target, 1) });
  target.clock.advance(2 * DAY);
  await purgedRows(target);
  const open = `SELECT count(*) FROM member_history WHERE to_rev > 1000000 AND role_id = ${roleId}`;
  assert.equal(await queryNumber(target, open), 0);
  const asked = { roleId, right: "viewManagement", ...guest };
  assert.equal((await explain(await signedIn(target), asked)).allowed, true);
});

forEachApp("one purge ends more memberships than a batch holds, each with a row", async (target) => {
  const { rootId } = await bootstrap(target);
  const members = PURGE_BATCH + 20;
  await execute(
    target,
    `INSERT INTO member (id, role_id, user_id, ends_at) SELECT 1000 + value, ${rootId}, 1000 + value, 1
      FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT ${members}) SELECT value FROM n)`,
  );
  const both = await Promise.all([purgedRows(target), purgedRows(target)]);
  assert.equal(both.reduce((sum, counts) => sum + (counts["ended memberships"] ?? 0), 0), members);
  const ends = "SELECT count(*) FROM change_log WHERE kind = 'member.end'";
  assert.equal(await queryNumber(target, ends), members);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM member"), 1);
});

forEachApp("history is kept for the configured days, and then its beginning moves", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Site");
  const first = inDays(target, 0);
  target.clock.advance(10 * DAY);
  const later = await signedIn(target);
  const { manages: [relation] } = await later.post<{ manages: { id: number }[] }>(
    `/v1/role/${rootId}/manages/query`,
  );
  await later.delete(`/v1/role/${rootId}/manages/${relation?.id}`);
  const deleted = await queryNumber(target, "SELECT max(rev) FROM change_log");
  target.clock.advance(20 * DAY);
  await (await signedIn(target)).create(rootId, "Other");
  assert.equal((await purgedRows(target, 31))["history"], 0);
  assert.equal(await queryNumber(target, `SELECT count(*) FROM role_history WHERE role_id = ${roleId}`), 1);
  // The role of the time before is in no open row, so the purge forgets it, and its relation.
  assert.equal((await purgedRows(target, 20))["history"], 1);
  assertGone(await checkThen(target, roleId, first));
  assertGone(await checkThen(target, roleId, deleted - 1));
  assert.deepEqual(await allowedThen(target, roleId, deleted), [false]);
  assert.deepEqual(await allowedThen(target, roleId, inDays(target, -19)), [false]);
  // Its parent is still known, as long as the log itself is kept.
  const { change } = await (await signedIn(target)).post<{ change: { kind: string }[] }>("/v1/change/query", {
    filter: { roleId },
  });
  assert.deepEqual(change.map(({ kind }) => kind), ["role.create", "manages.delete"]);
  assert.equal((await purgedRows(target, 400))["history"], 0, "the beginning never goes back");
  assertGone(await checkThen(target, roleId, first));
});

testApp("the log keeps the revision at which the history begins, with its time", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Site");
  const last = await queryNumber(target, "SELECT max(rev) FROM change_log");
  target.clock.advance(1000 * DAY);
  await target.bootstrapRoot("other@example.com", "Other");
  target.clock.advance(300 * DAY);
  for (const days of [500, 400]) {
    await purgedRows(target, days);
    assert.deepEqual(await allowedThen(target, roleId, last), [true]);
    assert.deepEqual(await allowedThen(target, roleId, inDays(target, -399)), [true]);
    assertGone(await checkThen(target, roleId, last - 1));
  }
  assert.equal(await queryNumber(target, "SELECT min(rev) FROM change_log"), last);
});

testApp("the name of a deleted key is kept as long as the log has rows of it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { key } = await createKey(admin, rootId);
  await admin.delete(`/v1/role/${rootId}/key/${key.id}`);
  await admin.create(rootId, "Early");
  const names = "SELECT count(*) FROM deleted_key";
  target.clock.advance(300 * DAY);
  await (await signedIn(target)).create(rootId, "Site");
  await purgedRows(target);
  assert.equal(await queryNumber(target, names), 1);
  target.clock.advance(200 * DAY);
  await (await signedIn(target)).create(rootId, "Other");
  // The first purge deletes the rows of the log, and the next one the name.
  await purgedRows(target);
  await purgedRows(target);
  assert.equal(await queryNumber(target, names), 0);
});
