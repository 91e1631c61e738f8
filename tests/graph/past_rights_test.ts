/** Checks as of a revision or a time repeat what was true then, for what the caller sees now. */
import assert from "node:assert/strict";
import { RIGHT_NAMES } from "../../src/graph/rights.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { type Answer, assertError, execute, forEachApp, MALFORMED, testApp } from "../helpers/http.ts";
import { bootstrap, type Manages, type Member, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { addParents, addRelation } from "../role/many_relations.ts";

const EVERY = RIGHT_NAMES.join(" ");

interface Checked {
  readonly allowed: boolean[];
  readonly revision?: number;
}

/** The rights of a person on a role, as the names of those that they hold. */
async function heldBy(person: Person, roleId: number, asOf?: number | string): Promise<string> {
  const checks = RIGHT_NAMES.map((right) => ({ roleId, right }));
  const { allowed } = await person.post<Checked>("/v1/rights/check", {
    checks,
    ...(asOf !== undefined && { asOf }),
  });
  return RIGHT_NAMES.filter((_, i) => allowed[i]).join(" ");
}

async function revisionNow(person: Person): Promise<number> {
  const answer = await person.ask("POST", "/v1/role/query", {});
  return Number(answer.headers.get("X-Rolegrid-Revision"));
}

function timeOf(target: TestApp): string {
  return new Date(target.clock.now()).toISOString();
}

async function newPerson(target: TestApp, email: string): Promise<Person> {
  return new Person(target, (await target.createUser(email)).accessToken);
}

forEachApp("a check as of a revision or a time repeats what it said then", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site", ALL, rights("viewManagement"));
  const sam = await newPerson(target, "sam@example.com");
  const seen: { revision: number; time: string; sam: string; admin: string }[] = [];
  /** Makes a change a minute after the last, and notes what both hold then. */
  async function after(change: () => Promise<unknown>): Promise<void> {
    target.clock.advance(60);
    await change();
    const [samHeld, adminHeld] = await Promise.all([heldBy(sam, siteId), heldBy(admin, siteId)]);
    seen.push({ revision: await revisionNow(admin), time: timeOf(target), sam: samHeld, admin: adminHeld });
  }

  const { manages: [relation] } = await admin.post<{ manages: Manages[] }>(
    `/v1/role/${siteId}/managed-by/query`,
    {},
  );
  assert.ok(relation);
  let member: Member | undefined;
  await after(async () => {
    member = await admin.addMember(siteId, "sam@example.com");
  });
  await after(() =>
    admin.put(`/v1/role/${rootId}/manages/${relation.id}`, rights("roleManagement", "userManagement"))
  );
  await after(() =>
    admin.put(`/v1/role/${siteId}`, { name: "Site", selfRights: rights("viewManagement", "alarmManagement") })
  );
  await after(() => admin.addMember(siteId, "sam@example.com", { rights: rights("alarmManagement") }));
  await after(() => admin.delete(`/v1/role/${siteId}/member/${member?.id}`));
  assert.deepEqual(seen.map(({ sam }) => sam), [
    "viewManagement",
    "viewManagement",
    "viewManagement alarmManagement",
    "alarmManagement",
    "",
  ]);
  assert.deepEqual(seen.map(({ admin }) => admin), [
    EVERY,
    ...Array(4).fill("roleManagement userManagement"),
  ]);

  target.clock.advance(60);
  // What is seen is as of now.
  const [first, second] = seen;
  assert.ok(first && second);
  assert.equal(await heldBy(sam, siteId, first.revision), "");
  const cellarId = await admin.create(siteId, "Cellar");
  await admin.addMember(cellarId, "sam@example.com");
  const both = [siteId, cellarId].map((roleId) => ({ roleId, right: "viewManagement" }));
  const { allowed } = await sam.post<Checked>("/v1/rights/check", { checks: both, asOf: first.revision });
  assert.deepEqual(allowed, [false, false], "not even where it lies above a role that is seen");
  await admin.addMember(siteId, "sam@example.com", { rights: rights() });
  for (const { revision, time, sam: samHeld, admin: adminHeld } of seen) {
    for (const asOf of [revision, time]) {
      assert.equal(await heldBy(sam, siteId, asOf), samHeld, `sam at ${asOf}`);
      assert.equal(await heldBy(admin, siteId, asOf), adminHeld, `admin at ${asOf}`);
    }
  }
  // A time between two changes stands for the earlier one; the response says which.
  const between = new Date(Date.parse(second.time) - 1).toISOString();
  const checks = [{ roleId: siteId, right: "viewManagement" }, { roleId: 0, right: "viewManagement" }];
  assert.deepEqual(await admin.post("/v1/rights/check", { checks, asOf: between }), {
    allowed: [true, false],
    revision: first.revision,
  });
  await admin.delete(`/v1/role/${rootId}/manages/${relation.id}`);
  assert.equal(await heldBy(admin, siteId, first.revision), "", "a deleted role is visible");
});

