/** Explanations of a right: ways, losses, what to widen and who may, and what stays hidden. */
import assert from "node:assert/strict";
import { FEW_MEMBERSHIPS } from "../../src/graph/rules/guard_queries.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { assertError, execute, forEachApp, MALFORMED, testApp, UNVERIFIED } from "../helpers/http.ts";
import { bootstrap, type Manages, type Member, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { makeProgram } from "../key/key_scene.ts";
import { explain, type Explanation, idsOf, nothing } from "./explain_scene.ts";

async function newPerson(target: TestApp, email: string): Promise<Person> {
  return new Person(target, (await target.createUser(email)).accessToken);
}

async function addMember(admin: Person, roleId: number, email: string, body: unknown = {}): Promise<number> {
  const path = `/v1/role/${roleId}/member?userEmail=${email}`;
  return (await admin.put<{ member: Member }>(path, body)).member.id;
}

/** Creates a role, and returns its id with that of its relation. */
async function create(
  person: Person,
  parentId: number,
  name: string,
  manages = ALL,
  selfRights = ALL,
): Promise<{ roleId: number; relationId: number }> {
  const created = await person.post<{ role: { id: number }; manages: Manages }>(
    `/v1/role?parentRoleId=${parentId}`,
    { manages, role: { name, selfRights } },
  );
  return { roleId: created.role.id, relationId: created.manages.id };
}

async function join(person: Person, parentId: number, childId: number, mask: unknown): Promise<number> {
  const path = `/v1/role/${parentId}/manages?childRoleId=${childId}`;
  return (await person.put<{ manages: Manages }>(path, mask)).manages.id;
}

testApp("an explanation shows the ways, where a right is lost, and what to widen", async (target) => {
  const { admin, rootId, memberId } = await bootstrap(target);
  const left = await create(admin, rootId, "Left", ALL);
  const right = await create(admin, rootId, "Right", rights("roleManagement", "viewManagement"));
  const site = await create(admin, left.roleId, "Site", rights("roleManagement"));
  const joined = await join(admin, right.roleId, site.roleId, ALL);

  const memberOf = { roleId: rootId, name: "Energy Inc" };
  const ask = (name: string): Promise<Explanation> => explain(admin, { roleId: site.roleId, right: name });
  const relation = (
    managesId: number,
    parentRoleId: number,
    childRoleId: number,
    name: string,
    ...names: string[]
  ): unknown => ({ managesId, parentRoleId, childRoleId, name, rights: names });
  const overLeft = [
    relation(left.relationId, rootId, left.roleId, "Left", ...Object.keys(ALL)),
    relation(site.relationId, left.roleId, site.roleId, "Site", "roleManagement"),
  ];
  const overRight = [
    relation(right.relationId, rootId, right.roleId, "Right", "roleManagement", "viewManagement"),
    relation(joined, right.roleId, site.roleId, "Site", ...Object.keys(ALL)),
  ];
  const { revision } = await ask("viewManagement");
  assert.deepEqual(await ask("viewManagement"), {
    allowed: true,
    revision,
    ways: [{ memberOf, relations: overRight }],
    blocked: [{ memberOf, relations: overLeft, lostAt: [site.relationId] }],
    fix: [],
    truncated: false,
  });
  assert.deepEqual(await ask("alarmManagement"), {
    allowed: false,
    revision,
    ways: [],
    blocked: [
      { memberOf, relations: overLeft, lostAt: [site.relationId] },
      { memberOf, relations: overRight, lostAt: [right.relationId] },
    ],
    fix: [{ managesId: site.relationId, right: "alarmManagement", mayYou: true }],
    truncated: false,
  });
  // Access itself comes by every way, whatever the relations carry.
  assert.deepEqual(await ask("member"), {
    allowed: true,
    revision,
    ways: [{ memberOf, relations: overLeft }, { memberOf, relations: overRight }],
    blocked: [],
    fix: [],
    truncated: false,
  });
  // Widening exactly this allows it.
  await admin.put(
    `/v1/role/${left.roleId}/manages/${site.relationId}`,
    rights("roleManagement", "alarmManagement"),
  );
  assert.equal((await ask("alarmManagement")).allowed, true);

  // Of a root, the self rights count, and the membership that limits them.
  const root = await explain(admin, { roleId: rootId, right: "viewManagement" });
  assert.deepEqual(root.ways, [{ memberOf, relations: [] }]);
  await addMember(admin, site.roleId, "sam@example.com", {
    rights: rights("viewManagement"),
    until: "2030-01-01T00:00:00Z",
  });
  const sam = await newPerson(target, "sam@example.com");
  await admin.put(`/v1/role/${site.roleId}`, { name: "Site", selfRights: rights("viewManagement") });
  const own = await explain(sam, { roleId: site.roleId, right: "alarmManagement" });
  const limited = {
    roleId: site.roleId,
    name: "Site",
    until: "2030-01-01T00:00:00.000Z",
    rights: rights("viewManagement"),
  };
  const { member } = await sam.post<{ member: Member[] }>("/v1/role/*/member/query", {});
  assert.deepEqual(own.blocked, [{
    memberOf: limited,
    relations: [],
    lostAt: [],
    lostAtMember: true,
    lostAtRole: true,
  }]);
  assert.deepEqual(own.fix, [
    { roleId: site.roleId, right: "alarmManagement", mayYou: false },
    { memberId: member[0]?.id, right: "alarmManagement", mayYou: false },
  ]);
  const asked = { roleId: site.roleId, right: "alarmManagement", userEmail: "Sam@Example.com" };
  const ofSam = await explain(admin, asked);
  assert.deepEqual(ofSam.blocked, own.blocked);
  assert.deepEqual(ofSam.fix.map(({ mayYou }) => mayYou), [true, true]);
  assert.ok(memberId !== member[0]?.id);
});

forEachApp("a caller gets explanations about themselves and those they manage alone", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const site = await create(admin, rootId, "Site");
  const other = await create(admin, rootId, "Other");
  await addMember(admin, site.roleId, "sam@example.com");
  await addMember(admin, site.roleId, "viewer@example.com", { rights: rights("viewManagement") });
  await addMember(admin, other.roleId, "other@example.com");
  const [sam, viewer, outsider] = await Promise.all(
    ["sam@example.com", "viewer@example.com", "other@example.com"].map((email) => newPerson(target, email)),
  );
  assert.ok(sam && viewer && outsider);
  const question = { roleId: site.roleId, right: "viewManagement" } as const;
  const { revision } = await explain(admin, question);

  assert.equal((await explain(sam, question)).allowed, true);
  assert.equal((await explain(admin, { ...question, userEmail: "sam@example.com" })).allowed, true);
  assert.equal((await explain(sam, { ...question, userEmail: "viewer@example.com" })).allowed, true);
  const own = await explain(viewer, { ...question, userEmail: "viewer@example.com" });
  assert.deepEqual(own, await explain(viewer, question));
  assert.equal(own.allowed, true);

  const of = nothing(revision);
  for (
    const [person, asked] of [
      [viewer, { userEmail: "sam@example.com" }],
      [outsider, { userEmail: "sam@example.com" }],
      [outsider, {}],
      [outsider, { userEmail: "other@example.com" }],
      [outsider, { keyId: 3 }],
      [outsider, { roleId: 123_456 }],
      [outsider, { roleId: 123_456, userEmail: "sam@example.com" }],
      [admin, { roleId: 123_456, userEmail: "sam@example.com" }],
      [admin, { userEmail: "other@example.com" }],
      [admin, { userEmail: "unknown@example.com" }],
      [admin, { keyId: 123_456 }],
      [viewer, { right: "member", userEmail: "sam@example.com" }],
      [outsider, { right: "member" }],
      [admin, { right: "member", userEmail: "other@example.com" }],
    ] as const
  ) {
    assert.deepEqual(await explain(person, { ...question, ...asked }), of, JSON.stringify(asked));
  }
  const both = { ...question, userEmail: "sam@example.com", keyId: 1 };
  assertError(await admin.ask("POST", "/v1/rights/explain", both), 400, MALFORMED);
  await execute(target, "DELETE FROM session");
  for (const asOf of [undefined, revision]) {
    assertError(await admin.ask("POST", "/v1/rights/explain", { ...question, asOf }), 401, UNVERIFIED);
  }
});

