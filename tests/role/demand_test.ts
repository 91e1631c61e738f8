/** Roles that demand a second factor: in a session that has not proved it, a membership counts as absent. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { type Answer, assertError, DENIED, execute, query } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import { SUDO_HEADER, sudoTokenFor } from "../helpers/sudo.ts";
import { requestsTo } from "../helpers/test_app.ts";
import {
  assertPresent,
  demand,
  limitedMembership,
  meet,
  type MembershipScene,
  NONE,
  STEP_UP,
  SUBJECT,
} from "./membership_scene.ts";

const OTHER = "other@example.com";
const AWAKE_NEEDED =
  "No lasting member with roleManagement on the root role is known to meet this demand: let one of them set it";
const DAY_MS = 86_400_000;

function policyOf(roleId: number): string {
  return `/v1/role/${roleId}/authentication-policy`;
}

function assertStepUp(answer: Answer, acr: string, context = ""): void {
  assertError(answer, 401, STEP_UP, context);
  assert.equal(
    answer.headers.get("WWW-Authenticate"),
    `Bearer error="insufficient_user_authentication", acr_values="${acr}"`,
    context,
  );
}

limitedMembership("below its demand, a membership counts as absent", async (scene) => {
  const { topId, siteId, join, person, plantMemberships } = scene;
  for (const roleId of [topId, siteId]) {
    await join(roleId, SUBJECT);
    await demand(scene, roleId, "required");
    await assertPresent(scene, await person(SUBJECT), roleId, false);
    const member = await person(SUBJECT);
    await meet(scene, SUBJECT, 1);
    await assertPresent(scene, member, roleId, true);
    await demand(scene, roleId, "phishing-resistant");
    await assertPresent(scene, member, roleId, false);
    await demand(scene, roleId, "none");
    await assertPresent(scene, await person(SUBJECT), roleId, true);
    await scene.admin.delete(`/v1/role/${roleId}/member/${await scene.admin.memberIdOf(roleId, SUBJECT)}`);
  }
  await join(topId, SUBJECT);
  await plantMemberships(SUBJECT, scene.target.clock.now());
  await demand(scene, topId, "required");
  await assertPresent(scene, await person(SUBJECT), topId, false);
});

limitedMembership("a demand holds from its time on, for members who join later, too", async (scene) => {
  const { target, topId, siteId, join, person, inMs } = scene;
  await join(topId, SUBJECT);
  await demand(scene, topId, "required", { from: inMs(DAY_MS) });
  await join(topId, OTHER);
  const holds = async (email: string) => (await (await person(email)).holds(siteId, "userManagement"))[0];
  assert.deepEqual([await holds(SUBJECT), await holds(OTHER)], [true, true]);
  const from = inMs(DAY_MS);
  const warned = async () => {
    const { dormant, dormantFrom } = await (await person(SUBJECT)).get<Record<string, unknown>>("/user");
    return { dormant, dormantFrom };
  };
  const later = [{ roleId: topId, needs: "required", from }];
  assert.deepEqual(await warned(), { dormant: [], dormantFrom: later });
  const planned = { secondFactor: "required", from, before: "none" };
  assert.deepEqual(await scene.admin.get(policyOf(topId)), { authenticationPolicy: planned });
  target.clock.advance(86_399);
  assert.deepEqual([await holds(SUBJECT), await holds(OTHER)], [true, true]);
  target.clock.advance(1);
  assert.deepEqual([await holds(SUBJECT), await holds(OTHER)], [false, false]);
  assert.deepEqual(await warned(), { dormant: [{ roleId: topId, needs: "required" }], dormantFrom: [] });
  await meet(scene, ADMIN, 2);
  const policy = await (await admin(scene)).get(policyOf(topId));
  assert.deepEqual(policy, { authenticationPolicy: { secondFactor: "required", from: null, before: null } });
});

limitedMembership("one's own account lists one's awake memberships and what each gives", async (scene) => {
  const { target, topId, siteId, lowId, join, person, inMs } = scene;
  const until = inMs(DAY_MS);
  await join(topId, SUBJECT, { until, rights: rights("viewManagement") });
  await join(lowId, SUBJECT);
  await join(siteId, SUBJECT);
  await demand(scene, siteId, "required");
  const listed = async () =>
    (await (await person(SUBJECT)).get<{ memberOf: readonly unknown[] }>("/user")).memberOf;
  const low = { roleId: lowId, name: "Low", rights: ALL };
  const top = { roleId: topId, name: "Top", rights: rights("viewManagement"), until };
  assert.deepEqual(await listed(), [top, low]);
  target.clock.advance(86_400);
  assert.deepEqual(await listed(), [low]);
});

/** The revision of the first change of those that this filter finds. */
async function revisionIn(person: Person, filter: object): Promise<number | undefined> {
  return (await person.changes<{ revision: number }>(filter))[0]?.revision;
}

