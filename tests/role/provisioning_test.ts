/** Keys that provision add members within what their makers could at that moment. */
import assert from "node:assert/strict";
import { DEFAULT_STORE_LIMITS } from "../../src/changes/store_limits.ts";
import { createKey as createKeyByTask } from "../../src/key/key_service.ts";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import {
  type Answer,
  assertError,
  assertUnchanged,
  assertWait,
  DENIED,
  execute,
  forEachApp,
  MALFORMED,
  query,
  queryNumber,
  type Sent,
  testApp,
} from "../helpers/http.ts";
import { readMails } from "../helpers/mails.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { explain } from "../explain/explain_scene.ts";
import { effectIn, ifEffect } from "../changes/effect_scene.ts";
import { daysAfter, type KeyWishes, makeProgram } from "../key/key_scene.ts";
import type { LimitedMember, Limits } from "./membership_scene.ts";

const MAKER = "maker@example.com";
const MANAGE = rights("userManagement", "viewManagement");
const ADDITIONS = "SELECT coalesce(sum(count), 0) FROM throttle WHERE scope = 'provision.maker'";
const INVITATIONS =
  "SELECT coalesce(sum(count), 0) FROM throttle WHERE scope = 'invitation.caller' AND key = '2'";

/** A root with a site and a room. The maker is a member of the site, and has made a key of it that provisions. */
async function setScene(target: TestApp, limits: Limits = {}, wishes: KeyWishes = {}) {
  const { admin, rootId, memberId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const roomId = await admin.create(siteId, "Room");
  const maker = await invite(target, admin, siteId, MAKER);
  await admin.addMember(siteId, MAKER, limits);
  await execute(target, "DELETE FROM throttle");
  const made = await makeProgram(target, maker, siteId, { provisions: true, ...wishes });
  return { target, admin, rootId, memberId, siteId, roomId, maker, ...made };
}

/** Reserves old@example.com, as if its account had just given it up. */
function reserve(target: TestApp): Promise<void> {
  const until = target.clock.now() + 1000;
  return execute(target, `INSERT INTO reserved_email VALUES ('old@example.com', 1, ${until})`);
}

function ask(
  by: Person,
  roleId: number,
  email: string,
  limits: Limits = {},
  query = "",
  sent: Sent = {},
): Promise<Answer> {
  return by.ask("PUT", `/v1/role/${roleId}/member?userEmail=${email}${query}`, limits, sent);
}

async function add(
  by: Person,
  roleId: number,
  email: string,
  limits: Limits = {},
  query = "",
): Promise<LimitedMember> {
  const answer = await ask(by, roleId, email, limits, query);
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { member: LimitedMember }).member;
}

forEachApp("a key that provisions adds members without mail, and removes them", async (target) => {
  const { admin, siteId, roomId, program, key } = await setScene(target);
  const mails = (await readMails(target)).length;
  assert.equal(key.provisions, true);
  const member = await add(program, roomId, "new@example.com", {}, "&language=nl");
  const given = { roleId: roomId, userEmail: "new@example.com", until: key.expiresAt };
  assert.deepEqual(member, { id: member.id, ...given });
  const accounts = await query(target, "SELECT language FROM user_account WHERE email = 'new@example.com'");
  assert.deepEqual(accounts, [{ language: "nl" }]);
  const narrowed = await add(program, roomId, "new@example.com", { rights: MANAGE });
  assert.deepEqual(narrowed, { ...member, rights: MANAGE });
  assert.deepEqual(await add(program, roomId, "new@example.com", { rights: MANAGE }), narrowed);
  await program.delete(`/v1/role/${roomId}/member/${member.id}`);
  assert.equal(await admin.memberIdOf(roomId, "new@example.com"), 0);
  assert.equal((await readMails(target)).length, mails);
  assert.equal(await queryNumber(target, ADDITIONS), 1, "only the addition counts");
  // A key without it adds nobody, whatever its rights.
  const { program: other } = await makeProgram(target, admin, siteId, { asks: true });
  assertError(await ask(other, roomId, "another@example.com"), 403, DENIED);
});