testApp("parts that the caller may not see are shown as hidden", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const hall = await create(admin, rootId, "Hall", rights("roleManagement", "viewManagement"));
  const site = await create(admin, hall.roleId, "Site");
  const room = await create(admin, site.roleId, "Room", rights("roleManagement", "userManagement"));
  await addMember(admin, site.roleId, "sam@example.com");
  await addMember(admin, rootId, "boss@example.com", { rights: rights("viewManagement") });
  const sam = await newPerson(target, "sam@example.com");
  const question = { roleId: room.roleId, right: "alarmManagement", userEmail: "boss@example.com" };
  const hidden = { hidden: true };
  const found = await explain(sam, question);
  assert.deepEqual(found.blocked, [{
    memberOf: hidden,
    relations: [
      hidden,
      hidden,
      {
        managesId: room.relationId,
        parentRoleId: site.roleId,
        childRoleId: room.roleId,
        name: "Room",
        rights: ["roleManagement", "userManagement"],
      },
    ],
    lostAt: [hidden, room.relationId],
    lostAtMember: true,
  }]);
  assert.deepEqual(found.fix, [
    hidden,
    { managesId: room.relationId, right: "alarmManagement", mayYou: true },
    hidden,
  ]);
  const way = [hall.relationId, site.relationId, room.relationId];
  assert.deepEqual((await explain(admin, question)).blocked.map(idsOf), [way]);
  // The response holds no name, id or address of the hidden roles.
  const text = JSON.stringify(found);
  for (const secret of ["Hall", "Energy", "boss", `:${hall.relationId}`, `:${hall.roleId}`]) {
    assert.ok(!text.includes(secret), secret);
  }
  // Nor with many memberships, for which what is seen is found in another way.
  await execute(
    target,
    `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
      INSERT INTO member (id, role_id, user_id) SELECT 1000000 + n, 1000000 + n, user_account.id
      FROM numbered CROSS JOIN user_account WHERE email = 'sam@example.com'`,
    { count: FEW_MEMBERSHIPS },
  );
  assert.deepEqual(await explain(sam, question), found);
});

