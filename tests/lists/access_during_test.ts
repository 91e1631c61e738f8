/** Lists of access over a period unite all moments of it, right by right and instant by instant. */
import assert from "node:assert/strict";
import { RIGHT_NAMES } from "../../src/graph/rights.ts";
import { type Rights, rights } from "../every_operation/request_catalogue.ts";
import { assertError, execute, forEachApp, MALFORMED, testApp } from "../helpers/http.ts";
import { invite, type Manages, type Member, type Person } from "../helpers/person.ts";
import { randomNumbers } from "../helpers/random_numbers.ts";
import type { TestApp } from "../helpers/test_app.ts";
import {
  type AccessBody,
  ADA,
  addKey,
  addPeople,
  ADMIN,
  BOB,
  idOf,
  peopleOf,
  type PersonAccess,
  readPages,
  SELF,
  setAccessScene,
} from "./access_scene.ts";

const NONE = rights();
const EVE = "eve@example.com";

/** Moves the clock on by twice this many seconds, and returns the time between, at which nothing changes. */
function pass({ clock }: TestApp, seconds = 1): string {
  clock.advance(seconds);
  const between = new Date(clock.now()).toISOString();
  clock.advance(seconds);
  return between;
}

/** Who had access to a role from one time to another. */
function within(asker: Person, roleId: number, from: string, to: string, body: object = {}) {
  return peopleOf(asker, roleId, { during: { from, to }, ...body });
}

/** What the list says of one person, if anything. */
function entryOf(
  { access }: Pick<AccessBody<PersonAccess>, "access">,
  email: string,
): PersonAccess | undefined {
  return access.find(({ userEmail }) => userEmail === email);
}

function join(admin: Person, roleId: number, email: string, body: object = {}): Promise<unknown> {
  return admin.put(`/v1/role/${roleId}/member?userEmail=${email}`, body);
}

async function leave(admin: Person, roleId: number, email: string): Promise<void> {
  const filter = { userEmail: [email] };
  const { member } = await admin.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`, { filter });
  await admin.delete(`/v1/role/${roleId}/member/${member[0]?.id}`);
}

function connect(admin: Person, parentId: number, childId: number, mask: Rights): Promise<unknown> {
  return admin.put(`/v1/role/${parentId}/manages?childRoleId=${childId}`, mask);
}

async function disconnect(admin: Person, parentId: number, childId: number): Promise<void> {
  const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${parentId}/manages/query`, {
    filter: { childRoleId: [childId] },
  });
  await admin.delete(`/v1/role/${parentId}/manages/${manages[0]?.id}`);
}

/** The scene, with a team below the root that a relation may connect to the boiler. */
async function setTeamScene(target: TestApp) {
  const scene = await setAccessScene(target);
  const { admin, rootId } = scene;
  const teamId = await admin.create(rootId, "Team", rights("roleManagement"), NONE);
  const eveId = await idOf(await invite(target, admin, teamId, EVE));
  await leave(admin, teamId, EVE);
  return { ...scene, teamId, eveId };
}

testApp("a membership that began and ended within the period is in its list", async (target) => {
  const { admin, plantId, boilerId } = await setAccessScene(target);
  const before = pass(target);
  pass(target);
  await invite(target, admin, plantId, EVE);
  const joined = new Date(target.clock.now()).toISOString();
  pass(target);
  await leave(admin, plantId, EVE);
  const left = new Date(target.clock.now()).toISOString();
  const after = pass(target);

  assert.equal(entryOf(await peopleOf(admin, boilerId), EVE), undefined);
  const [entry, ...more] = (await within(admin, boilerId, before, after)).access
    .filter(({ userEmail }) => userEmail === EVE);
  assert.deepEqual(more, []);
  assert.deepEqual([entry?.direct, entry?.through, entry?.hidden], [false, [plantId], 0]);
  assert.notEqual(
    entryOf(await within(admin, boilerId, joined, after), EVE),
    undefined,
    "at its first instant",
  );
  assert.equal(entryOf(await within(admin, boilerId, left, after), EVE), undefined);
});

