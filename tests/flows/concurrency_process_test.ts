/** Fifty requests at once over two processes have the results of some order of them. */
import assert from "node:assert/strict";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { type Answer, query, queryNumber, send } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import {
  ADMIN,
  ADMIN_PASSWORD,
  ALL,
  rights,
  type Scene,
  setScene,
} from "../every_operation/request_catalogue.ts";
import { otherThan } from "../helpers/second_factors.ts";
import { forEachKind } from "../helpers/databases.ts";
import { fifty, openTwoServices, statusesOf, type TwoServices } from "./concurrency_services.ts";

type Body = (target: TwoServices, scene: Scene) => Promise<void>;

const bodies = new Map<string, Body>();

/** Adds a step in which two processes share one database, and each gets half of the requests. */
function forTwoServices(name: string, body: Body): void {
  bodies.set(name, body);
}

// One pair of processes for all steps, since their start takes longer than most steps.
forEachKind("over two processes", async (kind, t) => {
  await using target = await openTwoServices(kind);
  for (const [name, body] of bodies) {
    await t.step(name, async () => {
      await target.reset();
      await body(target, await setScene(target));
    });
  }
});

/** Asserts that one response is a success and that the others are among these refusals. Returns the success. */
function assertOneWinner(answers: readonly Answer[], refusals: readonly number[], context: string): Answer {
  const [winner, ...more] = answers.filter(({ status }) => status < 300);
  assert.ok(winner !== undefined && more.length === 0, `${context}: ${JSON.stringify(statusesOf(answers))}`);
  for (const answer of answers) {
    if (answer !== winner) assert.ok(refusals.includes(answer.status), `${context}: ${answer.text}`);
  }
  return winner;
}

function assertAlike(answers: readonly Answer[], context: string): void {
  for (const answer of answers) {
    assert.deepEqual([answer.status, answer.text], [200, answers[0]?.text], context);
  }
}

forTwoServices("each code of a second factor is accepted once", async (target, { factors }) => {
  const { activeToken, pendingToken, otp, totp, recoveryCode } = factors;
  const cases: [path: string, body: object][] = [
    ["email-otp/authenticate", { otp }],
    ["totp/authenticate", { totp }],
    ["recovery-code/authenticate", { recoveryCode }],
  ];
  for (const [path, body] of cases) {
    const answers = await fifty(() =>
      send(target, "POST", `/user/2fa/${path}`, { token: activeToken, body })
    );
    // More hashes at once than one user may have waiting.
    assertOneWinner(answers, "recoveryCode" in body ? [401, 429, 503] : [401, 429], path);
  }
  // The first activation ends all other set-ups. Fewer than fifty, because each hashes ten recovery codes.
  const activate = (i: number): Promise<Answer> =>
    i % 4 < 2
      ? send(target, "POST", "/user/2fa/email-otp/enable", { token: pendingToken, body: { otp } })
      : send(target, "POST", "/user/2fa/totp/enable", { token: pendingToken, body: { totp } });
  const activations = await Promise.all(Array.from({ length: 8 }, (_, i) => activate(i)));
  assertOneWinner(activations, [401, 409, 429], "activation");
  const [row] = await query(
    target,
    `SELECT count(*) AS codes, count(DISTINCT user_id) AS people FROM recovery_code
     WHERE user_id = (SELECT id FROM user_account WHERE email = 'pending.factors@example.com')`,
  );
  assert.deepEqual({ ...row }, { codes: 10, people: 1 });
  const events = "event IN ('email_otp.activate', 'totp.activate') AND result = 'ok'";
  assert.equal(await queryNumber(target, `SELECT count(*) FROM security_event WHERE ${events}`), 1);
});

forTwoServices("mailed codes and links work once", async (target, { account, linkToken, accessToken }) => {
  const { resetEmail: userEmail, resetCode: otp, undoToken, transferCode } = account;
  const newPassword = "the password of the first request";
  const cases: [method: string, path: string, body: object, token?: string][] = [
    ["PUT", "/user/password/otp", { userEmail, otp, newPassword }],
    ["PUT", "/user/password/link", { token: linkToken, newPassword }],
    ["POST", "/user/email/undo", { token: undoToken }],
    ["PUT", "/user/email", { otp: transferCode }, accessToken],
  ];
  for (const [method, path, body, token] of cases) {
    const answers = await fifty(() => send(target, method, path, { body, token }));
    // More passwords at once than strangers may have hashed.
    assertOneWinner(answers, "newPassword" in body ? [401, 503] : [401], path);
  }
  const mails = "SELECT count(*) FROM outbox WHERE template = 'password_set'";
  assert.equal(await queryNumber(target, mails), 2, "one mail for each password");
});