forEachApp("mayYou of an explanation agrees with the result of the change", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const hall = await create(admin, rootId, "Hall", rights("roleManagement", "userManagement"));
  const few = rights("roleManagement", "userManagement");
  const site = await create(admin, hall.roleId, "Site", few, rights());
  await addMember(admin, hall.roleId, "eva@example.com", { rights: few });
  await addMember(admin, hall.roleId, "max@example.com");
  await addMember(admin, hall.roleId, "until@example.com", { until: "2027-01-01T00:00:00Z" });
  await addMember(admin, site.roleId, "sam@example.com", { rights: rights("reportManagement") });
  const people = await Promise.all(
    ["eva@example.com", "max@example.com", "until@example.com", "sam@example.com"].map((email) =>
      newPerson(target, email)
    ),
  );
  people.push(admin);
  const fixOf = async (person: Person, email: string): Promise<Explanation["fix"]> =>
    (await explain(person, { roleId: site.roleId, right: "viewManagement", userEmail: email })).fix;
  const said: unknown[] = [];
  for (const person of people) {
    for (const email of ["sam@example.com", "eva@example.com"]) {
      for (const item of await fixOf(person, email)) {
        if (item.hidden) continue;
        said.push(item.mayYou);
        const [path, body] = item.managesId !== undefined
          ? [`${hall.roleId}/manages/${item.managesId}`, { ...few, viewManagement: true }]
          : item.roleId !== undefined
          ? [`${site.roleId}`, { name: "Site", selfRights: rights("viewManagement") }]
          : email === "sam@example.com"
          ? [`${site.roleId}/member?userEmail=${email}`, {
            rights: rights("viewManagement", "reportManagement"),
          }]
          : [`${hall.roleId}/member?userEmail=${email}`, { rights: { ...few, viewManagement: true } }];
        const answer = await person.ask("PUT", `/v1/role/${path}`, body);
        const context = `${email}: ${JSON.stringify(item)} ${answer.text}`;
        assert.equal(answer.status, item.mayYou ? 200 : 403, context);
        if (answer.status === 200) await undo();
      }
    }
  }
  assert.ok(said.includes(true) && said.includes(false), JSON.stringify(said));

  async function undo(): Promise<void> {
    await admin.put(`/v1/role/${hall.roleId}/manages/${site.relationId}`, few);
    await admin.put(`/v1/role/${site.roleId}`, { name: "Site", selfRights: rights() });
    await addMember(admin, site.roleId, "sam@example.com", { rights: rights("reportManagement") });
    await addMember(admin, hall.roleId, "eva@example.com", { rights: few });
  }
});

