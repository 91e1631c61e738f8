/** Who may ask the Authorization API about whom, what it permits, and what a question may cost. */
import assert from "node:assert/strict";
import { EVALUATION_STEPS } from "../../src/throttle/limits.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import {
  type Answer,
  assertError,
  execute,
  forEachApp,
  query,
  testApp,
  UNVERIFIED,
} from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { daysAfter, makeProgram } from "../key/key_scene.ts";
import {
  accountId,
  action,
  ALICE,
  BOB,
  decide,
  device,
  post,
  READ,
  readPages,
  results,
  role,
  type Scene,
  setScene,
  user,
  WRITE,
} from "./scene.ts";

const key = (id: number) => ({ type: "key", id: String(id) });

testApp("every user may ask about themselves, by id or by address", async (target) => {
  const scene = await setScene(target);
  const own = [user(await accountId(target, BOB)), user(BOB), user(" BOB@Example.com ")];
  for (const subject of own) {
    const ask = (name: string) => decide(scene, scene.bob, subject, name, role(scene.roleId));
    assert.deepEqual([await ask(READ), await ask(WRITE), await ask("member")], [true, false, true]);
  }
});

/** The reason tells of the request alone that it names something which cannot exist. */
function withoutReason({ text }: Answer): string {
  return JSON.stringify(JSON.parse(text), (key, value) => key === "reason" ? undefined : value);
}

testApp("a denial, a hidden subject and an unknown subject or resource look alike", async (target) => {
  const scene = await setScene(target);
  const hiddenId = await scene.admin.create(scene.rootId, "Hidden");
  await scene.admin.put(`/v1/role/${hiddenId}/member?userEmail=${ALICE}`);
  const known = role(scene.roleId);
  const asked: [object, object][] = [
    // Bob may not list the members of his role, nor see the other.
    [user(ALICE), known],
    [user(await accountId(target, ALICE)), known],
    [user("nobody@example.com"), known],
    [user("999999"), known],
    [key(1), known],
    [user(BOB), role(hiddenId)],
    [user(ALICE), role(hiddenId)],
    [user(BOB), role(999_999)],
    [user(BOB), { type: "device", id: "meter" }],
    [user(BOB), device(scene.roleId)],
    [user(""), known],
    [user("-1"), known],
    [user("1e0"), known],
    [{ type: "User", id: BOB }, known],
  ];
  const texts = new Set<string>();
  for (const [subject, resource] of asked) {
    const body = { subject, action: action("member"), resource };
    const answer = await post(scene, scene.bob, "evaluation", body);
    assert.equal(answer.status, 200);
    texts.add(withoutReason(answer));
    assert.deepEqual(await results(scene, scene.bob, "action", { subject, resource }), []);
  }
  const other = { subject: user(BOB), action: action("fly"), resource: known };
  texts.add(withoutReason(await post(scene, scene.bob, "evaluation", other)));
  assert.deepEqual([...texts].map((text) => JSON.parse(text).decision), [false]);
});

testApp(
  "a denial says which name does not exist, to every asker, and nothing about what is stored",
  async (target) => {
    const scene = await setScene(target);
    const known = role(scene.roleId);
    const asked: [object, string, object, string | undefined][] = [
      [{ type: "identity", id: BOB }, "GET", { type: "route", id: "/todos" }, "identity"],
      [user("CiRmZDA2MTRkMy1jMzlh"), READ, known, "address"],
      [{ type: "key", id: "none" }, READ, known, "number"],
      [user(BOB), "GET", { type: "route", id: "/todos" }, "route"],
      [user(BOB), READ, { type: "role", id: "record" }, "nodeId"],
      [user(BOB), "can_read_todos", known, READ],
      [user(BOB), "toString", { type: "constructor", id: "1" }, "route"],
      [user(BOB), WRITE, known, undefined],
      [user("999999"), READ, known, undefined],
      [user(BOB), READ, role(999_999), undefined],
    ];
    const evaluations = asked.map(([subject, name, resource]) => ({
      subject,
      action: action(name),
      resource,
    }));
    const list = await post(scene, scene.bob, "evaluations", { evaluations });
    const listed =
      (list.body as { evaluations: { decision: boolean; context: { reason?: string } }[] }).evaluations;
    for (const [i, [, , , named]] of asked.entries()) {
      const single = (await post(scene, scene.bob, "evaluation", evaluations[i]))
        .body as typeof listed[number];
      const { reason } = single.context;
      assert.equal(single.decision, false);
      assert.equal(listed[i]?.context.reason, reason);
      if (named === undefined) assert.equal(reason, undefined);
      else assert.ok(reason?.includes(named), `${reason} for ${named}`);
    }
  },
);

