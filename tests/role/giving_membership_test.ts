/** Memberships with an end or fewer rights: what a request may ask for, what it changes, and what it leaves. */
import assert from "node:assert/strict";
import {
  type Answer,
  assertError,
  assertUnchanged,
  DENIED,
  forEachApp,
  MALFORMED,
  query,
  queryNumber,
} from "../helpers/http.ts";
import { readMails } from "../helpers/mails.ts";
import type { Deletion, Manages, Member, Role } from "../helpers/person.ts";
import { ADMIN, ALL, type Rights, rights } from "../every_operation/request_catalogue.ts";
import { type LimitedMember, limitedMembership, type Limits, NONE, SUBJECT } from "./membership_scene.ts";

const HOUR_MS = 3_600_000;
const BOSS = "boss@example.com";
const PEOPLE = rights("userManagement", "viewManagement");
const VIEW = rights("viewManagement");
const OWN = rights("roleManagement", "viewManagement");
const PASSWORD = "open sesame, open";
const BY_PASSWORD = { headers: { "X-Child-Role-Password": PASSWORD } };

function memberOf(answer: Answer): LimitedMember {
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { member: LimitedMember }).member;
}

/** The limits of a membership as a response shows them, without its identity. */
function limitsOf({ id: _id, roleId: _roleId, userEmail: _userEmail, ...limits }: LimitedMember): Limits {
  return limits;
}

limitedMembership("a membership shows only its limits, which an absent field keeps", async (scene) => {
  const { siteId, inMs, join, admin, target } = scene;
  const until = inMs(HOUR_MS);
  const member = await join(siteId, SUBJECT);
  const plain = { id: member.id, roleId: siteId, userEmail: SUBJECT };
  assert.deepEqual(member, plain);
  const userId = await queryNumber(target, `SELECT id FROM user_account WHERE email = '${SUBJECT}'`);
  const inLists = { userId, waitingSince: inMs(0) };
  const steps: readonly [Limits, Limits][] = [
    [{ rights: VIEW }, { rights: VIEW }],
    [{ until }, { until, rights: VIEW }],
    [{}, { until, rights: VIEW }],
    [{ rights: NONE }, { until, rights: NONE }],
    [{ rights: null }, { until }],
    [{ rights: ALL }, { until }],
    [{ rights: PEOPLE, until: inMs(HOUR_MS + 1) }, { until: inMs(HOUR_MS + 1), rights: PEOPLE }],
    [{ until: null }, { rights: PEOPLE }],
    [{ until: null, rights: null }, {}],
  ];
  for (const [asked, limits] of steps) {
    const expected = { ...plain, ...limits };
    assert.deepEqual(await join(siteId, SUBJECT, asked), expected);
    assert.deepEqual(await join(siteId, SUBJECT, asked), expected, "the same request again");
    const listed = await admin.post(`/v1/role/${siteId}/member/query`, { filter: { id: [member.id] } });
    assert.deepEqual(listed, { member: [{ ...expected, ...inLists }] });
    const { member: byPath } = await admin.get<{ member: LimitedMember[] }>(`/v1/role/${siteId}/member`);
    assert.deepEqual(byPath, [{ ...expected, ...inLists }]);
  }
  // A new membership takes them, too. A time is one instant, however it is written.
  const limits = { until: "2026-03-01T01:30:00.5+01:30", rights: NONE };
  const other = await join(siteId, "other@example.com", limits);
  assert.deepEqual(limitsOf(other), { until: "2026-03-01T00:00:00.500Z", rights: NONE });
});

limitedMembership("an end that is not a time in the future gets a 400", async (scene) => {
  const { admin, siteId, join, askToJoin, inMs, target } = scene;
  await join(siteId, SUBJECT, { until: inMs(HOUR_MS), rights: VIEW });
  const noTimes = [
    "",
    "tomorrow",
    "2027-03-01",
    "2027-03-01T00:00:00",
    "2027-02-30T00:00:00Z",
    "2027-13-01T00:00:00Z",
  ];
  const past = [inMs(0), inMs(-1), "1970-01-01T00:00:00Z"];
  await assertUnchanged(target, "a malformed end", async () => {
    for (const until of [...noTimes, ...past]) {
      for (const email of [SUBJECT, "new@example.com"]) {
        assertError(await askToJoin(admin, siteId, email, { until }), 400, MALFORMED, until);
      }
    }
  });
  const member = await join(siteId, SUBJECT, { until: inMs(1) });
  assert.deepEqual(limitsOf(member), { until: inMs(1), rights: VIEW });
});