/** The administrator, with a session of this moment that meets each demand. */
async function admin(scene: MembershipScene): Promise<Person> {
  const person = await scene.person(ADMIN);
  await meet(scene, ADMIN, 2);
  return person;
}

limitedMembership("a refusal asks for a step-up exactly if that would allow it", async (scene) => {
  const { topId, siteId, rootId, join, person } = scene;
  await join(topId, SUBJECT, { rights: rights("userManagement") });
  await demand(scene, topId, "phishing-resistant");
  const subject = await person(SUBJECT);
  const invite = (roleId: number, dryRun = false) =>
    subject.ask("PUT", `/v1/role/${roleId}/member?userEmail=${OTHER}&dryRun=${dryRun}`, {});
  assertStepUp(await invite(siteId), "phr");
  assertStepUp(await invite(siteId, true), "phr");
  assertError(await invite(rootId), 403, DENIED);
  assertError(await invite(999), 403, DENIED);
  const renamed = await subject.ask("PUT", `/v1/role/${siteId}`, { name: "Other", selfRights: ALL });
  assertError(renamed, 403, DENIED);
  assertStepUp(await subject.ask("GET", `/v1/role/${topId}/usage`), "phr");
  assertError(await subject.ask("GET", `/v1/role/${siteId}/usage`), 403, DENIED);
  const made = await revisionIn(scene.admin, { roleId: siteId });
  assertStepUp(await subject.ask("POST", `/v1/change/${made}/undo`), "phr");
  assertError(await subject.ask("POST", "/v1/change/999999/undo"), 403, DENIED);
  const { id: otherId } = await join(siteId, OTHER);
  assertStepUp(await subject.ask("DELETE", `/v1/role/${siteId}/member/${otherId}`), "phr");
  await demand(scene, topId, "required");
  assertStepUp(await invite(siteId), "aal2");
  await meet(scene, SUBJECT, 1);
  assert.equal((await invite(siteId)).status, 200);
});

limitedMembership("an explanation shows what is dormant, and names the step-up", async (scene) => {
  const { topId, siteId, join, person } = scene;
  await join(topId, SUBJECT, { rights: rights("userManagement") });
  await demand(scene, topId, "phishing-resistant");
  const subject = await person(SUBJECT);
  const explain = (by: Person, right: string) =>
    by.post<Explained>("/v1/rights/explain", { roleId: siteId, right, userEmail: SUBJECT });
  const own = await explain(subject, "userManagement");
  assert.deepEqual(
    { allowed: own.allowed, ways: own.ways.length, stepUp: own.stepUp, fix: own.fix },
    { allowed: false, ways: 0, stepUp: "phishing-resistant", fix: [] },
  );
  const membership = {
    roleId: topId,
    name: "Top",
    needs: "phishing-resistant",
    rights: rights("userManagement"),
  };
  assert.deepEqual(own.blocked[0]?.memberOf, { ...membership, dormant: true });
  assert.equal((await explain(subject, "roleManagement")).stepUp, undefined);
  const others = await explain(await admin(scene), "userManagement");
  assert.equal(others.allowed, true, "of others, memberships count as awake");
  assert.deepEqual(others.ways[0]?.memberOf, membership);
  await meet(scene, SUBJECT, 2);
  const awake = await explain(subject, "userManagement");
  assert.deepEqual([awake.allowed, awake.stepUp, awake.ways[0]?.memberOf], [true, undefined, membership]);
});