testApp("a membership counts only while a relation carried it, at the same revision", async (target) => {
  const { admin, teamId, boilerId } = await setTeamScene(target);
  const from = pass(target);
  await connect(admin, teamId, boilerId, rights("alarmManagement"));
  pass(target);
  await disconnect(admin, teamId, boilerId);
  pass(target);
  await join(admin, teamId, EVE);
  const joined = pass(target);
  assert.equal(entryOf(await within(admin, boilerId, from, joined), EVE), undefined);
  await connect(admin, teamId, boilerId, rights("viewManagement"));
  const both = pass(target);
  assert.deepEqual(entryOf(await within(admin, boilerId, from, both), EVE)?.rights, rights("viewManagement"));
});

testApp("a right counts only if one path carried all of it at the same time", async (target) => {
  const { admin, rootId, teamId, boilerId } = await setTeamScene(target);
  const topId = await admin.create(rootId, "Top", rights("roleManagement"), NONE);
  await join(admin, topId, EVE);
  await connect(admin, topId, teamId, rights("alarmManagement", "viewManagement"));
  await connect(admin, teamId, boilerId, rights("viewManagement"));
  const from = pass(target);
  await connect(admin, topId, teamId, rights("viewManagement"));
  pass(target);
  await connect(admin, teamId, boilerId, rights("viewManagement", "alarmManagement"));
  const to = pass(target);
  const entry = entryOf(await within(admin, boilerId, from, to), EVE);
  assert.deepEqual([entry?.rights, entry?.through], [rights("viewManagement"), [topId]]);
  // Once both halves have the right at the same time, the whole path carries it.
  await connect(admin, topId, teamId, rights("alarmManagement"));
  const later = pass(target);
  const all = entryOf(await within(admin, boilerId, from, later), EVE)?.rights;
  assert.deepEqual(all, rights("alarmManagement", "viewManagement"));
});

testApp(
  "rights of memberships and roles add up over the period, and filters hold for the sum",
  async (target) => {
    const { admin, ids, plantId, boilerId } = await setAccessScene(target);
    const from = pass(target);
    await join(admin, boilerId, BOB, { rights: rights("viewManagement") });
    pass(target);
    await join(admin, boilerId, BOB, { rights: NONE });
    await admin.put(`/v1/role/${boilerId}`, { name: "Boiler", selfRights: NONE });
    pass(target);
    await join(admin, plantId, BOB, { rights: rights("alarmManagement") });
    await leave(admin, boilerId, BOB);
    const to = pass(target);
    const expected = {
      userId: ids.bob,
      userEmail: BOB,
      rights: { ...SELF, alarmManagement: true },
      direct: true,
      through: [plantId],
      hidden: 0,
    };
    for (
      const filter of [{}, { right: ["alarmManagement", "reportManagement"] }, {
        userEmail: [BOB, "no@one.example"],
      }]
    ) {
      assert.deepEqual(entryOf(await within(admin, boilerId, from, to, { filter }), BOB), expected);
    }
    for (const filter of [{ right: ["deviceManagement"] }, { userEmail: [ADA] }]) {
      assert.equal(entryOf(await within(admin, boilerId, from, to, { filter }), BOB), undefined);
    }
    const { access } = await within(admin, boilerId, from, to, {
      filter: { userEmail: [BOB], right: ["viewManagement"] },
    });
    assert.deepEqual(access, [expected]);
  },
);

