/** Fifty requests at once in one process have the results of some order of them. */
import assert from "node:assert/strict";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import {
  assertError,
  DENIED,
  dumpState,
  forEachApp,
  login,
  query,
  queryNumber,
  send,
} from "../helpers/http.ts";
import { bootstrap, type Deletion, type Manages } from "../helpers/person.ts";
import { ALL, type Created, openInvitation, rights } from "../every_operation/request_catalogue.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { fifty } from "./concurrency_services.ts";

const CYCLE = "The proposed manages relation cannot be added since it would create a cycle in the role graph";

forEachApp("fifty concurrent PUTs with different rights leave the rights of one of them", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [a, b] = [await admin.create(rootId, "A"), await admin.create(rootId, "B")];
  const names = Object.keys(ALL);
  const answers = await fifty((i) =>
    admin.ask("PUT", `/v1/role/${a}/manages?childRoleId=${b}`, rights("roleManagement", names[i % 6] ?? ""))
  );
  const made = answers.map(({ body }) => (body as { manages: Manages }).manages);
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${a}/manages/query`);
  assert.equal(manages.length, 1);
  assert.ok(made.some((candidate) => JSON.stringify(candidate) === JSON.stringify(manages[0])));
  await assertSoundGraph(target);
});

forEachApp("fifty concurrent PUTs in opposite directions never make a cycle", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  for (let round = 0; round < 3; round++) {
    const [a, b] = [await admin.create(rootId, "A"), await admin.create(rootId, "B")];
    // With a role between, so that the cycle would be longer than two.
    const below = await admin.create(b, "Below B");
    const answers = await fifty((i) =>
      i % 2 === 0
        ? admin.ask("PUT", `/v1/role/${a}/manages?childRoleId=${b}`, ALL)
        : admin.ask("PUT", `/v1/role/${below}/manages?childRoleId=${a}`, ALL)
    );
    const winners = new Set<number>();
    for (const [i, answer] of answers.entries()) {
      if (answer.status === 200) winners.add(i % 2);
      else assertError(answer, 409, CYCLE);
    }
    assert.equal(winners.size, 1, "both directions were made");
    assert.equal(answers.filter(({ status }) => status === 200).length, 25);
    await assertSoundGraph(target);
  }
});

forEachApp("of fifty equal concurrent DELETEs one succeeds, and other roles stay", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const a = await admin.create(rootId, "A");
  await admin.create(rootId, "Bystander");
  const c = await admin.create(a, "C");
  await admin.create(c, "Below C");
  const state = await statePerTable(target);
  const doomed = await admin.create(a, "Doomed");
  await admin.create(doomed, "Below the doomed");
  const path = `/v1/role/${a}/manages/${await admin.relationIdOf(a, doomed)}`;
  const answers = await fifty(() => admin.ask("DELETE", path));
  const [success, ...more] = answers.filter(({ status }) => status === 200);
  assert.deepEqual(more, []);
  assert.deepEqual((success?.body as Deletion).deletedNodeIds, [doomed, doomed + 1]);
  for (const answer of answers) if (answer !== success) assertError(answer, 403, DENIED);
  assert.deepEqual(await statePerTable(target), state);
  await assertSoundGraph(target);
});

/** The graph's rows, table by table. */
function statePerTable(target: TestApp): Promise<unknown[]> {
  const tables = ["role", "manages", "member", "role_closure"];
  return Promise.all(tables.map((table) => query(target, `SELECT * FROM ${table} ORDER BY 1, 2`)));
}

forEachApp("fifty roles created concurrently get ids of their own", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const answers = await fifty(() => admin.askToCreate(rootId, "Same"));
  const made = answers.map(({ body }) => body as Created);
  assert.equal(new Set(made.map(({ role }) => role.id)).size, 50);
  assert.equal(new Set(made.map(({ manages }) => manages.id)).size, 50);
  await assertSoundGraph(target);
});

forEachApp("an address added fifty times at once gets one account, membership and mail", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const spellings = ["new@example.com", "NEW@example.com", "New@Example.Com"];
  const answers = await fifty((i) =>
    admin.ask("PUT", `/v1/role/${rootId}/member?userEmail=${spellings[i % 3]}`, {})
  );
  for (const answer of answers) assert.deepEqual([answer.status, answer.text], [200, answers[0]?.text]);
  const rows: [string, number][] = [
    ["user_account WHERE email LIKE 'new%'", 1],
    ["member", 2],
    ["outbox WHERE recipient LIKE 'new%'", 1],
    ["password_link WHERE user_id = (SELECT id FROM user_account WHERE email LIKE 'new%')", 1],
  ];
  for (const [table, expected] of rows) {
    assert.equal(await queryNumber(target, `SELECT count(*) FROM ${table}`), expected, table);
  }
});

forEachApp("of fifty concurrent redemptions of an invitation one succeeds and signs in", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await admin.put(`/v1/role/${rootId}/member?userEmail=new@example.com`);
  const token = await openInvitation(target, "new@example.com");
  const password = (i: number): string => `the password number ${i} of fifty`;
  const answers = await fifty((i) =>
    send(target, "PUT", "/user/password/link", { body: { token, newPassword: password(i), signIn: true } })
  );
  const winners = [...answers.keys()].filter((i) => answers[i]?.status === 200);
  assert.equal(winners.length, 1);
  for (const answer of answers) {
    if (answer.status !== 200) assertError(answer, 401, "OTP_INVALID_EXPIRED");
  }
  const [winner = -1] = winners;
  assert.equal((await login(target, "new@example.com", password(winner))).status, 200);
  assertError(await login(target, "new@example.com", password((winner + 1) % 50)), 401, "PASSWORD_INCORRECT");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM outbox WHERE template = 'password_set'"), 1);
  const sessions = "SELECT count(*) FROM session JOIN user_account ON user_account.id = session.user_id " +
    "WHERE email = 'new@example.com'";
  assert.equal(await queryNumber(target, sessions), 2, "that of the winner, and of the login");
  const events = "SELECT count(*) FROM security_event WHERE event = 'password.invitation_link'";
  assert.equal(await queryNumber(target, events), 1);
});

forEachApp("a session that ends among fifty changes makes no later change", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const role = await admin.create(rootId, "Role");
  const [session] = await query<{ id: string }>(target, "SELECT id FROM session WHERE ended_at IS NULL");
  const answers = await fifty((i) =>
    i === 25
      ? admin.ask("DELETE", `/user/session/${session?.id}`)
      : admin.ask("PUT", `/v1/role/${role}`, { name: `Name ${i}`, selfRights: ALL })
  );
  const refused = answers.filter(({ status }) => status === 401).length;
  const changed = await queryNumber(target, "SELECT count(*) FROM change_log WHERE kind = 'role.update'");
  assert.equal(answers[25]?.status, 200);
  assert.equal(changed + refused, 49, "each change was either logged or refused");
  const after = await dumpState(target);
  const late = await admin.ask("PUT", `/v1/role/${role}`, { name: "Late", selfRights: ALL });
  assert.equal(late.status, 401);
  assert.equal(await dumpState(target), after);
});