limitedMembership("AuthZEN counts what the context says of the subject's session", async (scene) => {
  const { topId, siteId, join } = scene;
  const { id } = await join(topId, SUBJECT);
  await demand(scene, topId, "required");
  const asker = await admin(scene);
  const question = {
    subject: { type: "user", id: SUBJECT },
    action: { name: "viewManagement" },
    resource: { type: "role", id: String(siteId) },
  };
  type Decision = { decision: boolean; context: { needs?: string } };
  type Found = { results: { id: string }[] };
  const contexts: readonly (readonly [context: object | undefined, isAllowed: boolean])[] = [
    [undefined, false],
    [{ aal: 2 }, false],
    [{ acr: "aal2", aal: 1 }, false],
    [{ acr: "aal2" }, true],
    [{ acr: "phr", aal: 2 }, true],
    [{ acr: "other" }, false],
  ];
  const [row] = await query(scene.target, "SELECT user_id AS id FROM member WHERE id = :id", { id });
  for (const [context, isAllowed] of contexts) {
    const body = { ...question, context };
    const single = await asker.post<Decision>("/access/v1/evaluation", body);
    const expected = [isAllowed, isAllowed ? undefined : "required"];
    assert.deepEqual([single.decision, single.context.needs], expected, JSON.stringify(context));
    const explained = { ...question, context: { ...context, explain: true } };
    assert.equal((await asker.post<Decision>("/access/v1/evaluation", explained)).decision, isAllowed);
    const list = { ...question, context, evaluations: [{}] };
    const { evaluations } = await asker.post<{ evaluations: Decision[] }>("/access/v1/evaluations", list);
    assert.deepEqual(evaluations.map((each) => [each.decision, each.context.needs]), [expected]);
    const users = { ...body, subject: { type: "user" } };
    const subjects = await asker.post<Found>("/access/v1/search/subject", users);
    assert.equal(subjects.results.some((each) => each.id === String(row?.["id"])), isAllowed);
    const roles = { ...body, resource: { type: "role" } };
    const resources = await asker.post<Found>("/access/v1/search/resource", roles);
    assert.equal(resources.results.length > 0, isAllowed);
    const devices = { ...body, action: { name: "read" }, resource: { type: "device" } };
    const watched = await asker.post<Found>("/access/v1/search/resource", devices);
    assert.equal(watched.results.length > 0, isAllowed);
  }
});

interface Explained {
  readonly allowed: boolean;
  readonly stepUp?: string;
  readonly fix: unknown[];
  readonly ways: { readonly memberOf: unknown }[];
  readonly blocked: { readonly memberOf: unknown }[];
}