testApp("an end by itself counts from its own time, whenever the row is removed", async (target) => {
  const { admin, plantId, boilerId } = await setAccessScene(target);
  await invite(target, admin, plantId, EVE);
  const [start, ends] = [target.clock.now(), target.clock.now() + 10_000];
  const at = (second: number): string => new Date(start + second * 1000).toISOString();
  await join(admin, plantId, EVE, { until: new Date(ends).toISOString() });
  pass(target, 20);
  // A relation that begins after the end gives nothing.
  await connect(admin, plantId, boilerId, rights(...RIGHT_NAMES));
  pass(target, 20);
  const isListed = async (from: string, to: string): Promise<boolean> =>
    entryOf(await within(admin, boilerId, from, to), EVE) !== undefined;
  assert.equal(await isListed(at(1), at(40)), true, "within");
  assert.equal(await isListed(new Date(ends - 1).toISOString(), at(40)), true, "its last instant");
  assert.equal(await isListed(at(10), at(40)), false, "at its end");
  assert.equal(await isListed(at(12), at(40)), false, "before the period");
  const { rights: held } = entryOf(await within(admin, boilerId, at(1), at(40)), EVE) ?? {};
  assert.equal(held?.viewManagement, false);
  assert.equal(entryOf(await within(admin, boilerId, at(1), at(40)), EVE)?.until, undefined);
});

testApp("a role that was deleted in the period is hidden, and its members are listed", async (target) => {
  const { admin, rootId, teamId, boilerId } = await setTeamScene(target);
  await connect(admin, teamId, boilerId, rights("alarmManagement"));
  await join(admin, teamId, EVE);
  const from = pass(target);
  await disconnect(admin, rootId, teamId);
  const deleted = pass(target);
  const to = pass(target);
  const entry = entryOf(await within(admin, boilerId, from, to), EVE);
  assert.deepEqual([entry?.rights, entry?.through, entry?.hidden], [rights("alarmManagement"), [], 1]);
  assert.equal(entryOf(await within(admin, boilerId, deleted, to), EVE), undefined);
  assert.deepEqual((await within(admin, teamId, from, to)).access, [], "of a deleted role");
});

testApp("a period with both of its ends has the revision of its last instant", async (target) => {
  const { admin, boilerId } = await setAccessScene(target);
  const keyId = 901;
  const from = pass(target);
  await addKey(target, { keyId, roleId: boilerId, name: "gate", mask: 4 });
  await admin.put(`/v1/role/${boilerId}`, { name: "Kettle", selfRights: SELF });
  const { revision } = await peopleOf(admin, boilerId);
  const to = new Date(target.clock.now()).toISOString();
  pass(target);
  await execute(target, [
    "DELETE FROM member WHERE user_id = -:keyId",
    "DELETE FROM role_key WHERE id = :keyId",
  ], {
    keyId,
  });
  await admin.put(`/v1/role/${boilerId}`, { name: "Boiler", selfRights: NONE });

  const list = await within(admin, boilerId, from, to);
  assert.deepEqual([list.revision, list.revisionEnd], [revision, revision]);
  assert.deepEqual(list.access.at(-1), {
    key: { id: keyId, name: "gate" },
    rights: rights("viewManagement"),
    direct: true,
    through: [],
    hidden: 0,
  });
});

testApp(
  "every caller gets a 400 for a period that is none, and a 410 for one before the history",
  async (target) => {
    const { admin, bob, boilerId } = await setAccessScene(target);
    const path = `/v1/role/${boilerId}/access/query`;
    const kept = pass(target);
    const { revision } = await peopleOf(admin, boilerId);
    const now = pass(target);
    const later = new Date(target.clock.now() + 1).toISOString();
    const setting = "INSERT OR REPLACE INTO setting (name, value) VALUES ('history_from', :from)";
    await execute(target, setting, { from: String(revision) });
    for (const asker of [admin, bob]) {
      const ask = (during: unknown, further: object = {}, headers = {}) =>
        asker.ask("POST", path, { during, ...further }, { headers });
      const { status, body } = await ask({ from: kept, to: now });
      assert.equal(status, 200);
      for (const to of [undefined, later]) assert.deepEqual((await ask({ from: kept, to })).body, body);
      const refused = async (
        during: unknown,
        field: string,
        message: RegExp,
        further?: object,
      ): Promise<void> => {
        assertError(await ask(during, further), 400, MALFORMED);
        const { body } = await ask(during, further, { "X-Error-Details": "true" });
        const { details } = body as { details: { path: string; message: string }[] };
        assert.deepEqual(details.map(({ path }) => path), [field]);
        assert.match(details[0]?.message ?? "", message);
      };
      await refused({ from: now, to: kept }, "body.during", /after `from`/);
      await refused({ from: now, to: now }, "body.during", /after `from`/);
      await refused({ from: kept, to: now }, "body", /only one of `asOf` and `during`/, { asOf: revision });
      await refused({ from: later }, "body.during", /past/);
      await refused({ from: later, to: "2100-01-01T00:00:00Z" }, "body.during", /past/);
      await refused({ from: 1, to: now }, "body.during.from", /./);
      const old = await ask({ from: "2025-01-01T00:00:00Z", to: now });
      assert.equal(old.status, 410);
      assert.equal(typeof (old.body as { since: unknown }).since, "string");
    }
  },
);

