import assert from "node:assert/strict";
import { NOTICE_BATCH } from "../../src/role/member/end_notice_queries.ts";
import { tellEnds } from "../../src/role/member/end_notice_service.ts";
import { ADMIN, ADMIN_PASSWORD } from "../every_operation/request_catalogue.ts";
import { execute, forEachApp, logInFully, query, queryNumber } from "../helpers/http.ts";
import { readMails } from "../helpers/mails.ts";
import { bootstrap, invite, type Member, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

/** Mails about memberships and keys that end in a week. */

const DAY_SECONDS = 86_400;

function inDays(target: TestApp, days: number): string {
  return new Date(target.clock.now() + days * DAY_SECONDS * 1000).toISOString();
}

async function signInAgain(target: TestApp): Promise<Person> {
  return new Person(target, (await logInFully(target, ADMIN, ADMIN_PASSWORD)).accessToken);
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
  await admin.put(`/v1/role/${siteId}/member?userEmail=eva@example.com`, { until: inDays(target, 30) });
  for (const days of [0, 20, 1]) {
    target.clock.advance(days * DAY_SECONDS);
    await tellEnds(target.deps);
    assert.deepEqual(await readTold(target), []);
  }
  target.clock.advance(2 * DAY_SECONDS);
  await Promise.all([tellEnds(target.deps), tellEnds(target.deps)]);
  const told = { recipient: "eva@example.com", actor: ADMIN, role: "Site", others: 0, name: null };
  assert.deepEqual(await readTold(target), [told]);
  target.clock.advance(3 * DAY_SECONDS);
  await tellEnds(target.deps);
  assert.equal((await readTold(target)).length, 1);

  // A little later is the same end; two weeks later is another one.
  const later = await signInAgain(target);
  await later.put(`/v1/role/${siteId}/member?userEmail=eva@example.com`, { until: inDays(target, 6) });
  await tellEnds(target.deps);
  assert.equal((await readTold(target)).length, 1);
  await later.put(`/v1/role/${siteId}/member?userEmail=eva@example.com`, { until: inDays(target, 20) });
  await tellEnds(target.deps);
  assert.equal((await readTold(target)).length, 1);
  target.clock.advance(13 * DAY_SECONDS);
  await tellEnds(target.deps);
  assert.deepEqual(await readTold(target), [told, told]);
});

forEachApp("a notice names who gave the membership only while they manage the members", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const sid = await invite(target, admin, rootId, "sid@example.com");
  await invite(target, sid, siteId, "eva@example.com");
  await invite(target, sid, siteId, "tom@example.com");
  for (const [email, days] of [["eva@example.com", 30], ["tom@example.com", 40]] as const) {
    await sid.put(`/v1/role/${siteId}/member?userEmail=${email}`, { until: inDays(target, days) });
  }
  target.clock.advance(23 * DAY_SECONDS);
  await tellEnds(target.deps);
  const later = await signInAgain(target);
  await later.ask("DELETE", `/v1/role/${rootId}/member/${await later.memberIdOf(rootId, "sid@example.com")}`);
  target.clock.advance(10 * DAY_SECONDS);
  await tellEnds(target.deps);
  const told = await readTold(target);
  assert.deepEqual(told.map(({ recipient, actor }) => [recipient, actor]), [
    ["eva@example.com", "sid@example.com"],
    ["tom@example.com", null],
  ]);
});

forEachApp("one mail tells a person of all ends of a day, and names the first", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const ids = [];
  for (const name of ["Late", "Early", "Middle"]) ids.push(await admin.create(rootId, name));
  const [late, early, middle] = ids;
  await invite(target, admin, late ?? 0, "eva@example.com");
  for (const [id, days] of [[late, 30.3], [early, 30.1], [middle, 30.2]]) {
    await admin.put(`/v1/role/${id}/member?userEmail=eva@example.com`, { until: inDays(target, days ?? 0) });
  }
  target.clock.advance(23 * DAY_SECONDS);
  await tellEnds(target.deps);
  assert.deepEqual((await readTold(target)).map(({ role, others }) => [role, others]), [["Early", 2]]);
});