testApp("what a key gives lies within its membership and one of its maker's", async (target) => {
  const { admin, siteId, roomId, rootId, program, key } = await setScene(target, {}, { rights: MANAGE });
  const now = target.clock.now();
  const gives = async (limits: Limits, expected: Limits | "denied", roleId = roomId): Promise<void> => {
    const email = `user${await queryNumber(target, "SELECT max(id) FROM user_account")}@example.com`;
    if (expected === "denied") return assertError(await ask(program, roleId, email, limits), 403, DENIED);
    const { until, rights: given } = await add(program, roleId, email, limits);
    assert.deepEqual({ until, rights: given }, expected);
  };
  const [soon, late] = [daysAfter(now, 5), daysAfter(now, 20)];
  await gives({}, { until: key.expiresAt, rights: MANAGE });
  await gives({ until: soon, rights: rights() }, { until: soon, rights: rights() });
  await gives({ rights: ALL }, "denied");
  await gives({ rights: null }, "denied");
  await gives({ until: null }, "denied");
  await gives({ until: daysAfter(now, 91) }, "denied");
  await gives({}, "denied", rootId);

  // The maker has less than the key.
  await admin.addMember(siteId, MAKER, {
    until: late,
    rights: rights("userManagement", "alarmManagement"),
  });
  const both = rights("userManagement");
  await gives({}, { until: late, rights: both });
  await gives({ rights: MANAGE }, "denied");
  await gives({ until: daysAfter(now, 21) }, "denied");
  // A second membership of the maker has the right, and ends sooner: the two do not add up.
  await admin.addMember(roomId, MAKER, { until: soon, rights: MANAGE });
  await gives({ rights: MANAGE, until: soon }, { until: soon, rights: MANAGE });
  await gives({ rights: MANAGE, until: late }, "denied");
  // Of what is there already it may take, but only add as a whole what it could give.
  await admin.addMember(roomId, "there@example.com", {
    rights: rights("viewManagement"),
  });
  assertError(await ask(program, roomId, "there@example.com", { rights: MANAGE }), 403, DENIED);
  await add(program, roomId, "there@example.com", { rights: rights(), until: late });
});

testApp("a key does nothing with members that its maker could not, dormant or not", async (target) => {
  const { admin, siteId, roomId, rootId, program } = await setScene(target);
  const member = await add(program, roomId, "there@example.com");
  // As if awake: the maker's factor does not matter.
  await execute(target, `UPDATE role SET needs = 2 WHERE id = ${siteId}`);
  await add(program, roomId, "second@example.com");
  await execute(target, `UPDATE role SET needs = 0 WHERE id = ${siteId}`);
  const refused = async (why: string): Promise<void> => {
    await assertUnchanged(target, why, async () => {
      for (const email of ["new@example.com", "there@example.com", MAKER]) {
        for (const query of ["", "&dryRun=true", "&invite=true"]) {
          assertError(await ask(program, roomId, email, {}, query), 403, DENIED, `${why}: ${email}${query}`);
        }
      }
      assertError(await ask(program, roomId, "there@example.com", { rights: rights() }), 403, DENIED, why);
      const removal = await program.ask("DELETE", `/v1/role/${roomId}/member/${member.id}`);
      assertError(removal, 403, DENIED, why);
    });
  };
  const path = `/v1/role/${siteId}/member`;
  await admin.put(`${path}?userEmail=${MAKER}`, { rights: rights("viewManagement") });
  await refused("the maker lost userManagement");
  await admin.put(`${path}?userEmail=${MAKER}`, {
    rights: null,
    until: daysAfter(target.clock.now(), 1 / 1440),
  });
  target.clock.advance(61);
  await refused("the maker's membership has ended");
  await admin.put(`${path}?userEmail=${MAKER}`);
  await add(program, roomId, "third@example.com");
  // A member elsewhere is no member here.
  const elsewhere = await admin.create(rootId, "Elsewhere");
  await admin.addMember(elsewhere, MAKER);
  await admin.delete(`${path}/${await admin.memberIdOf(siteId, MAKER)}`);
  await refused("the maker was removed");
  await execute(target, `DELETE FROM user_account WHERE email = '${MAKER}'`);
  await execute(target, "DELETE FROM member WHERE user_id = 2");
  await refused("the maker's account is deleted");
});