testApp("a period is asked about by those who may ask today", async (target) => {
  const { admin, ada, bob, plantId, boilerId } = await setAccessScene(target);
  const from = pass(target);
  await leave(admin, plantId, ADA);
  const to = pass(target);
  for (const asker of [ada, bob]) {
    assert.deepEqual((await within(asker, boilerId, from, to)).access, []);
    assert.deepEqual((await within(asker, 999_999, from, to)).access, []);
  }
  assert.notEqual(entryOf(await within(admin, boilerId, from, to), ADA), undefined);
});

forEachApp("a period's list of many is read in pages, at once and as a file", async (target) => {
  const { admin, rootId, teamId, plantId, boilerId } = await setTeamScene(target);
  await addPeople(target, plantId, 1500);
  await addKey(target, { keyId: 90_001, roleId: boilerId, name: "gate" });
  const from = pass(target);
  // The relation changes, so everyone is reached in several spans.
  for (let i = 0; i < 3; i++) {
    await connect(admin, plantId, boilerId, rights("roleManagement", "userManagement"));
    pass(target);
    await connect(admin, plantId, boilerId, rights("roleManagement", "userManagement", "viewManagement"));
    pass(target);
  }
  await execute(target, "DELETE FROM member WHERE role_id = :plantId AND user_id % 2 = 0", { plantId });
  await admin.put(`/v1/role/${teamId}`, { name: "Squad", selfRights: NONE });
  const to = pass(target);
  const path = `/v1/role/${boilerId}/access/query`;
  const during = { from, to };
  const { access, revision } = await peopleOf(admin, boilerId, { during });
  assert.equal(access.length, 1504);
  assert.ok(access.length > (await peopleOf(admin, boilerId)).access.length + 700);
  assert.deepEqual(access.at(-1)?.key, { id: 90_001, name: "gate" });
  assert.deepEqual([entryOf({ access }, ADMIN)?.through, access[5]?.through], [[rootId], [plantId]]);
  for (const limit of [400, 1000]) {
    assert.deepEqual((await readPages<PersonAccess>(admin, path, { during }, limit)).access, access);
  }
  const filter = { right: ["viewManagement"] };
  const viewing = access.filter((each) => each.rights.viewManagement);
  assert.deepEqual((await readPages<PersonAccess>(admin, path, { during, filter }, 700)).access, viewing);
  const named = { userEmail: ["person1@example.net", "person2@example.net"] };
  const both = access.filter(({ userEmail }) => named.userEmail.includes(userEmail ?? ""));
  assert.deepEqual((await peopleOf(admin, boilerId, { during, filter: named })).access, both);
  const { text } = await admin.ask("POST", path, { during }, { headers: { Accept: "text/csv" } });
  const lines = text.trimEnd().split("\r\n");
  assert.equal(lines.length, 1505);
  assert.ok(lines.slice(1).every((line) => line.endsWith(`,0,,${revision}`)));
});