limitedMembership("a limited actor gives at most their own rights and until their own end", async (scene) => {
  const { topId, siteId, inMs, join, askToJoin, person } = scene;
  const until = inMs(HOUR_MS);
  await join(topId, BOSS, { until, rights: PEOPLE });
  const boss = await person(BOSS);
  const bound = { until, rights: PEOPLE };
  const given: readonly [Limits, Limits][] = [
    [{}, bound],
    [{ until }, bound],
    [{ rights: PEOPLE }, bound],
    [{ rights: NONE }, { until, rights: NONE }],
    [{ rights: VIEW, until: inMs(1) }, { until: inMs(1), rights: VIEW }],
  ];
  for (const [i, [asked, limits]] of given.entries()) {
    const answer = await askToJoin(boss, siteId, `given${i}@example.com`, asked);
    assert.deepEqual(limitsOf(memberOf(answer)), limits, JSON.stringify(asked));
  }
  const tooMuch: readonly Limits[] = [
    { rights: null },
    { rights: ALL },
    { rights: rights("roleManagement") },
    { rights: { ...PEOPLE, alarmManagement: true } },
    { until: null },
    { until: inMs(HOUR_MS + 1) },
    { rights: VIEW, until: null },
    { rights: null, until },
  ];
  for (const asked of tooMuch) {
    const answer = await askToJoin(boss, siteId, "refused@example.com", asked);
    assertError(answer, 403, DENIED, JSON.stringify(asked));
  }
});

limitedMembership("a limited actor narrows any membership, and widens it to their limits", async (scene) => {
  const { topId, siteId, inMs, join, askToJoin, person } = scene;
  const until = inMs(HOUR_MS);
  await join(topId, BOSS, { until, rights: PEOPLE });
  const boss = await person(BOSS);
  const change = (asked: Limits): Promise<Answer> => askToJoin(boss, siteId, SUBJECT, asked);
  const from = (limits: Limits): Promise<LimitedMember> =>
    join(siteId, SUBJECT, { until: null, rights: null, ...limits });

  const { id } = await from({});
  // Less than before is always allowed.
  assert.deepEqual(memberOf(await change({ rights: rights("roleManagement", "alarmManagement") })).id, id);
  assert.equal((await change({ rights: rights("alarmManagement") })).status, 200);
  assert.equal((await change({ until: inMs(2 * HOUR_MS) })).status, 200, "an end where there was none");
  assert.equal((await change({ until: inMs(2 * HOUR_MS - 1) })).status, 200, "earlier");
  // What stays as it is may be more than one's own.
  assert.equal((await change({})).status, 200);
  assert.equal((await change({ rights: rights("alarmManagement") })).status, 200);
  // More than before must lie within one's own as a whole.
  for (
    const asked of [
      { rights: rights("viewManagement", "alarmManagement") },
      { rights: rights("viewManagement") },
      { rights: null },
      { until: inMs(2 * HOUR_MS) },
      { until: null },
    ]
  ) {
    assertError(await change(asked), 403, DENIED, JSON.stringify(asked));
  }
  assert.deepEqual(limitsOf(memberOf(await change({ until, rights: VIEW }))), { until, rights: VIEW });
  await from({ until: inMs(1), rights: VIEW });
  assert.equal((await change({ until })).status, 200, "prolonged within one's own");
  assertError(await change({ until: inMs(HOUR_MS + 1) }), 403, DENIED);
  assert.equal((await change({ rights: PEOPLE })).status, 200, "widened within one's own");
  await from({ until: inMs(1), rights: rights("alarmManagement") });
  assertError(await change({ until: inMs(2) }), 403, DENIED, "prolonged, with a right that is not one's own");
  await from({ until: null, rights: VIEW });
  assertError(await change({ rights: PEOPLE }), 403, DENIED, "widened, for longer than one's own");
});