limitedMembership("a demand is set from above, with proof, in a session that meets it", async (scene) => {
  const { admin: root, adminId, topId, siteId, lowId, join, person, target } = scene;
  await join(siteId, SUBJECT, { rights: ALL });
  const member = await person(SUBJECT);
  await meet(scene, SUBJECT, 2);
  const put = (by: Person, roleId: number, body: object, more = {}) =>
    by.ask("PUT", policyOf(roleId), body, more);
  const required = { secondFactor: "required" };
  assertError(await put(member, siteId, required), 403, DENIED, "direct roleManagement is not enough");
  assertError(await put(member, 999, required), 403, DENIED);
  assertStepUp(await put(root, lowId, required), "aal2", "the administrator's session meets nothing yet");
  assert.equal((await put(member, lowId, required)).status, 200);
  assertStepUp(await put(root, lowId, { secondFactor: "none" }), "aal2", "a stolen session lifts nothing");
  assertStepUp(await put(root, lowId, { secondFactor: "phishing-resistant" }), "phr");
  await meet(scene, ADMIN, 1);
  const withoutProof = await put(root, lowId, { secondFactor: "none" }, { headers: { [SUDO_HEADER]: "" } });
  assertError(withoutProof, 401, "SUDO_TOKEN_REQUIRED");
  assert.equal((await put(root, lowId, { secondFactor: "none" })).status, 200);
  for (
    const wrong of [
      {},
      { secondFactor: "some" },
      { secondFactor: "none", from: scene.inMs(1) },
      { secondFactor: "required", from: scene.inMs(401 * DAY_MS) },
    ]
  ) assert.equal((await put(root, lowId, wrong)).status, 400, JSON.stringify(wrong));
  const rows = await query(
    target,
    `SELECT actor_id = :adminId AS byAdmin, role_id AS roleId FROM change_log
     WHERE kind = 'role.authentication_policy' AND decision = 'ok' ORDER BY rev`,
    { adminId },
  );
  assert.deepEqual(rows, [{ byAdmin: 0, roleId: lowId }, { byAdmin: 1, roleId: lowId }]);
  await demand(scene, topId, "required");
  const created = await root.post<{ authenticationPolicy?: unknown }>(`/v1/role?parentRoleId=${topId}`, {
    manages: ALL,
    role: { name: "New", selfRights: NONE },
  });
  assert.deepEqual(created.authenticationPolicy, { secondFactor: "required", from: null, before: null });
});

limitedMembership("a root keeps an administrator who is known to meet its demand", async (scene) => {
  const { rootId, target, adminId, join, person } = scene;
  await join(rootId, SUBJECT, { rights: rights("roleManagement"), until: scene.inMs(200 * DAY_MS) });
  let from = DAY_MS;
  const put = async (secondFactor = "required", level = 1) => {
    const passing = await person(SUBJECT);
    await meet(scene, SUBJECT, level);
    return await passing.ask("PUT", policyOf(rootId), { secondFactor, from: scene.inMs(from++) });
  };
  const confirm = (meets: number) =>
    execute(
      target,
      `INSERT INTO second_factor (user_id, kind, activated_at, meets) VALUES (:adminId, 'totp', 1, :meets)
       ON CONFLICT DO UPDATE SET meets = excluded.meets`,
      { adminId, meets },
    );
  assertError(await put(), 409, AWAKE_NEEDED, "before a demand, nothing is on record of others");
  await demand(scene, rootId, "required", { from: scene.inMs(from++) });
  assertError(await put(), 409, AWAKE_NEEDED, "no member without an end has met it since");
  await scene.admin.create(rootId, "Another");
  assertError(await put(), 409, AWAKE_NEEDED, "the administrator has no factor any longer");
  await confirm(1);
  assert.equal((await put()).status, 200);
  await confirm(0);
  await execute(
    target,
    `INSERT INTO passkey (user_id, credential_id, public_key, user_handle, name, counter, transports, uv_initialized,
       backup_eligible, backed_up, created_at, created_by, meets)
     VALUES (:adminId, 'id', 'key', 'handle', 'name', 0, '[]', 1, 0, 0, 1, '', 2)`,
    { adminId },
  );
  assert.equal((await put()).status, 200);
  const higher = await put("phishing-resistant", 2);
  assertError(higher, 409, AWAKE_NEEDED, "of a higher demand, nothing is on record");
  target.clock.advance(91 * 86_400);
  assertError(await put(), 409, AWAKE_NEEDED, "the record is old");
});

limitedMembership("a preview warns of the end of what may last keep a root awake", async (scene) => {
  const { rootId, rootMemberId, siteId, join, person } = scene;
  const { id } = await join(rootId, SUBJECT);
  await demand(scene, rootId, "required");
  const root = await admin(scene);
  const preview = async (by: Person, memberId: number) => {
    const { body } = await by.ask("DELETE", `/v1/role/${rootId}/member/${memberId}?dryRun=true`);
    return (body as { lastAwake?: true }).lastAwake;
  };
  assert.deepEqual([await preview(root, rootMemberId), await preview(root, id)], [true, undefined]);
  const subject = await person(SUBJECT);
  await meet(scene, SUBJECT, 1);
  await subject.create(siteId, "Made with the second factor");
  assert.equal(await preview(root, rootMemberId), undefined);
  await demand(scene, rootId, "none");
  assert.equal(await preview(root, rootMemberId), undefined);
});

