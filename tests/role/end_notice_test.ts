/** Mails about memberships and keys that end in a week. */
import assert from "node:assert/strict";
import { NOTICE_BATCH } from "../../src/role/member/end_notice_queries.ts";
import { tellEnds } from "../../src/role/member/end_notice_service.ts";
import { ADMIN } from "../every_operation/request_catalogue.ts";
import { execute, forEachApp, query, queryNumber } from "../helpers/http.ts";
import { readMails } from "../helpers/mails.ts";
import { administrator, bootstrap, invite } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

const DAY_SECONDS = 86_400;

function inDays(target: TestApp, days: number): string {
  return new Date(target.clock.now() + days * DAY_SECONDS * 1000).toISOString();
}

/** Lets time pass, and tells of the ends that are near then. */
async function passDays(target: TestApp, days: number): Promise<void> {
  target.clock.advance(days * DAY_SECONDS);
  await tellEnds(target.deps);
}

interface Told {
  readonly recipient: string;
  readonly actor: string | null;
  readonly role: string;
  readonly others: number;
  readonly name: string | null;
}

/** The notices so far, in order. */
function readTold(target: TestApp): Promise<Told[]> {
  return query<Told>(
    target,
    `SELECT recipient, actor_email AS actor, role_name AS role, detail ->> 'others' AS others,
       detail ->> 'name' AS name
     FROM outbox WHERE template IN ('membership_ends', 'key_ends') ORDER BY rowid`,
  );
}

forEachApp("a member is told once, a week before the end, also by several instances", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  await invite(target, admin, siteId, "eva@example.com");
  await admin.addMember(siteId, "eva@example.com", { until: inDays(target, 30) });
  for (const days of [0, 20, 1]) {
    await passDays(target, days);
    assert.deepEqual(await readTold(target), []);
  }
  target.clock.advance(2 * DAY_SECONDS);
  await Promise.all([tellEnds(target.deps), tellEnds(target.deps)]);
  const told = { recipient: "eva@example.com", actor: ADMIN, role: "Site", others: 0, name: null };
  assert.deepEqual(await readTold(target), [told]);
  await passDays(target, 3);
  assert.equal((await readTold(target)).length, 1);

  // A little later is the same end; two weeks later is another one.
  const later = await administrator(target);
  await later.addMember(siteId, "eva@example.com", { until: inDays(target, 6) });
  await tellEnds(target.deps);
  assert.equal((await readTold(target)).length, 1);
  await later.addMember(siteId, "eva@example.com", { until: inDays(target, 20) });
  await tellEnds(target.deps);
  assert.equal((await readTold(target)).length, 1);
  await passDays(target, 13);
  assert.deepEqual(await readTold(target), [told, told]);
});

forEachApp("a notice names who gave the membership only while they manage the members", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const sid = await invite(target, admin, rootId, "sid@example.com");
  await invite(target, sid, siteId, "eva@example.com");
  await invite(target, sid, siteId, "tom@example.com");
  for (const [email, days] of [["eva@example.com", 30], ["tom@example.com", 40]] as const) {
    await sid.addMember(siteId, email, { until: inDays(target, days) });
  }
  await passDays(target, 23);
  const later = await administrator(target);
  await later.ask("DELETE", `/v1/role/${rootId}/member/${await later.memberIdOf(rootId, "sid@example.com")}`);
  await passDays(target, 10);
  const told = await readTold(target);
  assert.deepEqual(told.map(({ recipient, actor }) => [recipient, actor]), [
    ["eva@example.com", "sid@example.com"],
    ["tom@example.com", null],
  ]);
});

forEachApp("one mail tells a person of all ends of a day, and names the first", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  for (const [name, days] of [["Late", 30.3], ["Early", 30.1], ["Middle", 30.2]] as const) {
    const id = await admin.create(rootId, name);
    if (name === "Late") await invite(target, admin, id, "eva@example.com");
    await admin.addMember(id, "eva@example.com", { until: inDays(target, days) });
  }
  await passDays(target, 23);
  assert.deepEqual((await readTold(target)).map(({ role, others }) => [role, others]), [["Early", 2]]);
});

forEachApp("more ends of a day than a batch holds, also of a key, make one mail", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await admin.post(`/v1/role/${rootId}/key`, { name: "Reader", expiresAt: inDays(target, 30) });
  const numbers = `json_each('${JSON.stringify(Array.from({ length: NOTICE_BATCH + 100 }, (_, i) => i))}')`;
  await execute(target, [
    `INSERT INTO role (id, name, self_rights) SELECT 1000 + value, 'Role ' || value, 63 FROM ${numbers}`,
    `INSERT INTO member (id, role_id, user_id, ends_at)
      SELECT 1000 + value, 1000 + value, user_account.id, ${Date.parse(inDays(target, 30))} + value
      FROM ${numbers} CROSS JOIN user_account`,
  ]);
  await passDays(target, 23);
  await tellEnds(target.deps);
  assert.deepEqual((await readTold(target)).map(({ recipient, role }) => [recipient, role]), [[
    ADMIN,
    "Role 0",
  ]]);
  assert.equal(
    await queryNumber(target, "SELECT count(*) FROM member WHERE told_end = ends_at"),
    NOTICE_BATCH + 101,
  );
});

forEachApp("an end that is moved to soon makes a second mail only on the next day", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ids = [];
  for (const [name, days] of [["First", 30], ["Second", 60], ["Third", 60]] as const) {
    const id = await admin.create(rootId, name);
    if (ids.length === 0) await invite(target, admin, id, "eva@example.com");
    await admin.addMember(id, "eva@example.com", { until: inDays(target, days) });
    ids.push(id);
  }
  await passDays(target, 23);
  const later = await administrator(target);
  await later.put(`/v1/role/${ids[1]}/member?userEmail=eva@example.com`, { until: inDays(target, 7) });
  await tellEnds(target.deps);
  assert.deepEqual((await readTold(target)).map(({ role }) => role), ["First"]);
  await passDays(target, 1);
  assert.deepEqual((await readTold(target)).map(({ role }) => role), ["First"]);
  const tomorrow = await administrator(target);
  await tomorrow.put(`/v1/role/${ids[2]}/member?userEmail=eva@example.com`, { until: inDays(target, 7) });
  await tellEnds(target.deps);
  assert.deepEqual((await readTold(target)).map(({ role }) => role), ["First", "Third"]);
});

forEachApp("short memberships, unopened accounts and ended memberships get no notice", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const until = inDays(target, 30);
  await admin.addMember(siteId, "unopened@example.com", { until });
  target.clock.advance(20 * DAY_SECONDS);
  const later = await administrator(target);
  await invite(target, later, siteId, "short@example.com");
  await later.addMember(siteId, "short@example.com", { until });
  await passDays(target, 4);
  await passDays(target, 6);
  assert.deepEqual(await readTold(target), []);
});

forEachApp("the maker of a key is told of its end, in their language", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await admin.post(`/v1/role/${rootId}/key`, { name: "Reader", expiresAt: inDays(target, 30) });
  await admin.post(`/v1/role/${rootId}/key`, { name: "Visitor", expiresAt: inDays(target, 9) });
  await execute(target, "UPDATE user_account SET language = 'nl'");
  for (const days of [2, 21, 7]) {
    await passDays(target, days);
  }
  assert.deepEqual(await readTold(target), [
    { recipient: ADMIN, actor: null, role: "Energy Inc", others: 0, name: "Reader" },
  ]);
  assert.deepEqual((await readMails(target, "key_ends")).map(({ language }) => language), ["nl"]);
});