limitedMembership("one membership of the actor must cover everything they give", async (scene) => {
  const { topId, siteId, rootId, inMs, join, askToJoin, person } = scene;
  const until = inMs(HOUR_MS);
  // Everything for an hour, and something for ever; a third one authorizes nothing here.
  await join(topId, BOSS, { until });
  await join(siteId, BOSS, { rights: PEOPLE });
  await join(rootId, BOSS, { rights: VIEW });
  const boss = await person(BOSS);
  const given: readonly [Limits, Limits | undefined][] = [
    // What is left open is that of the membership that ends last, of those that can give the rest.
    [{}, { rights: PEOPLE }],
    [{ until: null }, { rights: PEOPLE }],
    [{ until }, { until, rights: PEOPLE }],
    [{ rights: VIEW }, { rights: VIEW }],
    [{ rights: ALL }, { until }],
    [{ rights: null }, { until }],
    [{ rights: null, until }, { until }],
    [{ rights: ALL, until: null }, undefined],
    [{ rights: rights("deviceManagement"), until: inMs(HOUR_MS + 1) }, undefined],
  ];
  for (const [i, [asked, limits]] of given.entries()) {
    const answer = await askToJoin(boss, siteId, `given${i}@example.com`, asked);
    if (limits === undefined) assertError(answer, 403, DENIED, JSON.stringify(asked));
    else assert.deepEqual(limitsOf(memberOf(answer)), limits, JSON.stringify(asked));
  }
});

limitedMembership("a membership cannot widen or prolong itself", async (scene) => {
  const { topId, siteId, inMs, join, askToJoin, person } = scene;
  const until = inMs(HOUR_MS);
  await join(siteId, BOSS, { until, rights: PEOPLE });
  const change = async (asked: Limits): Promise<Answer> => askToJoin(await person(BOSS), siteId, BOSS, asked);
  for (const asked of [{ rights: null }, { until: null }, { until: inMs(HOUR_MS + 1) }, { rights: ALL }]) {
    assertError(await change(asked), 403, DENIED, JSON.stringify(asked));
  }
  const narrowed = memberOf(await change({ rights: rights("userManagement") }));
  assert.deepEqual(limitsOf(narrowed), { until, rights: rights("userManagement") });
  assertError(await change({ rights: PEOPLE }), 403, DENIED, "what they gave up is lost");
  // Another membership of theirs can do it.
  await join(topId, BOSS);
  assert.deepEqual(limitsOf(memberOf(await change({ until: null, rights: null }))), {});
});

limitedMembership("rights are added to relations and roles within the membership only", async (scene) => {
  const { admin, topId, siteId, lowId, join, person } = scene;
  await join(topId, BOSS, { rights: OWN });
  const boss = await person(BOSS);
  const create = (manages: Rights): Promise<Answer> =>
    boss.ask("POST", `/v1/role?parentRoleId=${siteId}`, { manages, role: { name: "Made", selfRights: ALL } });
  assertError(await create(ALL), 403, DENIED);
  assertError(await create({ ...OWN, alarmManagement: true }), 403, DENIED);
  const { manages: made, role } = (await create(OWN)).body as { manages: Manages; role: Role };
  assert.deepEqual(role.userRights, OWN);

  // A relation that the administrator made carries more.
  const childId = await admin.create(lowId, "Child");
  const put = (body: Rights): Promise<Answer> =>
    boss.ask("PUT", `/v1/role/${siteId}/manages?childRoleId=${childId}`, body);
  assertError(await put(ALL), 403, DENIED);
  const { id } = ((await put(OWN)).body as { manages: Manages }).manages;
  const byId = (body: Rights): Promise<Answer> => boss.ask("PUT", `/v1/role/${siteId}/manages/${id}`, body);
  for (const ask of [put, byId]) {
    await admin.put(`/v1/role/${siteId}/manages/${id}`, rights("roleManagement", "alarmManagement"));
    assertError(await ask({ ...OWN, alarmManagement: true, userManagement: true }), 403, DENIED);
    assert.equal((await ask({ ...OWN, alarmManagement: true })).status, 200, "what it carried stays");
    assert.equal((await ask(OWN)).status, 200, "and can be taken");
    assertError(await ask({ ...OWN, alarmManagement: true }), 403, DENIED, "but not given back");
  }
  assert.equal((await boss.ask("DELETE", `/v1/role/${siteId}/manages/${made.id}`)).status, 200);

  const update = (selfRights: Rights): Promise<Answer> =>
    boss.ask("PUT", `/v1/role/${siteId}`, { name: "Site", selfRights });
  assert.equal((await update({ ...ALL, viewManagement: false })).status, 200);
  assert.equal((await update(ALL)).status, 200, "a right of the membership is added");
  assert.equal((await update({ ...ALL, alarmManagement: false })).status, 200);
  assertError(await update(ALL), 403, DENIED, "another is not");
  assert.equal((await update({ ...ALL, alarmManagement: false, userManagement: false })).status, 200);
});