/** A former relation, with the changes after which it began and ended. */
type Former = readonly [parentId: number, childId: number, rights: number, from: number, to: number];

const ADD_FORMER = [
  "DELETE FROM manages_history WHERE relation_id >= 5000000",
  `INSERT OR IGNORE INTO change_log (rev, op_id, at, actor_id, session_id, kind, decision, step)
    SELECT :revision + value, 'former' || value, :now, 1, 'none', 'manages.put', 'ok', 'none' FROM json_each(:numbers)`,
  `INSERT INTO manages_history (relation_id, parent_id, child_id, rights, from_rev, to_rev)
    SELECT 5000000 + key, value ->> 0, value ->> 1, value ->> 2, :revision + (value ->> 3), :revision + (value ->> 4)
    FROM json_each(:former)`,
];

/** Returns relations between two roles, one after the other: each ended one change after it began. */
function repeated(
  count: number,
  [parentId, childId]: readonly [number, number],
  { every = 2, rightsOf = () => 63 }: { every?: number; rightsOf?: (i: number) => number } = {},
): Former[] {
  return Array.from({ length: count }, (_, i) => [parentId, childId, rightsOf(i), every * i, every * i + 1]);
}

testApp("a period follows up to 5,000 relations, and a role in up to 1,000 pieces", async (target) => {
  const { admin, ada, bob, ids, rootId, plantId, boilerId } = await setAccessScene(target);
  const from = pass(target);
  const path = `/v1/role/${boilerId}/access/query`;
  const { revision } = await peopleOf(admin, boilerId);
  const numbers = JSON.stringify(Array.from({ length: 4000 }, (_, i) => i + 1));
  const now = target.clock.now();
  const status = async (former: readonly Former[], asker = ada): Promise<number> => {
    await execute(target, ADD_FORMER, { revision, now, numbers, former: JSON.stringify(former) });
    return (await asker.ask("POST", path, { during: { from, to: pass(target) } })).status;
  };
  const parentId = 1_000_000;
  const above = (count: number, childId: number): Former[] =>
    Array.from({ length: count }, (_, i) => [parentId + 1 + i, childId, 63, 0, 4000]);

  assert.equal(await status(above(4990, boilerId)), 200);
  assert.equal(await status(above(5000, boilerId)), 422);
  assert.equal(await status(above(10_000, boilerId), bob), 200, "who may not ask learns nothing");
  assert.equal(await status(above(10_000, boilerId)), 422);
  assert.equal((await ada.ask("POST", path, { asOf: revision })).status, 422);

  await execute(target, [
    `INSERT INTO member_history (member_id, role_id, user_id, rights, from_rev, to_rev)
      VALUES (5000000, :parentId, :bobId, 63, :revision, :revision + 4000)`,
  ], { parentId, bobId: ids.bob, revision });
  assert.equal(await status(repeated(1000, [parentId, boilerId])), 200);
  assert.equal(await status(repeated(1001, [parentId, boilerId])), 422, "pieces");
  // Without a break, and with one right that comes and goes.
  const edited = { every: 1, rightsOf: (i: number) => 62 + i % 2 };
  assert.equal(await status(repeated(1900, [parentId, boilerId], edited)), 200);
  const often = [0, 1, 2, 3, 4].flatMap((i) => [
    ...repeated(550, [parentId + i, boilerId], edited),
    ...repeated(550, [parentId + i, plantId], edited),
  ]);
  assert.equal(await status(often.slice(0, 4900)), 200);
  assert.equal(await status(often), 422, "each relation as often as it changed");
  const pieces = repeated(900, [parentId, boilerId]);
  assert.equal(await status([...pieces, ...above(4, parentId)]), 200);
  assert.equal(await status([...pieces, ...above(200, parentId)]), 422, "pieces of many roles");

  // One relation begins with the change that ends the other, as an import can do.
  assert.equal(await status([[parentId, boilerId, 63, 0, 5], [rootId, parentId, 63, 5, 9]]), 200);
  const to = pass(target);
  assert.equal(entryOf(await within(admin, boilerId, from, to), ADMIN)?.rights.alarmManagement, false);
  assert.equal(await status([[parentId, boilerId, 63, 0, 6], [rootId, parentId, 63, 5, 9]]), 200);
  assert.equal(entryOf(await within(admin, boilerId, from, to), ADMIN)?.rights.alarmManagement, true);
});