testApp("an explanation offers a key that provisions the memberships that it may widen", async (target) => {
  const { admin, siteId, roomId, program } = await setScene(target);
  const { program: other } = await makeProgram(target, admin, siteId);
  const until = daysAfter(target.clock.now(), 5);
  await add(program, roomId, "user@example.com", { rights: MANAGE, until });
  const wider = { rights: { ...MANAGE, reportManagement: true }, until };
  const offers = async (by: Person) => {
    const right = "reportManagement" as const;
    const { fix } = await explain(by, { roleId: roomId, right, userEmail: "user@example.com" });
    return fix.map(({ mayYou }) => mayYou);
  };
  assert.deepEqual([await offers(program), await offers(other)], [[true], [false]]);
  assertError(await ask(other, roomId, "user@example.com", wider), 403, DENIED);
  await admin.addMember(siteId, MAKER, { rights: MANAGE });
  assert.deepEqual(await offers(program), [false]);
  assertError(await ask(program, roomId, "user@example.com", wider), 403, DENIED);
  await admin.addMember(siteId, MAKER, { rights: ALL });
  assert.deepEqual(await offers(program), [true]);
  assert.deepEqual((await add(program, roomId, "user@example.com", wider)).rights, wider.rights);
});

testApp("a key of an administrator's task gives what it has, and keeps or takes no root", async (target) => {
  const { admin, rootId, memberId } = await bootstrap(target);
  const { secret } = await createKeyByTask(target.deps, "administrator", {
    roleId: rootId,
    name: "Loader",
    provisions: true,
  });
  const program = new Person(target, secret);
  await add(program, rootId, "new@example.com", {}, "&invite=true");
  assert.equal((await readMails(target, "invitation")).at(-1)?.recipient, "new@example.com");
  for (const limits of [{ rights: rights() }, { until: daysAfter(target.clock.now(), 1) }]) {
    const left = "The root role would be left without a lasting member with roleManagement";
    assertError(await ask(program, rootId, ADMIN, limits), 409, left);
  }
  assertError(await ask(program, rootId, ADMIN, { rights: rights("roleManagement") }), 403, DENIED);
  const removal = await program.ask("DELETE", `/v1/role/${rootId}/member/${memberId}`);
  assertError(removal, 409, "The root role would be left without a member");
  assert.equal(await admin.memberIdOf(rootId, ADMIN), memberId);
  assert.deepEqual(await query(target, "SELECT key, count FROM throttle WHERE scope = 'provision.maker'"), [
    { key: "key 2", count: 1 },
  ]);
});

forEachApp("with invite, a new member gets a mail in the maker's name, counted to them", async (target) => {
  const { admin, siteId, roomId, maker, program } = await setScene(target);
  await execute(target, "DELETE FROM outbox");
  await add(program, roomId, "new@example.com", {}, "&invite=true");
  const mails = await query(target, "SELECT template, recipient, actor_email AS actor FROM outbox");
  assert.deepEqual(mails, [{ template: "invitation", recipient: "new@example.com", actor: MAKER }]);
  assert.deepEqual([await queryNumber(target, INVITATIONS), await queryNumber(target, ADDITIONS)], [1, 1]);
  await execute(target, "UPDATE throttle SET count = 49 WHERE scope = 'invitation.caller'");
  await maker.addMember(roomId, "last@example.com");
  assertWait(
    await ask(program, roomId, "more@example.com", {}, "&invite=true"),
    "TOO_MANY_INVITATIONS",
    86_400,
  );
  await add(program, roomId, "more@example.com", {}, "&invite=false");
  for (const [by, invites] of [[maker, "false"], [admin, "false"], [program, "maybe"]] as const) {
    assertError(await ask(by, siteId, "x@example.com", {}, `&invite=${invites}`), 400, MALFORMED);
  }
});