limitedMembership("a role's password carries what its setter gives at each use", async (scene) => {
  const { target, topId, siteId, inMs, join, person } = scene;
  await join(topId, BOSS, { until: inMs(HOUR_MS), rights: OWN });
  const boss = await person(BOSS);
  const path = `/v1/role/${siteId}/password`;
  assertError(await boss.ask("PUT", path, { password: PASSWORD, rights: ALL }), 403, DENIED);
  await boss.put(path, { password: PASSWORD });
  const known = async (): Promise<unknown> => {
    const admin = await person(ADMIN);
    const { rights, works } = await admin.get<{ rights: Rights; works: boolean }>(path);
    return [rights, works];
  };
  assert.deepEqual(await known(), [OWN, true], "the default is all that the membership gives");

  const { roleId: foreignId } = await target.bootstrapRoot("foreign@example.com", "Foreign");
  let used = 0;
  const use = async (body: Rights): Promise<number> => {
    const stranger = await person("foreign@example.com");
    const parentId = await stranger.create(foreignId, `Parent ${++used}`);
    const relation = `/v1/role/${parentId}/manages?childRoleId=${siteId}`;
    const { status } = await stranger.ask("PUT", relation, body, BY_PASSWORD);
    // Without the wait of a wrong guess.
    target.clock.advance(60);
    return status;
  };
  assert.equal(await use(ALL), 403);
  assert.equal(await use(OWN), 200);
  await join(topId, BOSS, { rights: rights("roleManagement") });
  assert.deepEqual(await known(), [OWN, true]);
  assert.equal(await use(OWN), 403, "the setter can give less now");
  assert.equal(await use(rights("roleManagement")), 200);
  await join(topId, BOSS, { rights: VIEW });
  assert.deepEqual(await known(), [OWN, false]);
  assert.equal(await use(NONE), 403, "the setter can set none now");
  await join(topId, BOSS, { rights: OWN });
  assert.equal(await use(OWN), 200);
  target.clock.advance(3600);
  assert.deepEqual(await known(), [OWN, false]);
  assert.equal(await use(NONE), 403, "the setter's membership has ended");
});

limitedMembership("the membership with the most rights sets a password's default rights", async (scene) => {
  const { target, admin, rootId, topId, siteId, inMs, join, person } = scene;
  await join(rootId, BOSS, { until: inMs(1) });
  await join(topId, BOSS, { rights: rights("roleManagement") });
  const between = await admin.create(topId, "Between");
  await admin.put(`/v1/role/${between}/manages?childRoleId=${siteId}`, ALL);
  await join(between, BOSS, { rights: OWN });
  target.clock.advance(0.001);
  const path = `/v1/role/${siteId}/password`;
  const boss = await person(BOSS);
  await boss.put(path, { password: PASSWORD });
  assert.deepEqual((await boss.get<{ rights: Rights }>(path)).rights, OWN);
  const rows = await query(target, "SELECT parent_id AS id FROM change_log WHERE kind = 'role.password_set'");
  assert.deepEqual(rows, [{ id: topId }], "the log names no role whose membership has ended");
});

limitedMembership("a relation that no membership gives without the password is flagged", async (scene) => {
  const { target, admin, topId, siteId, lowId, join, person } = scene;
  const otherId = await admin.create(topId, "Other");
  await admin.put(`/v1/role/${otherId}/password`, { password: PASSWORD });
  await join(topId, BOSS, { rights: rights("roleManagement") });
  await join(siteId, BOSS, { rights: OWN });
  const boss = await person(BOSS);
  for (const [parentId, given] of [[siteId, OWN], [lowId, rights("roleManagement")]] as const) {
    await boss.ask("PUT", `/v1/role/${parentId}/manages?childRoleId=${otherId}`, given, BY_PASSWORD);
  }
  const rows = await query(target, "SELECT by_password AS flag FROM manages ORDER BY id DESC LIMIT 2");
  assert.deepEqual(rows, [{ flag: 0 }, { flag: 1 }]);
});

limitedMembership("a password of a direct member carries the membership's rights", async (scene) => {
  const { siteId, join, person } = scene;
  await join(siteId, BOSS, { rights: OWN });
  const boss = await person(BOSS);
  const path = `/v1/role/${siteId}/password`;
  for (const refused of [ALL, rights("roleManagement"), rights("alarmManagement")]) {
    assertError(await boss.ask("PUT", path, { password: PASSWORD, rights: refused }), 403, DENIED);
  }
  await boss.put(path, { password: PASSWORD });
  assert.deepEqual((await boss.get<{ rights: Rights }>(path)).rights, VIEW);
});