testApp(
  "mayYou of an explanation is false where the caller lacks one right for the change",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const manages = rights("userManagement");
    const both = rights("roleManagement", "userManagement");
    const usual = { over: ALL, relation: ALL, member: ALL, subject: ALL };
    const cases = [
      // The team of the caller manages the role above the relation, and only the members of the one below.
      { ...usual, part: "relation", relation: manages },
      // The team, or the caller in it, manages only the members of both.
      { ...usual, part: "relation", over: manages, relation: both },
      { ...usual, part: "relation", relation: both, member: rights("userManagement", "viewManagement") },
      { ...usual, part: "role", member: rights("userManagement", "viewManagement") },
      // The caller may not give the right there, and may manage no members where they may give it.
      { ...usual, part: "membership", member: manages, subject: rights("roleManagement") },
    ];
    for (const [i, { part, over, relation, member, subject }] of cases.entries()) {
      const [caller, email] = [`caller${i}@example.com`, `subject${i}@example.com`];
      const team = await create(admin, rootId, "Team");
      const hall = await create(admin, rootId, "Hall");
      const site = await create(admin, rootId, "Site", ALL, rights());
      const other = await create(admin, rootId, "Other");
      await create(admin, other.roleId, "Below");
      await join(admin, team.roleId, hall.roleId, over);
      const joined = await join(admin, hall.roleId, site.roleId, relation);
      await addMember(admin, team.roleId, caller, { rights: member });
      await addMember(admin, other.roleId, caller);
      const roleOfSubject = part === "role" ? site.roleId : hall.roleId;
      const memberId = await addMember(admin, roleOfSubject, email, { rights: subject });
      const seen = rights("roleManagement", "viewManagement");
      const [change, path, body] = part === "relation"
        ? [{ managesId: joined }, `${hall.roleId}/manages/${joined}`, ALL]
        : part === "role"
        ? [{ roleId: site.roleId }, `${site.roleId}`, { name: "Site", selfRights: rights("viewManagement") }]
        : [{ memberId }, `${hall.roleId}/member?userEmail=${email}`, { rights: seen }];
      const person = await newPerson(target, caller);
      const question = { roleId: site.roleId, right: "viewManagement", userEmail: email };
      const fix = { ...change, right: "viewManagement", mayYou: false };
      assert.deepEqual((await explain(person, question)).fix, [fix], part);
      const answer = await person.ask("PUT", `/v1/role/${path}`, body);
      assert.equal(answer.status, 403, answer.text);
    }
  },
);

testApp("a key explains its own rights, and a key that may ask explains those of others", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const site = await create(admin, rootId, "Site");
  await addMember(admin, site.roleId, "sam@example.com");
  const plain = await makeProgram(target, admin, rootId, { rights: rights("viewManagement") });
  const asking = await makeProgram(target, admin, rootId, { rights: rights(), asks: true });
  const question = { roleId: site.roleId, right: "viewManagement" };
  const memberOf = {
    roleId: rootId,
    name: "Energy Inc",
    until: plain.key.expiresAt,
    rights: rights("viewManagement"),
  };

  const own = await explain(plain.program, question);
  assert.equal(own.allowed, true);
  assert.deepEqual(own.ways.map((way) => way.memberOf), [memberOf]);
  assert.deepEqual(await explain(plain.program, { ...question, keyId: plain.key.id }), own);
  assert.deepEqual(await explain(admin, { ...question, keyId: plain.key.id }), own);
  assert.deepEqual(await explain(asking.program, { ...question, keyId: plain.key.id }), own);
  assert.equal((await explain(asking.program, { ...question, userEmail: "sam@example.com" })).allowed, true);
  assert.deepEqual(
    await explain(plain.program, { ...question, userEmail: "sam@example.com" }),
    nothing(own.revision),
  );

  // Nothing updates what a key may use.
  const denied = await explain(admin, { ...question, keyId: asking.key.id });
  assert.deepEqual(denied.fix, [{ memberId: asking.key.id, right: "viewManagement", mayYou: false }]);
  // And a key that asks changes nothing.
  await admin.put(`/v1/role/${rootId}/manages/${site.relationId}`, rights("roleManagement"));
  const { fix } = await explain(asking.program, { ...question, keyId: plain.key.id });
  assert.deepEqual(fix, [{ managesId: site.relationId, right: "viewManagement", mayYou: false }]);
});