testApp("ends of memberships are judged at the requested time", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const sam = await newPerson(target, "sam@example.com");
  const until = new Date(target.clock.now() + 60_000).toISOString();
  await admin.addMember(siteId, "sam@example.com", { until });
  // So that they still see it.
  await admin.addMember(rootId, "sam@example.com", { rights: rights() });
  const revision = await revisionNow(admin);
  const begun = timeOf(target);
  target.clock.advance(120);
  assert.equal(await heldBy(sam, siteId), "");
  assert.equal(await heldBy(sam, siteId, begun), EVERY);
  assert.equal(await heldBy(sam, siteId, new Date(Date.parse(until) - 1).toISOString()), EVERY);
  assert.equal(await heldBy(sam, siteId, until), "", "no revision came, but the end did");
  assert.equal(await heldBy(sam, siteId, revision), EVERY, "a revision stands for its own time");
});

testApp("the latest revision and time are not in the future of a clock that is behind", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const [revision, time] = [await revisionNow(admin), timeOf(target)];
  target.clock.advance(-1);
  assert.equal(await heldBy(admin, siteId, revision), EVERY);
  assert.equal(await heldBy(admin, siteId, time), EVERY);
});

testApp("a future moment is refused with 400, and one before the history with 410", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await admin.create(rootId, "Site");
  const revision = await revisionNow(admin);
  const ask = (asOf: unknown): Promise<Answer> =>
    admin.ask("POST", "/v1/rights/check", { checks: [{ roleId: rootId, right: "viewManagement" }], asOf });
  assert.equal((await ask(revision)).status, 200);
  assert.equal((await ask(timeOf(target))).status, 200);
  const later = new Date(target.clock.now() + 1).toISOString();
  const noTimes = [
    "",
    String(revision),
    "yesterday",
    "2025-12-01",
    "2025-12-01T00:00:00",
    "2025-02-30T00:00:00Z",
  ];
  for (const asOf of [revision + 1, later, -1, 1.5, null, ...noTimes, "2025-12-01T25:00:00Z"]) {
    assertError(await ask(asOf), 400, MALFORMED, JSON.stringify(asOf));
  }
  await execute(
    target,
    `INSERT OR REPLACE INTO setting (name, value) VALUES ('history_from', '${revision}')`,
  );
  assert.equal((await ask(revision)).status, 200);
  const answer = await ask(revision - 1);
  assert.equal(answer.status, 410);
  const since = new Date(target.clock.now()).toISOString();
  assert.deepEqual(answer.body, { statusCode: 410, error: "Gone", message: "BEFORE_HISTORY", since });
  assert.equal((await ask("2025-12-01T00:00:00Z")).status, 410);
  // An ended session learns nothing about the history.
  await execute(target, "DELETE FROM session");
  assert.equal((await ask(revision - 1)).status, 401);
});

testApp("a check of the past follows up to 10,000 relations", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site", rights("roleManagement"));
  const revision = await revisionNow(admin);
  // With the relation that the site has already, 9,999 in all.
  await addParents(target, rootId, siteId, 4999);
  await addRelation(target, 1, 2);
  assert.equal(await heldBy(admin, siteId, revision), EVERY);
  assert.equal(await heldBy(admin, rootId, revision), EVERY);
  await addRelation(target, 2, 3);
  const ask = (person: Person, ...roleIds: number[]): Promise<Answer> =>
    person.ask("POST", "/v1/rights/check", {
      checks: roleIds.map((roleId) => ({ roleId, right: "viewManagement" })),
      asOf: revision,
    });
  assertError(
    await ask(admin, siteId),
    422,
    "More relations lead to these roles than a request may follow: ask about fewer roles, or a shorter period",
  );
  // A person who was below none of this learns nothing of it.
  const sam = await newPerson(target, "sam@example.com");
  assert.equal(await heldBy(sam, siteId, revision), "");
  const ownId = await admin.create(rootId, "Own");
  await admin.addMember(ownId, "sam@example.com");
  assert.equal((await ask(sam, siteId)).text, (await ask(sam, 123456)).text);
  // Nor beside a role that they see, whose rights they still get.
  const asOf = await revisionNow(sam);
  const both = (otherId: number) =>
    sam.ask("POST", "/v1/rights/check", {
      checks: [otherId, ownId].map((roleId) => ({ roleId, right: "viewManagement" })),
      asOf,
    });
  const beside = await both(siteId);
  assert.deepEqual(beside.body, { allowed: [false, true], revision: asOf });
  assert.equal(beside.text, (await both(123456)).text);
});

testApp("a check of the past is refused for a role with too many parents", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  await addParents(target, rootId, siteId, 10_001);
  const answer = await admin.ask("POST", "/v1/rights/check", {
    checks: [{ roleId: siteId, right: "viewManagement" }],
    asOf: await revisionNow(admin),
  });
  assert.equal(answer.status, 422);
});