limitedMembership("a relation made by a password carries at most its maker's rights", async (scene) => {
  const { target, siteId, join, person } = scene;
  const { roleId: foreignId } = await target.bootstrapRoot("foreign@example.com", "Foreign");
  const stranger = await person("foreign@example.com");
  const childId = await stranger.create(foreignId, "Child");
  await stranger.put(`/v1/role/${childId}/password`, { password: PASSWORD });
  await join(siteId, BOSS, { rights: OWN });
  const path = `/v1/role/${siteId}/manages?childRoleId=${childId}`;
  const put = async (body: Rights) => (await person(BOSS)).ask("PUT", path, body, BY_PASSWORD);
  assertError(await put(ALL), 403, DENIED);
  target.clock.advance(60);
  assert.equal((await put(OWN)).status, 200);
});

limitedMembership("the log names old and new rights and ends, and changes send no mail", async (scene) => {
  const { target, adminId, siteId, inMs, join, askToJoin, person } = scene;
  const until = inMs(HOUR_MS);
  const { id } = await join(siteId, SUBJECT, { rights: VIEW });
  await join(siteId, SUBJECT, { rights: PEOPLE, until });
  await join(siteId, SUBJECT, { rights: PEOPLE, until });
  await join(siteId, SUBJECT, { until: null });
  assertError(await askToJoin(await person(SUBJECT), siteId, SUBJECT, { rights: null }), 403, DENIED);
  const rows = await query(
    target,
    `SELECT kind, actor_id = :adminId AS byAdmin, role_id AS roleId, relation_id AS relationId, old_rights AS old,
       new_rights AS new, decision, details FROM change_log WHERE kind LIKE 'member.%' ORDER BY rev`,
    { adminId },
  );
  const [view, people] = [4, 6];
  const ends = (oldUntil: string | null, end: string | null): string =>
    JSON.stringify({ oldUntil: oldUntil && Date.parse(oldUntil), until: end && Date.parse(end), listed: 0 });
  assert.deepEqual(
    rows.map(({ roleId, relationId, ...row }) => [roleId, relationId, ...Object.values(row)]),
    [
      [siteId, id, "member.add", 1, null, view, "ok", ends(null, null)],
      [siteId, id, "member.update", 1, view, people, "ok", ends(null, until)],
      [siteId, id, "member.add", 1, people, people, "noop", ends(until, until)],
      [siteId, id, "member.update", 1, people, people, "ok", ends(until, null)],
      [siteId, id, "member.update", 0, people, 63, "denied", null],
    ],
  );
  const mails = (await readMails(target)).filter(({ recipient }) => recipient === SUBJECT);
  assert.deepEqual(mails.map(({ template }) => template), ["invitation"]);
});

limitedMembership("changes of a member do not count as new members", async ({ siteId, join }) => {
  await join(siteId, SUBJECT);
  for (let i = 0; i < 60; i++) await join(siteId, SUBJECT, { rights: i % 2 === 0 ? VIEW : null });
  await join(siteId, "next@example.com");
});

const MEMBERLESS = "The root role would be left without a member";
const MANAGERLESS = "The root role would be left without a lasting member with roleManagement";

limitedMembership("a root keeps a person with roleManagement and without an end", async (scene) => {
  const { admin, rootId, rootMemberId, inMs, join, askToJoin, person } = scene;
  const assertKept = async (): Promise<void> => {
    const by = await person(ADMIN);
    for (const limits of [{ until: inMs(HOUR_MS) }, { rights: NONE }, { rights: rights("userManagement") }]) {
      assertError(await askToJoin(by, rootId, ADMIN, limits), 409, MANAGERLESS, JSON.stringify(limits));
    }
    assertError(await by.ask("DELETE", `/v1/role/${rootId}/member/${rootMemberId}`), 409, MEMBERLESS);
    assertError(await by.ask("DELETE", "/user"), 409, MEMBERLESS);
  };
  await assertKept();
  // Neither members who carry less, nor those whose membership ends, nor keys keep it.
  await join(rootId, "ends@example.com", { until: inMs(HOUR_MS) });
  await join(rootId, "less@example.com", { rights: { ...ALL, roleManagement: false } });
  await admin.post(`/v1/role/${rootId}/key`, { name: "key" });
  await assertKept();
  // A member with roleManagement and few other rights keeps it.
  await join(rootId, ADMIN, { rights: rights("roleManagement", "userManagement") });
  await assertKept();
});