testApp("a key's answers are the same for known and unknown addresses", async (target) => {
  const { admin, rootId, roomId, program } = await setScene(target);
  const otherId = await admin.create(rootId, "Other");
  await invite(target, admin, otherId, "known@example.com");
  const shape = ({ status, text, headers }: Answer, email: string): unknown => [
    status,
    [...headers.keys()],
    text.replace(/"id":\d+/, '"id":0').replaceAll(email, "EMAIL").replace(
      /"(tag|revision)":("[^"]*"|\d+)/g,
      "",
    ),
  ];
  for (const more of ["&dryRun=true", "&invite=true&dryRun=true", ""]) {
    const [known, unknown] = ["known@example.com", "unknown@example.com"];
    assert.deepEqual(
      shape(await ask(program, roomId, known, {}, more), known),
      shape(await ask(program, roomId, unknown, {}, more), unknown),
      more,
    );
  }
  await reserve(target);
  assertError(await ask(program, roomId, "old@example.com"), 403, DENIED);
});

testApp(
  "all keys of a maker, also deleted ones, add a bounded number of members a day",
  async (target) => {
    const { admin, siteId, roomId, maker, program, key } = await setScene(target);
    const full = async (by: Person, email: string, more = ""): Promise<void> =>
      assertWait(await ask(by, roomId, email, {}, more), "TOO_MANY_ADDITIONS", 86_400);
    const { tag } = effectIn(await ask(program, roomId, "a@example.com", {}, "&dryRun=true"));
    assert.equal((await ask(program, roomId, "a@example.com", {}, "", ifEffect(tag))).status, 200);
    assert.equal(await queryNumber(target, ADDITIONS), 1, "a preview and the change after it count once");
    const { program: second } = await makeProgram(target, maker, roomId, { provisions: true });
    await add(second, roomId, "b@example.com");
    await full(program, "c@example.com");
    await full(second, "c@example.com", "&invite=true");
    await full(second, "c@example.com", "&dryRun=true");
    assert.equal(await queryNumber(target, INVITATIONS), 0);
    // Beyond the limit, a refusal does not tell either which addresses were given up lately.
    await reserve(target);
    await full(program, "old@example.com");
    await maker.delete(`/v1/role/${siteId}/key/${key.id}`);
    const { program: third } = await makeProgram(target, maker, siteId, { provisions: true });
    await full(third, "c@example.com");
    // What is there already can be changed and removed, and others have their own limit.
    await add(third, roomId, "b@example.com", { rights: rights() });
    await third.delete(`/v1/role/${roomId}/member/${await admin.memberIdOf(roomId, "b@example.com")}`);
    const { program: foreign } = await makeProgram(target, admin, siteId, { provisions: true });
    await add(foreign, roomId, "c@example.com");
    await add(maker, roomId, "d@example.com");
    target.clock.advance(86_400);
    await add(third, roomId, "e@example.com");
  },
  (kind) => openTestApp(kind, { storeLimits: { ...DEFAULT_STORE_LIMITS, provisionPerDay: 2 } }),
);

testApp("grants and the log name the key that gave, also when it is deleted", async (target) => {
  const { admin, siteId, roomId, rootId, program, key } = await setScene(target);
  const { id } = await add(program, roomId, "new@example.com");
  for (const isDeleted of [false, true]) {
    if (isDeleted) await admin.delete(`/v1/role/${siteId}/key/${key.id}`);
    const { grant } = await admin.post<{ grant: { id: number; kind: string; viaRoleId: number }[] }>(
      "/v1/grant/query",
      { filter: { grantedBy: { keyId: key.id } } },
    );
    assert.deepEqual(grant.map((each) => [each.kind, each.id, each.viaRoleId]), [["membership", id, siteId]]);
    const change = await admin.changes<{ actor: unknown; viaRoleId: number }>({
      kind: "member.add",
      roleId: roomId,
    });
    assert.deepEqual(change.map(({ actor, viaRoleId }) => [actor, viaRoleId]), [
      [{ type: "key", id: key.id, name: "Gateway", email: null }, siteId],
    ]);
  }
  // Whoever ends what the maker gave ends what their keys gave.
  const { ended } = await admin.post<{ ended: { kind: string; id: number }[] }>("/v1/access/end", {
    userEmail: MAKER,
    under: rootId,
    granted: true,
  });
  assert.ok(ended.some((each) => each.id === id), JSON.stringify(ended));
});