testApp(
  "a search for users names addresses on request, of those whom the caller sees in the list of access",
  async (target) => {
    const scene = await setScene(target);
    const search = (person: Person, context: object) =>
      results(scene, person, "subject", {
        subject: { type: "user" },
        action: action("member"),
        resource: role(scene.roleId),
        context,
      });
    const ids = await search(scene.alice, {});
    assert.equal(ids.length, 3);
    const emails = await search(scene.alice, { ids: "email" });
    const known = await query<{ id: number; email: string }>(target, "SELECT id, email FROM user_account");
    const emailOf = new Map(known.map(({ id, email }) => [String(id), email]));
    assert.deepEqual(
      emails,
      (ids as { type: string; id: string }[]).map(({ type, id }) => ({ type, id: emailOf.get(id) })),
    );
    // Those who see no list of access find only themselves.
    assert.deepEqual(await search(scene.bob, { ids: "email" }), [user(BOB)]);
    assert.deepEqual(await search(scene.alice, { ids: "name" }), ids);
  },
);

testApp("a key may ask about itself, and with `asks` about others of its roles", async (target) => {
  const scene = await setScene(target);
  const none = rights();
  const plain = await makeProgram(target, scene.admin, scene.bobTeamId, { rights: none });
  const asking = await makeProgram(target, scene.admin, scene.bobTeamId, { rights: none, asks: true });
  for (const { program, key: own } of [plain, asking]) {
    assert.equal(await decide(scene, program, key(own.id), "member", role(scene.roleId)), true);
    assert.equal(await decide(scene, program, key(own.id), READ, role(scene.roleId)), false);
  }
  const ask = (program: Person, id: number) => decide(scene, program, user(BOB), "member", role(id));
  assert.equal(await ask(plain.program, scene.roleId), false);
  assert.equal(await ask(asking.program, scene.roleId), true);
  assert.equal(await decide(scene, asking.program, user(ALICE), WRITE, role(scene.roleId)), true);
  assert.equal(await decide(scene, asking.program, user(ALICE), "member", role(scene.aliceTeamId)), false);
  assert.equal(await decide(scene, asking.program, key(plain.key.id), "member", role(scene.roleId)), true);
  // A user and a key with the same id are different subjects.
  const namesake = user(String(plain.key.id));
  assert.equal(await decide(scene, scene.admin, namesake, "member", role(scene.roleId)), false);
  const body = { subject: { type: "key" }, action: action("member"), resource: role(scene.roleId) };
  const bothKeys = [key(plain.key.id), key(asking.key.id)];
  assert.deepEqual(await results(scene, asking.program, "subject", body), bothKeys);
  assert.deepEqual(await results(scene, plain.program, "subject", body), [key(plain.key.id)]);
  const people = { ...body, subject: { type: "user" } };
  assert.deepEqual(await results(scene, plain.program, "subject", people), []);
  await scene.admin.delete(`/v1/role/${scene.bobTeamId}/key/${asking.key.id}`);
  const evaluation = { subject: user(BOB), action: action("member"), resource: role(scene.roleId) };
  for (const path of ["evaluation", "search/subject", "search/resource", "search/action"]) {
    assertError(await post(scene, asking.program, path, evaluation), 401, UNVERIFIED, path);
  }
  const evaluations = [evaluation];
  assertError(await post(scene, asking.program, "evaluations", { evaluations }), 401, UNVERIFIED);
});

testApp("a membership permits only the rights that it carries, and only until it ends", async (target) => {
  const scene = await setScene(target);
  const until = daysAfter(target.clock.now(), 1);
  const path = `/v1/role/${scene.roleId}/member?userEmail=carol@example.com`;
  await scene.admin.put(path, { until, rights: rights(READ) });
  const { accessToken } = await target.createUser("carol@example.com");
  const carol = new Person(target, accessToken);
  const carolId = await accountId(target, "carol@example.com");
  const asks = async (person: Person, name: string): Promise<unknown[]> => [
    await decide(scene, person, user("carol@example.com"), name, role(scene.roleId)),
    (await results(scene, person, "resource", {
      subject: user("carol@example.com"),
      action: action(name),
      resource: { type: "role" },
    })).length,
    (await results<{ id: string }>(scene, person, "subject", {
      subject: { type: "user" },
      action: action(name),
      resource: role(scene.roleId),
    })).filter(({ id }) => id === carolId).length,
  ];
  for (const person of [carol, scene.admin]) {
    assert.deepEqual(await asks(person, READ), [true, 1, 1]);
    assert.deepEqual(await asks(person, "alarmManagement"), [false, 0, 0]);
  }
  target.clock.advance(24 * 60 * 60);
  for (const email of ["carol@example.com", "admin@example.com"]) {
    const person = new Person(target, await target.accessToken(Number(await accountId(target, email))));
    for (const name of [READ, "member"]) assert.deepEqual(await asks(person, name), [false, 0, 0]);
  }
});