limitedMembership("a root's last keeper can be narrowed only by themselves", async (scene) => {
  const { rootId, join, askToJoin, person } = scene;
  await join(rootId, BOSS, { rights: PEOPLE });
  const helper = await person(BOSS);
  const narrow = { rights: rights("roleManagement") };
  assertError(await askToJoin(helper, rootId, ADMIN, narrow), 403, DENIED);
  // Beside another keeper, those who manage the members may narrow it.
  await join(rootId, SUBJECT);
  assert.equal((await askToJoin(helper, rootId, ADMIN, narrow)).status, 200);
});

limitedMembership("of two keepers of a root, the first may leave and the second may not", async (scene) => {
  const { admin, rootId, rootMemberId, inMs, join, askToJoin, person } = scene;
  const second = await join(rootId, BOSS, { rights: rights("roleManagement", "userManagement") });
  await join(rootId, ADMIN, { until: inMs(HOUR_MS) });
  assertError(await admin.ask("DELETE", `/v1/role/${rootId}/member/${second.id}`), 409, MEMBERLESS);
  assertError(await askToJoin(admin, rootId, BOSS, { until: inMs(1) }), 409, MANAGERLESS);
  assertError(await askToJoin(admin, rootId, BOSS, { rights: rights("userManagement") }), 409, MANAGERLESS);
  // The one that ends keeps nothing, so it may carry less, and go.
  await join(rootId, ADMIN, { rights: PEOPLE });
  const boss = await person(BOSS);
  assert.equal((await boss.ask("DELETE", `/v1/role/${rootId}/member/${rootMemberId}`)).status, 200);
  assertError(await boss.ask("DELETE", `/v1/role/${rootId}/member/${second.id}`), 409, MEMBERLESS);
});

limitedMembership("if two keepers of a root are limited at once, one stays unchanged", async (scene) => {
  const { rootId, rootMemberId, inMs, join, askToJoin, person } = scene;
  await join(rootId, BOSS);
  const [admin, boss] = [await person(ADMIN), await person(BOSS)];
  const answers = await Promise.all([
    askToJoin(admin, rootId, BOSS, { until: inMs(HOUR_MS) }),
    askToJoin(boss, rootId, ADMIN, { rights: PEOPLE }),
    askToJoin(boss, rootId, BOSS, { rights: PEOPLE }),
    boss.ask("DELETE", `/v1/role/${rootId}/member/${rootMemberId}`),
  ]);
  const kept = await query(
    scene.target,
    "SELECT id FROM member WHERE role_id = :rootId AND rights & 1 AND ends_at IS NULL",
    { rootId },
  );
  assert.equal(kept.length, 1, answers.map(({ status }) => status).join());
}, forEachApp);

limitedMembership("a key takes no place on a page of members, and no deletion names it", async (scene) => {
  const { admin, topId, join } = scene;
  const roleId = await admin.create(topId, "Gone");
  await admin.post(`/v1/role/${roleId}/key`, { name: "key" });
  const { id } = await join(roleId, SUBJECT);
  const first = await admin.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`, { limit: 1 });
  assert.deepEqual(first.member.map((listed) => listed.id), [id]);
  const relationId = await admin.relationIdOf(topId, roleId);
  const { deletedRelationIds } = await admin.delete<Deletion>(`/v1/role/${topId}/manages/${relationId}`);
  assert.deepEqual(new Set(deletedRelationIds), new Set([id, relationId]));
});

limitedMembership("beside a membership below, only a mask without roleManagement limits", async (scene) => {
  const { admin, topId, siteId, lowId, join, person } = scene;
  // The scene of docs/security.md: the site is the branch, and a neighbour beside it is the site.
  const neighbourId = await admin.create(topId, "Neighbour");
  await join(siteId, BOSS);
  const connect = async (parentId: number, body: Rights): Promise<number> =>
    (await (await person(BOSS)).ask("PUT", `/v1/role/${parentId}/manages?childRoleId=${neighbourId}`, body))
      .status;
  const without = [PEOPLE, rights("userManagement", "deviceManagement"), { ...ALL, roleManagement: false }];
  for (const own of without) {
    await join(topId, BOSS, { rights: own });
    for (const parentId of [siteId, lowId]) {
      for (const given of [own, VIEW, NONE, ALL]) assert.equal(await connect(parentId, given), 403);
    }
  }
  await join(topId, BOSS, { rights: OWN });
  assert.equal(await connect(siteId, ALL), 403);
  assert.equal(await connect(siteId, OWN), 200);
  assert.equal(await connect(lowId, ALL), 200, "through the site, whose membership has no limit");
});