limitedMembership("the preview of a demand tells only what is on record since one was set", async (scene) => {
  const { topId, siteId, join, person } = scene;
  await join(topId, SUBJECT);
  await join(topId, OTHER);
  const other = await person(OTHER);
  const root = await admin(scene);
  const preview = (secondFactor: string) =>
    root.put<{ unmet: unknown; effect: { tag: string } }>(`${policyOf(topId)}?dryRun=true`, { secondFactor });
  const unmet = async () => [(await preview("required")).unmet, (await preview("phishing-resistant")).unmet];
  const lastMet = async () => {
    const { member } = await root.post<{ member: { userEmail: string; lastMetAt?: string | null }[] }>(
      `/v1/role/${topId}/member/query`,
    );
    return member.map(({ lastMetAt }) => lastMetAt);
  };
  const act = async (level: number) => {
    await meet(scene, OTHER, level);
    await other.create(siteId, `Made at level ${level}`);
  };
  const [both, met] = [{ count: 2, named: [] }, "2026-01-01T00:00:00.000Z"];
  await act(2);
  assert.deepEqual([await unmet(), await lastMet()], [[both, both], [undefined, undefined]]);
  await demand(scene, topId, "required", { from: scene.inMs(DAY_MS) });
  assert.deepEqual([await unmet(), await lastMet()], [
    [{ count: 2, named: [SUBJECT, OTHER] }, both],
    [null, null],
  ]);
  await act(0);
  assert.deepEqual(await lastMet(), [null, null]);
  await act(1);
  assert.deepEqual([await unmet(), await lastMet()], [[{ count: 1, named: [SUBJECT] }, both], [null, met]]);
  await demand(scene, topId, "phishing-resistant", { from: scene.inMs(DAY_MS) });
  assert.deepEqual(await lastMet(), [null, null], "the higher demand is another one");
  await act(2);
  await demand(scene, topId, "required", { from: scene.inMs(DAY_MS) });
  assert.deepEqual([await unmet(), await lastMet()], [[{ count: 1, named: [SUBJECT] }, both], [null, met]]);
  assert.deepEqual((await preview("none")).unmet, { count: 0, named: [] });
  // As while the account's memberships end in steps.
  await execute(scene.target, "DELETE FROM user_account WHERE email = :OTHER", { OTHER });
  assert.deepEqual((await preview("phishing-resistant")).unmet, { count: 1, named: [] });
  await demand(scene, topId, "none");
  const { effect } = await preview("required");
  await join(topId, "third@example.com");
  const apply = { headers: { "If-Effect": effect.tag } };
  const answer = await root.ask("PUT", policyOf(topId), { secondFactor: "required" }, apply);
  assert.equal(answer.status, 409, answer.text);
});

limitedMembership("the log says what a role demanded before and since", async (scene) => {
  const { topId } = scene;
  const from = scene.inMs(DAY_MS);
  await demand(scene, topId, "required");
  await demand(scene, topId, "phishing-resistant", { from });
  await demand(scene, topId, "none");
  const root = await admin(scene);
  const filter = { roleId: topId, kind: "role.authentication_policy" };
  type Logged = Readonly<Record<"oldAuthenticationPolicy" | "newAuthenticationPolicy", unknown>>;
  const change = await root.changes<Logged>(filter);
  const policies = [
    { secondFactor: "none", from: null, before: null },
    { secondFactor: "required", from: null, before: null },
    { secondFactor: "phishing-resistant", from, before: "required" },
    { secondFactor: "none", from: null, before: null },
  ];
  assert.deepEqual(
    change.map((each) => [each.oldAuthenticationPolicy, each.newAuthenticationPolicy]),
    policies.slice(1).map((policy, index) => [policies[index], policy]),
  );
  const csv = await root.ask("POST", "/v1/change/query", { filter }, { headers: { Accept: "text/csv" } });
  assert.match(csv.text, new RegExp(`,required,,phishing-resistant,${from},,\r\n`));
});