testApp("memberships count up to 100,000 times, as often as they and their roles changed", async (target) => {
  const { admin, ada, ids, boilerId } = await setAccessScene(target);
  await addPeople(target, boilerId, 300);
  const from = pass(target);
  const { revision } = await peopleOf(admin, boilerId);
  const parentId = 1_000_000;
  const numbers = JSON.stringify(Array.from({ length: 4000 }, (_, i) => i + 1));
  const former = JSON.stringify(repeated(500, [parentId, boilerId]));
  await execute(target, ADD_FORMER, { revision, now: target.clock.now(), numbers, former });
  const to = pass(target);
  const status = async (userId: number, count: number, filter: object = {}): Promise<number> => {
    await execute(target, [
      "DELETE FROM member_history WHERE member_id >= 5000000",
      `INSERT INTO member_history (member_id, role_id, user_id, rights, from_rev, to_rev)
        SELECT 5000000 + value, :parentId, :userId + value * :others, 63, :revision + value, :revision + value + 1
        FROM json_each(:numbers) WHERE value <= :count`,
    ], { parentId, userId, others: userId === 0 ? 1 : 0, revision, numbers, count });
    const path = `/v1/role/${boilerId}/access/query`;
    return (await ada.ask("POST", path, { during: { from, to }, filter })).status;
  };
  for (const filter of [{}, { userEmail: [BOB] }, { right: ["viewManagement"] }]) {
    assert.equal(await status(ids.bob, 190, filter), 200);
    assert.equal(await status(ids.bob, 210, filter), 422);
  }
  const userEmail = Array.from({ length: 300 }, (_, i) => `person${i + 1}@example.net`);
  assert.equal(await status(0, 300), 200, "pages read a part");
  assert.equal(await status(0, 300, { userEmail }), 422, "addresses are one page");
  assert.equal(await status(0, 300, { userEmail: userEmail.slice(0, 150) }), 200);
});

testApp("what ended before the rest began gives nothing", async (target) => {
  const { admin, rootId, teamId, plantId, boilerId } = await setTeamScene(target);
  const topId = await admin.create(rootId, "Top", rights("roleManagement"), NONE);
  const from = pass(target);
  await join(admin, teamId, EVE);
  pass(target);
  await leave(admin, teamId, EVE);
  pass(target);
  await connect(admin, teamId, boilerId, rights("alarmManagement"));
  const members = pass(target);
  assert.equal(entryOf(await within(admin, boilerId, from, members), EVE), undefined, "the membership");
  await connect(admin, topId, teamId, rights("alarmManagement"));
  await connect(admin, plantId, teamId, rights("alarmManagement"));
  pass(target);
  await disconnect(admin, teamId, boilerId);
  pass(target);
  await join(admin, topId, EVE);
  const lower = pass(target);
  assert.equal(entryOf(await within(admin, boilerId, from, lower), EVE), undefined, "the lower relation");
});

testApp("rights of the role on itself count while it had them, in the period", async (target) => {
  const { admin, boilerId } = await setAccessScene(target);
  const set = (...names: string[]) =>
    admin.put(`/v1/role/${boilerId}`, { name: "Boiler", selfRights: rights(...names) });
  await set("reportManagement");
  pass(target);
  await set("viewManagement");
  const from = pass(target);
  const to = pass(target);
  await set("alarmManagement");
  const later = pass(target);
  const held = async (end: string) => entryOf(await within(admin, boilerId, from, end), BOB)?.rights;
  assert.deepEqual(await held(to), rights("viewManagement"));
  assert.deepEqual(await held(later), rights("viewManagement", "alarmManagement"));
});