forEachApp("members may read a device, and write and manage it with the rights", async (target) => {
  const scene = await setScene(target);
  const id = await addDevice(scene.admin, scene.roleId, "meter 1");
  const all = ["read", "write", "manage"];
  const { program } = await makeProgram(target, scene.admin, scene.rootId, { asks: true });
  for (const asker of [scene.admin, program]) {
    for (const resource of [device(id), device("meter 1")]) {
      const ask = (email: string) =>
        Promise.all(all.map((name) => decide(scene, asker, user(email), name, resource)));
      // Alice's relation carries roleManagement, Bob's does not.
      assert.deepEqual([await ask(ALICE), await ask(BOB)], [[true, true, true], [true, false, false]]);
      const actions = await results(scene, asker, "action", { subject: user(ALICE), resource });
      assert.deepEqual(actions, all.map(action));
    }
  }
  // Bob manages the members of no role that monitors the device.
  assert.equal(await decide(scene, scene.bob, user(ALICE), "read", device(id)), false);
  assert.equal(await decide(scene, scene.bob, user(BOB), "read", device(id)), true);
});

testApp("a numeric resource id is the id of a device, never its nodeId", async (target) => {
  const scene = await setScene(target);
  const { admin, rootId } = scene;
  const ownId = await addDevice(admin, scene.roleId, "meter");
  await addDevice(admin, rootId, String(ownId + 100));
  const otherId = await addDevice(admin, rootId, String(ownId));
  const ask = (id: number | string) => decide(scene, scene.bob, user(BOB), "read", device(id));
  assert.deepEqual([await ask(ownId), await ask(otherId), await ask(ownId + 100)], [true, false, false]);
  for (const other of [`0${ownId}`, ` ${ownId}`]) assert.equal(await ask(other), false);
  assert.equal(await ask("meter"), true);
});

testApp("a decision about a right has an explanation if the request asks for it", async (target) => {
  const scene = await setScene(target);
  const explain = async (person: Person, subject: object, name: string, resource: object) => {
    const body = { subject, action: action(name), resource, context: { explain: true } };
    const single = await post(scene, person, "evaluation", body);
    assert.equal(single.status, 200, single.text);
    assert.deepEqual((await post(scene, person, "evaluations", body)).body, single.body);
    const { decision, context: { revision, reason_user: reason } } = single.body as {
      decision: boolean;
      context: { revision: number; reason_user?: { allowed: boolean; revision: number } };
    };
    assert.equal(decision, await decide(scene, person, subject, name, resource));
    if (reason === undefined) return undefined;
    assert.deepEqual([reason.allowed, reason.revision], [decision, revision]);
    return reason;
  };
  const { roleId } = scene;
  const asked = (more: object = {}) => ({ roleId, right: WRITE, ...more });
  const told = (person: Person, body: object) => person.post("/v1/rights/explain", body);
  const bobId = user(await accountId(target, BOB));
  for (const subject of [user(BOB), bobId]) {
    const reason = await explain(scene.admin, subject, WRITE, role(roleId));
    assert.deepEqual(reason, await told(scene.admin, asked({ userEmail: BOB })));
    assert.deepEqual(await explain(scene.bob, subject, WRITE, role(roleId)), await told(scene.bob, asked()));
  }
  const { program, key: { id: keyId } } = await makeProgram(target, scene.admin, scene.bobTeamId);
  assert.deepEqual(
    await explain(scene.admin, key(keyId), WRITE, role(roleId)),
    await told(scene.admin, asked({ keyId })),
  );
  assert.deepEqual(await explain(program, key(keyId), WRITE, role(roleId)), await told(program, asked()));
  // Bob gets the same explanation about Alice, whom he may not ask about, as about an unknown address.
  const ofUnknown = await explain(scene.bob, user("nobody@example.com"), WRITE, role(roleId));
  assert.deepEqual(await explain(scene.bob, user(ALICE), WRITE, role(roleId)), ofUnknown);
  assert.equal(await explain(scene.admin, user(BOB), "member", role(roleId)), undefined);
  const list = await post(scene, scene.admin, "evaluations", {
    subject: user(BOB),
    action: action(WRITE),
    context: { explain: true },
    evaluations: [{ resource: role(roleId) }],
  });
  assert.deepEqual(
    Object.keys((list.body as { evaluations: { context: object }[] }).evaluations[0]?.context ?? {}),
    ["revision"],
  );
});

// ---- costs

const NUMBERED =
  "WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)";