limitedMembership("a demand is set for a bounded number of members, and lowered for any", async (scene) => {
  const { target, topId, join } = scene;
  for (const email of [SUBJECT, OTHER]) await join(topId, email);
  await demand(scene, topId, "phishing-resistant");
  await join(topId, "third@example.com");
  const request = requestsTo(createApp({ ...target.deps, maxClosureChange: 2 }));
  const { accessToken } = await admin(scene);
  const root = new Person({ request }, accessToken);
  const proven = { headers: { [SUDO_HEADER]: await sudoTokenFor(target.deps, accessToken) } };
  const put = (secondFactor: string) => root.ask("PUT", policyOf(topId), { secondFactor }, proven);
  assert.equal((await put("required")).status, 200);
  const message =
    "The role has more than 2 members, too many to change at once (CLOSURE_MAX_CHANGE): demand it " +
    "of roles with fewer members each, or ask the administrator to raise the limit for the moment";
  assertError(await put("phishing-resistant"), 422, message);
  assert.equal((await put("none")).status, 200);
  assert.deepEqual(await query(target, "SELECT id FROM member WHERE needs > 0"), []);
});

limitedMembership("a refusal asks at once for all that is needed, and nothing in vain", async (scene) => {
  const { topId, siteId, join, person } = scene;
  await join(topId, SUBJECT);
  await demand(scene, topId, "required");
  const subject = await person(SUBJECT);
  const put = (secondFactor: string) => subject.ask("PUT", policyOf(siteId), { secondFactor });
  assertStepUp(await put("phishing-resistant"), "phr");
  assertStepUp(await put("required"), "aal2");
  await demand(scene, siteId, "phishing-resistant");
  const filter = { roleId: siteId, kind: "role.authentication_policy", decision: "ok" };
  const set = await revisionIn(await admin(scene), filter);
  const undo = (by: Person) => by.ask("POST", `/v1/change/${set}/undo`);
  const [dormant, awake] = [await undo(subject), await undo(await admin(scene))];
  assert.deepEqual([dormant.status, dormant.text], [409, awake.text]);
});

limitedMembership("a repeated creation returns what the role demanded at first", async (scene) => {
  const { topId } = scene;
  await demand(scene, topId, "required");
  const root = await admin(scene);
  const create = async () => {
    const answer = await root.ask(
      "POST",
      `/v1/role?parentRoleId=${topId}`,
      { manages: ALL, role: { name: "New", selfRights: NONE } },
      { headers: { "Idempotency-Key": "once" } },
    );
    assert.equal(answer.status, 200, answer.text);
    return answer.body as { role: { id: number } };
  };
  const first = await create();
  await demand(scene, first.role.id, "phishing-resistant");
  assert.deepEqual(await create(), first);
});

limitedMembership("a restored role keeps its demand", async (scene) => {
  const { target, topId, siteId, join, person } = scene;
  await join(siteId, SUBJECT);
  await demand(scene, siteId, "required");
  const root = await admin(scene);
  const deleted = await root.ask(
    "DELETE",
    `/v1/role/${topId}/manages/${await root.relationIdOf(topId, siteId)}`,
  );
  assert.equal(deleted.status, 200, deleted.text);
  assert.deepEqual(await root.roleIds({ filter: { id: [siteId] } }), []);
  await root.post(`/v1/change/${deleted.headers.get("X-Rolegrid-Revision")}/undo`);
  assert.deepEqual(await (await person(SUBJECT)).holds(siteId, "userManagement"), [false]);
  const [row] = await query(target, `SELECT needs FROM role WHERE id = :siteId`, { siteId });
  assert.equal(row?.["needs"], 1);
});