testApp("the list of a period unites what the lists said at each moment of it", async (target) => {
  const { admin, rootId, plantId, boilerId } = await setAccessScene(target);
  const roleIds = [plantId, boilerId];
  for (const parentId of [plantId, rootId, boilerId]) roleIds.push(await admin.create(parentId, "More"));
  const emails = [ADA, BOB, EVE];
  await invite(target, admin, plantId, EVE);
  const random = randomNumbers(5);
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const mask = () => rights(...RIGHT_NAMES.filter((name) => name === "roleManagement" || random(3) === 0));
  const seen: { at: string; told: PersonAccess[][] }[] = [];
  for (let step = 0; step < 60; step++) {
    target.clock.advance(1 + random(5));
    const roleId = pick(roleIds);
    const kind = random(4);
    if (kind === 0) {
      const until = random(2) === 0 ? null : new Date(target.clock.now() + 6000).toISOString();
      const body = { until, rights: mask() };
      await admin.ask("PUT", `/v1/role/${roleId}/member?userEmail=${pick(emails)}`, body);
    } else if (kind === 1) {
      await admin.ask("PUT", `/v1/role/${pick(roleIds)}/manages?childRoleId=${roleId}`, mask());
    } else if (kind === 2) {
      const { member } = await admin.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`, {});
      const leaving = member.find(({ userEmail }) => emails.includes(userEmail));
      if (leaving) await admin.ask("DELETE", `/v1/role/${roleId}/member/${leaving.id}`);
    } else {
      const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${roleId}/managed-by/query`, {});
      const spare = manages.length > 1 ? pick(manages) : undefined;
      if (spare) await admin.ask("DELETE", `/v1/role/${spare.parentRoleId}/manages/${spare.id}`);
    }
    const told = await Promise.all(roleIds.map(async (id) => (await peopleOf(admin, id)).access));
    seen.push({ at: new Date(target.clock.now()).toISOString(), told });
  }
  let wider = 0;
  for (let first = 0; first < seen.length - 1; first += 2) {
    const last = Math.min(seen.length - 1, first + 1 + random(12));
    const moments = seen.slice(first, last + 1);
    const [{ at: from } = { at: "" }, { at: to } = { at: "" }] = [moments[0], moments.at(-1)];
    for (const [i, roleId] of roleIds.entries()) {
      const expected = unite(moments.map(({ told }) => told[i] ?? []));
      assert.deepEqual(
        (await within(admin, roleId, from, to)).access,
        expected,
        `${roleId} from ${from} to ${to}`,
      );
      const right = pick(RIGHT_NAMES);
      const filtered = (await within(admin, roleId, from, to, { filter: { right: [right] } })).access;
      assert.deepEqual(filtered, expected.filter((each) => each.rights[right]));
      if (moments.every(({ told }) => JSON.stringify(unite([told[i] ?? []])) !== JSON.stringify(expected))) {
        wider++;
      }
    }
  }
  assert.ok(wider > 15, `${wider} lists are those of no moment`);
});

/** Merges the entries of several lists: each has all that the lists say of it, without an end. */
function unite(lists: readonly PersonAccess[][]): PersonAccess[] {
  const united = new Map<number | undefined, PersonAccess>();
  for (const { until: _, ...entry } of lists.flat()) {
    const { userId } = entry;
    const known = united.get(userId) ?? entry;
    const held = RIGHT_NAMES.filter((name) => known.rights[name] || entry.rights[name]);
    const through = [...new Set([...known.through, ...entry.through])].sort((a, b) => a - b);
    const direct = known.direct || entry.direct;
    united.set(userId, { ...entry, rights: rights(...held), direct, through });
  }
  return [...united.values()].sort((a, b) => (a.userId ?? 0) - (b.userId ?? 0));
}