testApp("a key that may ask sees the memberships in the roles it reaches, and no others", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const hall = await create(admin, rootId, "Hall");
  const site = await create(admin, hall.roleId, "Site", rights("roleManagement"));
  const { program } = await makeProgram(target, admin, hall.roleId, { rights: rights(), asks: true });
  const question = { roleId: site.roleId, right: "viewManagement", userEmail: "sam@example.com" };

  // The key manages no members of the site, and may ask about them nevertheless.
  const memberId = await addMember(admin, site.roleId, "sam@example.com", { rights: rights() });
  const toWiden = [{ memberId, right: "viewManagement", mayYou: false }];
  assert.deepEqual((await explain(program, question)).fix, toWiden);
  await admin.delete(`/v1/role/${site.roleId}/member/${memberId}`);

  await addMember(admin, rootId, "sam@example.com", { rights: rights() });
  assert.deepEqual((await explain(program, question)).fix, [
    { managesId: site.relationId, right: "viewManagement", mayYou: false },
    { hidden: true },
  ]);
});

testApp("an explanation of the past shows the old relations with today's visibility", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const hall = await create(admin, rootId, "Hall");
  const site = await create(admin, hall.roleId, "Site");
  const samId = await addMember(admin, hall.roleId, "sam@example.com");
  const sam = await newPerson(target, "sam@example.com");
  const question = { roleId: site.roleId, right: "viewManagement" };
  const before = await explain(sam, question);
  const ofSam = { ...question, userEmail: "sam@example.com", asOf: before.revision };
  assert.equal(before.allowed, true);
  assert.deepEqual(await explain(sam, { ...question, asOf: before.revision }), before);
  assert.deepEqual(await explain(admin, ofSam), before);

  target.clock.advance(60);
  await admin.delete(`/v1/role/${hall.roleId}/member/${samId}`);
  assert.equal((await explain(sam, question)).allowed, false);
  assert.deepEqual(await explain(sam, { ...question, asOf: before.revision }), nothing(before.revision));
  // As soon as they see the role again, they hear that they had it, and nothing of what they do not see any more.
  await admin.put(`/v1/role/${site.roleId}/member?userEmail=sam@example.com`, { rights: rights() });
  const hidden = { hidden: true };
  assert.deepEqual(await explain(sam, { ...question, asOf: before.revision }), {
    ...before,
    ways: [{ memberOf: hidden, relations: [hidden] }],
  });
  assert.deepEqual(await explain(admin, ofSam), before);
  assert.deepEqual(
    await explain(sam, { ...ofSam, userEmail: "admin@example.com" }),
    nothing(before.revision),
  );

  await admin.delete(`/v1/role/${hall.roleId}/manages/${site.relationId}`);
  for (const gone of [{ ...question, asOf: before.revision }, ofSam]) {
    assert.deepEqual(await explain(admin, gone), nothing(before.revision), "a deleted role is visible");
  }
  for (const asOf of [before.revision + 1000, "2100-01-01T00:00:00Z", "soon"]) {
    assertError(await admin.ask("POST", "/v1/rights/explain", { ...question, asOf }), 400, MALFORMED);
  }
});

testApp("a session that ends between the two reads of an explanation gets a 401", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { database } = target.deps;
  const read = database.read.bind(database);
  let reads = 0;
  database.read = async (statement) => {
    if (++reads === 2) await execute({ database }, "DELETE FROM session");
    return await read(statement);
  };
  const answer = await admin.ask("POST", "/v1/rights/explain", { roleId: rootId, right: "viewManagement" });
  assertError(answer, 401, UNVERIFIED);
  assert.equal(reads, 2);
});