forTwoServices("wrong codes and passwords count together over both processes", async (target, scene) => {
  const { factors, accessToken, childId, foreign } = scene;
  const wrong = { otp: otherThan(factors.otp) };
  const path = "/user/2fa/email-otp/authenticate";
  const byCode = await fifty(() => send(target, "POST", path, { token: factors.activeToken, body: wrong }));
  assert.deepEqual(statusesOf(byCode), { 401: 4, 429: 46 });
  const admin = new Person(target, accessToken);
  await admin.put(`/v1/role/${childId}/password`, { password: "open sesame, open", rights: ALL });
  const owner = `SELECT user_id FROM member WHERE id = ${foreign.memberId}`;
  const stranger = new Person(target, await target.accessToken(await queryNumber(target, owner)));
  const pair = `/v1/role/${foreign.rootId}/manages?childRoleId=${childId}`;
  const headers = { "X-Child-Role-Password": "a wrong password" };
  const byPassword = await fifty(() => stranger.ask("PUT", pair, rights("viewManagement"), { headers }));
  assert.deepEqual(statusesOf(byPassword), { 403: 4, 429: 46 });
});

forTwoServices("fifty rotations of a token return one successor", async (target, { refreshToken }) => {
  const { services } = target;
  const answers = await fifty((i) =>
    send(services[i % services.length] ?? target, "GET", "/auth/refreshtoken", { token: refreshToken })
  );
  assertAlike(answers, "rotation");
  const successor = answers[0]?.text;
  assert.notEqual(successor, refreshToken);
  assert.equal((await send(target, "GET", "/auth/accesstoken", { token: successor })).status, 200);
});

forTwoServices("fifty equal requests make one change and get equal responses", async (target, scene) => {
  const { rootId, childId, grandchildId, device } = scene;
  const admin = new Person(target, scene.accessToken);
  const meter = { properties: { nodeId: "meter of two" } };
  const key = { headers: { "Idempotency-Key": "once" } };
  const otherKey = { headers: { "Idempotency-Key": "once more" } };
  const monitors = `/v1/role/${rootId}/monitors?deviceId=${device.deviceId}`;
  const cases: [tables: string[], request: () => Promise<Answer>][] = [
    [["manages"], () => admin.ask("PUT", `/v1/role/${rootId}/manages?childRoleId=${grandchildId}`, ALL)],
    [["member"], () => admin.ask("PUT", `/v1/role/${childId}/member?userEmail=third@example.com`, {})],
    [["monitors"], () => admin.ask("PUT", monitors, {})],
    [["role", "manages"], () => admin.askToCreate(rootId, "Once", key)],
    [["device", "monitors"], () => admin.ask("POST", `/v1/device?roleId=${rootId}`, meter, otherKey)],
  ];
  for (const [tables, request] of cases) {
    const counted = [...tables, "change_log WHERE decision = 'ok'"];
    const counts = () =>
      Promise.all(counted.map((rows) => queryNumber(target, `SELECT count(*) FROM ${rows}`)));
    const before = await counts();
    assertAlike(await fifty(request), `${tables}`);
    assert.deepEqual(await counts(), before.map((count) => count + 1), `${tables}`);
  }
  await assertSoundGraph(target);
});

forTwoServices("of fifty requests for one nodeId, relation or member one succeeds", async (target, scene) => {
  const { rootId, childId, memberId, lowerId, device } = scene;
  const admin = new Person(target, scene.accessToken);
  const ownId = await admin.memberIdOf(rootId, ADMIN);
  const meter = { properties: { nodeId: "meter of one" } };
  const create = await fifty(() => admin.ask("POST", `/v1/device?roleId=${rootId}`, meter));
  assertOneWinner(create, [409], "nodeId");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device WHERE node_id = 'meter of one'"), 1);
  const monitors = `/v1/role/${device.roleId}/monitors/${device.monitorsId}`;
  const detached = assertOneWinner(await fifty(() => admin.ask("DELETE", monitors)), [403], "monitors");
  assert.deepEqual(detached.body, {
    deletedNodeIds: [device.deviceId],
    deletedRelationIds: [device.monitorsId],
  });
  const relation = `/v1/role/${childId}/manages/${lowerId}`;
  assertOneWinner(await fifty(() => admin.ask("DELETE", relation)), [403], "manages");
  const members = [ownId, memberId];
  const removals = await fifty((i) => admin.ask("DELETE", `/v1/role/${rootId}/member/${members[i % 2]}`));
  assertOneWinner(removals, [403, 409], "member");
  const left = `SELECT count(*) FROM member WHERE role_id = ${rootId}`;
  assert.equal(await queryNumber(target, left), 1, "a root keeps a member");
  await assertSoundGraph(target);
});

forTwoServices("of fifty changes of one password one succeeds", async (target) => {
  const { userId } = await target.createUser("ada@example.com");
  await target.setPassword(userId, ADMIN_PASSWORD);
  const token = await target.accessToken(userId);
  const answers = await fifty((i) =>
    send(target, "PUT", "/user/password/old-password", {
      token,
      body: { oldPassword: ADMIN_PASSWORD, newPassword: `the new password number ${i}` },
    })
  );
  // 429, because attempts count as failures until they turn out right; 503, because few passwords are hashed at once.
  assertOneWinner(answers, [401, 429, 503], "old password");
});