forEachApp(
  "more ends of a day than a batch holds, of memberships and of a key, make one mail",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    await admin.post(`/v1/role/${rootId}/key`, { name: "Reader", expiresAt: inDays(target, 30) });
    const numbers = `json_each('${JSON.stringify(Array.from({ length: NOTICE_BATCH + 100 }, (_, i) => i))}')`;
    await execute(target, [
      `INSERT INTO role (id, name, self_rights) SELECT 1000 + value, 'Role ' || value, 63 FROM ${numbers}`,
      `INSERT INTO member (id, role_id, user_id, ends_at)
      SELECT 1000 + value, 1000 + value, user_account.id, ${Date.parse(inDays(target, 30))} + value
      FROM ${numbers} CROSS JOIN user_account`,
    ]);
    target.clock.advance(23 * DAY_SECONDS);
    await tellEnds(target.deps);
    await tellEnds(target.deps);
    assert.deepEqual((await readTold(target)).map(({ recipient, role }) => [recipient, role]), [[
      ADMIN,
      "Role 0",
    ]]);
    assert.equal(
      await queryNumber(target, "SELECT count(*) FROM member WHERE told_end = ends_at"),
      NOTICE_BATCH + 101,
    );
  },
);

forEachApp(
  "an end that is moved to soon makes no second mail on a day, but one on the next",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const ids = [];
    for (const [name, days] of [["First", 30], ["Second", 60], ["Third", 60]] as const) {
      const id = await admin.create(rootId, name);
      if (ids.length === 0) await invite(target, admin, id, "eva@example.com");
      await admin.put(`/v1/role/${id}/member?userEmail=eva@example.com`, { until: inDays(target, days) });
      ids.push(id);
    }
    target.clock.advance(23 * DAY_SECONDS);
    await tellEnds(target.deps);
    const later = await signInAgain(target);
    await later.put(`/v1/role/${ids[1]}/member?userEmail=eva@example.com`, { until: inDays(target, 7) });
    await tellEnds(target.deps);
    assert.deepEqual((await readTold(target)).map(({ role }) => role), ["First"]);
    target.clock.advance(DAY_SECONDS);
    await tellEnds(target.deps);
    assert.deepEqual((await readTold(target)).map(({ role }) => role), ["First"]);
    const tomorrow = await signInAgain(target);
    await tomorrow.put(`/v1/role/${ids[2]}/member?userEmail=eva@example.com`, { until: inDays(target, 7) });
    await tellEnds(target.deps);
    assert.deepEqual((await readTold(target)).map(({ role }) => role), ["First", "Third"]);
  },
);

forEachApp("short memberships, unopened accounts and ended memberships get no notice", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const until = inDays(target, 30);
  await admin.put(`/v1/role/${siteId}/member?userEmail=unopened@example.com`, { until });
  target.clock.advance(20 * DAY_SECONDS);
  const later = await signInAgain(target);
  await invite(target, later, siteId, "short@example.com");
  const { member } = await later.put<{ member: Member }>(
    `/v1/role/${siteId}/member?userEmail=short@example.com`,
    { until },
  );
  assert.ok(member.id > 0);
  target.clock.advance(4 * DAY_SECONDS);
  await tellEnds(target.deps);
  target.clock.advance(6 * DAY_SECONDS);
  await tellEnds(target.deps);
  assert.deepEqual(await readTold(target), []);
});

forEachApp("the maker of a key is told of its end, in their language", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await admin.post(`/v1/role/${rootId}/key`, { name: "Reader", expiresAt: inDays(target, 30) });
  await admin.post(`/v1/role/${rootId}/key`, { name: "Visitor", expiresAt: inDays(target, 9) });
  await execute(target, "UPDATE user_account SET language = 'nl'");
  for (const days of [2, 21, 7]) {
    target.clock.advance(days * DAY_SECONDS);
    await tellEnds(target.deps);
  }
  assert.deepEqual(await readTold(target), [
    { recipient: ADMIN, actor: null, role: "Energy Inc", others: 0, name: "Reader" },
  ]);
  assert.deepEqual((await readMails(target, "key_ends")).map(({ language }) => language), ["nl"]);
});