async function addMemberships(target: TestApp, email: string, count: number): Promise<void> {
  await execute(
    target,
    `${NUMBERED}
      INSERT INTO member (id, role_id, user_id) SELECT 1000000 + n, 1000000 + n, :userId FROM numbered`,
    { count, userId: Number(await accountId(target, email)) },
  );
}

/** A list of different questions. */
function listOf(scene: Scene, count: number): object {
  const evaluations = Array.from({ length: count }, (_, i) => ({ resource: role(scene.roleId + i) }));
  return { subject: user(BOB), action: action("member"), evaluations };
}

testApp("a list that costs more than the whole limit gets a 422", async (target) => {
  const scene = await setScene(target);
  await addMemberships(target, BOB, EVALUATION_STEPS / 500);
  const answer = await post(scene, scene.bob, "evaluations", listOf(scene, 1000));
  assertError(answer, 422, "The evaluations cost too much together: send fewer");
  assert.equal((await post(scene, scene.bob, "evaluations", listOf(scene, 400))).status, 200);
});

const ADD_ANCESTORS = `${NUMBERED}
  INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT :roleId, 2000000 + n, 0 FROM numbered`;

/** A list about different subjects. */
function subjectsOf(scene: Scene, count: number): object {
  const evaluations = Array.from({ length: count }, (_, i) => ({ subject: user(`${i + 1}`) }));
  return { action: action("member"), resource: role(scene.roleId), evaluations };
}

testApp("a list about a role below too many others gets a 422", async (target) => {
  const scene = await setScene(target);
  await execute(target, ADD_ANCESTORS, { count: 600, roleId: scene.roleId });
  const subjects = (count: number) => subjectsOf(scene, count);
  assert.equal((await post(scene, scene.admin, "evaluations", subjects(800))).status, 200);
  const answer = await post(scene, scene.admin, "evaluations", subjects(1000));
  assertError(answer, 422, "The evaluations cost too much together: send fewer");
});

// ---- long searches

const ADD_ROLES = [
  `${NUMBERED} INSERT INTO role (id, name, self_rights) SELECT 10000 + n, 'r' || n, 0 FROM numbered`,
  `${NUMBERED} INSERT INTO role_closure (descendant_id, ancestor_id, rights)
    SELECT 10000 + n, :parentId, iif(n % 500, 0, 4) FROM numbered`,
];

testApp("a search through many roles finds all matches, over pages that may be short", async (target) => {
  const scene = await setScene(target);
  const wishes = { rights: rights(), asks: true };
  const { program } = await makeProgram(target, scene.admin, scene.bobTeamId, wishes);
  for (const count of [4500, 12_000]) {
    await execute(target, [
      "DELETE FROM role WHERE id > 10000",
      "DELETE FROM role_closure WHERE descendant_id > 10000",
    ]);
    await execute(target, ADD_ROLES, { count, parentId: scene.bobTeamId });
    const body = { subject: user(BOB), action: action(READ), resource: { type: "role" } };
    const found = await readPages<{ id: string }>(scene, scene.bob, "resource", body, 1000);
    const expected = [scene.bobTeamId, scene.roleId]
      .concat(Array.from({ length: count / 500 }, (_, i) => 10_000 + (i + 1) * 500));
    assert.deepEqual(found.map(({ id }) => Number(id)), expected);
    const ofAlice = { ...body, subject: user(ALICE) };
    assert.deepEqual(await readPages(scene, program, "resource", ofAlice, 1000), [role(scene.roleId)]);
  }
});

const ADD_MEMBERS = `${NUMBERED}
  INSERT INTO member (id, role_id, user_id, rights)
    SELECT 4000000 + n, :roleId, 4000000 + n, iif(n % 1000, 0, 63) FROM numbered`;

const ADD_ACCOUNTS = `${NUMBERED}
  INSERT INTO user_account (id, email, created_at) SELECT 4000000 + n, n || '@x.example', 0 FROM numbered`;

forEachApp("a search through many members finds all matches over pages that may be short", async (target) => {
  const scene = await setScene(target);
  await execute(target, ADD_ACCOUNTS, { count: 30_000 });
  await execute(target, ADD_MEMBERS, { count: 30_000, roleId: scene.bobTeamId });
  const body = { subject: { type: "user" }, action: action(READ), resource: role(scene.roleId) };
  const found = await readPages<{ id: string }>(scene, scene.admin, "subject", body, 1000);
  const people = ["admin@example.com", ALICE, BOB];
  const known = await Promise.all(people.map((email) => accountId(target, email)));
  const many = Array.from({ length: 30 }, (_, i) => String(4_000_000 + (i + 1) * 1000));
  assert.deepEqual(found.map(({ id }) => id), [...known, ...many]);
  const members = await readPages(scene, scene.admin, "subject", { ...body, action: action("member") }, 1000);
  assert.equal(members.length, 30_003);
});
