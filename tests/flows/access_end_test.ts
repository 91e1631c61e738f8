/** A dismissal: one request ends what a person has, made and gave at and below a role. */
import assert from "node:assert/strict";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import {
  type Answer,
  assertError,
  assertUnchanged,
  DENIED,
  execute,
  forEachApp,
  queryNumber,
  testApp,
} from "../helpers/http.ts";
import { bootstrap, invite, type Member, Person } from "../helpers/person.ts";
import { SUDO_HEADER } from "../helpers/sudo.ts";
import { createKey, listKeys, makeProgram } from "../key/key_scene.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { lastRevision, undo } from "./undo_scene.ts";

const [EVE, MAL, PAT] = ["eve@example.com", "mal@example.com", "pat@example.com"] as const;
const [BOB, SID, QUIN] = ["bob@example.com", "sid@example.com", "quin@example.com"] as const;
const PASSWORD = { password: "a password of a role" };

interface Ended {
  readonly kind: string;
  readonly id?: number;
  readonly roleId: number;
  readonly userEmail?: string;
  readonly name?: string;
  readonly rights: unknown;
  readonly until?: string;
  readonly inTrash?: true;
}

interface EndedAccess {
  readonly ended: readonly Ended[];
  readonly relations: readonly { readonly id: number }[];
  readonly left: { readonly roles: number; readonly more?: true };
  readonly effect?: { readonly tag: string };
}

interface Logged {
  readonly kind: string;
  readonly roleId: number;
  readonly keyId: number | null;
  readonly memberEmail: string | null;
  readonly viaRoleId: number | null;
}

/** A company with a department. Eve administers the company, and has brought in Mal, who has brought in Pat. */
async function setScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const companyId = await admin.create(rootId, "Company");
  const departmentId = await admin.create(companyId, "Department");
  const eve = await invite(target, admin, companyId, EVE);
  const bob = await invite(target, admin, companyId, BOB);
  await eve.put(`/v1/role/${departmentId}/member?userEmail=${BOB}`);
  const mal = await invite(target, eve, departmentId, MAL);
  const pat = await invite(target, mal, departmentId, PAT);
  await bob.put(`/v1/role/${departmentId}/member?userEmail=${SID}`);
  return { admin, rootId, companyId, departmentId, eve, bob, mal, pat };
}

function end(by: Person, body: unknown): Promise<EndedAccess> {
  return by.post<EndedAccess>("/v1/access/end", body);
}

function previewEnd(by: Person, body: unknown): Promise<EndedAccess> {
  return by.post<EndedAccess>("/v1/access/end?dryRun=true", body);
}

async function logged(by: Person, filter: object): Promise<Logged[]> {
  return (await by.post<{ change: Logged[] }>("/v1/change/query", { filter })).change;
}

async function membersOf(by: Person, roleId: number): Promise<string[]> {
  const { member } = await by.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`);
  return member.map(({ userEmail }) => userEmail);
}

/** Deletes a role below its parent. Returns the revision. */
async function deleteRole(target: TestApp, by: Person, parentId: number, roleId: number): Promise<number> {
  await by.delete(`/v1/role/${parentId}/manages/${await by.relationIdOf(parentId, roleId)}`);
  return await lastRevision(target);
}

/** What was ended, in short. */
function shortly({ ended }: EndedAccess): string[] {
  return ended.map(({ kind, roleId, userEmail, name }) => [kind, roleId, userEmail ?? name].join(" ").trim());
}

forEachApp("one request ends a person's memberships, keys and passwords, each with a row", async (target) => {
  const { admin, rootId, companyId, departmentId, eve, bob } = await setScene(target);
  const { key, program } = await makeProgram(target, eve, departmentId);
  await eve.put(`/v1/role/${departmentId}/password`, PASSWORD);
  await bob.put(`/v1/role/${companyId}/password`, PASSWORD);
  const childId = await eve.create(departmentId, "Made by Eve");

  const result = await end(admin, { userEmail: EVE, under: rootId });
  assert.deepEqual(shortly(result), [
    `membership ${companyId} ${EVE}`,
    `key ${departmentId} Gateway`,
    `rolePassword ${departmentId}`,
  ]);
  assert.deepEqual(result.left, { roles: 0 });
  assert.deepEqual(result.relations.map(({ id }) => id), [await admin.relationIdOf(departmentId, childId)]);
  assert.deepEqual(await membersOf(admin, companyId), [BOB]);
  assert.deepEqual(await membersOf(admin, departmentId), [BOB, MAL, PAT, SID]);
  assert.deepEqual(await listKeys(admin, departmentId), []);
  assert.equal((await program.ask("POST", "/v1/role/query", {})).status, 401);
  assert.equal((await eve.ask("GET", "/user")).status, 200);
  assert.deepEqual(await eve.roleIds(), []);
  const state = async (roleId: number) =>
    (await admin.get<{ set: boolean }>(`/v1/role/${roleId}/password`)).set;
  assert.deepEqual([await state(departmentId), await state(companyId)], [false, true]);

  const change = await logged(admin, { actorEmail: ADMIN });
  assert.deepEqual(
    change.slice(-4).map((row) => [row.kind, row.roleId, row.keyId ?? row.memberEmail, row.viaRoleId]),
    [
      ["access.end", rootId, EVE, rootId],
      ["member.remove", companyId, EVE, rootId],
      ["key.delete", departmentId, key.id, rootId],
      ["role.password_removed", departmentId, null, rootId],
    ],
  );
  assert.deepEqual(await end(admin, { userEmail: EVE, under: rootId }), { ...result, ended: [] });
  // These rows bar Eve from later restores.
  const { id: eveId } = await eve.get<{ id: number }>("/user");
  const bars = `SELECT count(*) FROM change_log WHERE kind = 'access.end' AND decision = 'ok'
      AND subject_id = ${eveId} AND role_id = ${rootId}`;
  assert.equal(await queryNumber(target, bars), 2);
});

testApp("the log says whose access ended, and does not turn other ids into addresses", async (target) => {
  const { admin, companyId, departmentId, bob, eve } = await setScene(target);
  const named = async (by: Person) => (await logged(by, { kind: "access.end" })).at(-1)?.memberEmail;
  // Bob manages the members of the vault from another root, and those above the company do not.
  const other = await target.bootstrapRoot("other@example.com", "Other root");
  await new Person(target, await target.accessToken(other.userId)).put(
    `/v1/role/${other.roleId}/member?userEmail=${BOB}`,
  );
  const vaultId = await bob.create(other.roleId, "Vault");
  await bob.put(`/v1/role/${vaultId}/password`, PASSWORD);
  const relation = `/v1/role/${companyId}/manages?childRoleId=${vaultId}`;
  const given = encodeURIComponent(PASSWORD.password);
  await bob.put(`${relation}&childRolePassword=${given}`, rights("viewManagement"));
  const zoe = await invite(target, bob, vaultId, "zoe@example.com");
  const { id: userId } = await zoe.get<{ id: number }>("/user");
  assert.equal((await end(bob, { userId, under: companyId })).ended.length, 1);
  assert.deepEqual([await named(bob), await named(admin)], ["zoe@example.com", null]);
  for (const person of [{ userId }, { userEmail: "zoe@example.com" }]) {
    assert.equal((await end(bob, { ...person, under: companyId })).ended.length, 0);
    assert.equal(await named(bob), null);
  }
  // What a person made names them to those who see the role through which they did, also when they have left.
  await createKey(eve, departmentId);
  await eve.delete(`/v1/role/${companyId}/member/${await eve.memberIdOf(companyId, EVE)}`);
  const [ended] = (await end(admin, { userEmail: EVE, under: departmentId })).ended;
  assert.deepEqual([ended?.kind, await named(admin)], ["key", EVE]);
});

forEachApp("what was given is followed through people who were brought in, and no others", async (target) => {
  const { admin, companyId, departmentId, mal } = await setScene(target);
  await createKey(mal, departmentId);
  await mal.put(`/v1/role/${departmentId}/password`, PASSWORD);
  // Leaving hides no one whom Mal has brought in.
  await mal.delete(`/v1/role/${departmentId}/member/${await mal.memberIdOf(departmentId, MAL)}`);
  const body = { userEmail: EVE, under: companyId, granted: true };
  const { effect, ...preview } = await previewEnd(admin, body);
  assert.ok(effect);
  assert.deepEqual(await membersOf(admin, departmentId), [BOB, PAT, SID]);
  const result = await end(admin, body);
  assert.deepEqual(result, preview);
  // Bob was a member of the company already, so what he gave stays.
  assert.deepEqual(shortly(result), [
    `membership ${companyId} ${EVE}`,
    `membership ${departmentId} ${BOB}`,
    `membership ${departmentId} ${PAT}`,
    `key ${departmentId} Gateway`,
    `rolePassword ${departmentId}`,
  ]);
  assert.deepEqual(await membersOf(admin, departmentId), [SID]);
});

forEachApp("nothing of the caller's own ends, and nothing is followed through them", async (target) => {
  const { companyId, departmentId, bob } = await setScene(target);
  await createKey(bob, departmentId);
  await bob.put(`/v1/role/${departmentId}/password`, PASSWORD);
  const result = await end(bob, { userEmail: EVE, under: companyId, granted: true });
  assert.deepEqual(shortly(result), [
    `membership ${companyId} ${EVE}`,
    `membership ${departmentId} ${MAL}`,
    `membership ${departmentId} ${PAT}`,
  ]);
  assert.deepEqual(await membersOf(bob, departmentId), [BOB, SID]);
  const own = await end(bob, { userEmail: BOB, under: companyId, granted: true });
  assert.deepEqual([own.ended, own.left], [[], { roles: 2 }]);
});

forEachApp("a person is ended with the effect that was seen, or not at all", async (target) => {
  const { admin, companyId, departmentId, eve, mal } = await setScene(target);
  const body = { userEmail: EVE, under: companyId, granted: true };
  const preview = async () => (await previewEnd(admin, body)).effect?.tag ?? "";
  const apply = (tag: string): Promise<Answer> =>
    admin.ask("POST", "/v1/access/end", body, { headers: { "If-Effect": tag } });
  const tag = await preview();
  const { key } = await createKey(mal, departmentId);
  await assertUnchanged(target, "another effect", async () => {
    assertError(await apply(tag), 409, "EFFECT_CHANGED");
  });
  // So does a membership that carries other rights, or ends, and a password that lets in with others.
  const memberPath = `/v1/role/${departmentId}/member?userEmail=${MAL}`;
  const passwordPath = `/v1/role/${departmentId}/password`;
  await eve.put(passwordPath, { ...PASSWORD, rights: rights("viewManagement") });
  for (
    const change of [
      () => eve.put(memberPath, { rights: rights("userManagement") }),
      () => eve.put(memberPath, { until: "2100-01-01T00:00:00.000Z" }),
      () => eve.put(passwordPath, { ...PASSWORD, rights: rights("alarmManagement") }),
    ]
  ) {
    const seen = await preview();
    await change();
    assertError(await apply(seen), 409, "EFFECT_CHANGED");
  }
  const answer = await apply(await preview());
  assert.equal(answer.status, 200);
  const { ended } = answer.body as EndedAccess;
  assert.ok(ended.some(({ id }) => id === key.id));
  const [member, password] = [ended.find(({ userEmail }) => userEmail === MAL), ended.at(-1)];
  assert.deepEqual(
    [member?.rights, member?.until, password?.rights],
    [rights("userManagement"), "2100-01-01T00:00:00.000Z", rights("alarmManagement")],
  );
});

forEachApp("access above the role stays and is counted; a root keeps an administrator", async (target) => {
  const { admin, rootId, companyId, departmentId, eve, bob } = await setScene(target);
  const result = await end(bob, { userEmail: EVE, under: departmentId });
  assert.deepEqual([result.ended, result.left], [[], { roles: 1 }]);
  // Bob sees no list of access above the company.
  await admin.put(`/v1/role/${rootId}/member?userEmail=${EVE}`);
  assert.deepEqual((await end(bob, { userEmail: EVE, under: companyId })).left, { roles: 2 });
  assert.deepEqual((await end(eve, { userEmail: ADMIN, under: companyId })).left, { roles: 2 });
  await admin.put(`/v1/role/${rootId}/member?userEmail=${EVE}`, { rights: rights("userManagement") });
  assertError(
    await eve.ask("POST", "/v1/access/end", { userEmail: ADMIN, under: rootId }),
    409,
    "The root role would be left without a member",
  );
});

forEachApp("access is ended by users with proof who manage the members of the role", async (target) => {
  const { admin, companyId, rootId, eve, bob, pat } = await setScene(target);
  const { program } = await makeProgram(target, admin, companyId, { rights: ALL });
  const body = { userEmail: MAL, under: companyId, granted: true };
  await assertUnchanged(target, "access that is not ended", async () => {
    assertError(await program.ask("POST", "/v1/access/end", body), 403, DENIED);
    assertError(await bob.ask("POST", "/v1/access/end", { ...body, under: rootId }), 403, DENIED);
    assertError(await bob.ask("POST", "/v1/access/end", { ...body, under: 999_999 }), 403, DENIED);
    assertError(await pat.ask("POST", "/v1/access/end", body), 403, DENIED);
    const without = await eve.ask("POST", "/v1/access/end", body, { headers: { [SUDO_HEADER]: "" } });
    assert.equal(without.status, 401);
  });
  const names = await bob.ask("POST", "/v1/access/end?dryRun=true", body, { headers: { [SUDO_HEADER]: "" } });
  assert.equal(names.status, 200);
});

testApp("at most 1,000 things end at once; beyond that, nothing does", async (target) => {
  const { admin, rootId, departmentId, eve } = await setScene(target);
  const { id: eveId } = await eve.get<{ id: number }>("/user");
  const plant = (count: number, firstId: number): Promise<void> =>
    execute(
      target,
      `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
       INSERT INTO member (id, role_id, user_id, given_by, given_via)
       SELECT :firstId + n, :departmentId, :firstId + n, :eveId, :departmentId FROM numbered`,
      { count, firstId, departmentId, eveId },
    );
  // With Eve's own membership, those of Bob and Mal, and Pat's, whom Mal has brought in.
  await plant(997, 1000);
  const body = { userId: eveId, under: rootId, granted: true };
  const message = (count: number): RegExp =>
    new RegExp(`^About ${count} memberships, keys and role passwords `);
  const ask = async (query = ""): Promise<{ message: string }> => {
    const answer = await admin.ask("POST", `/v1/access/end${query}`, body);
    assert.equal(answer.status, 422, answer.text);
    return answer.body as { message: string };
  };
  await assertUnchanged(target, "too much to end", async () => {
    assert.match((await ask()).message, message(1001));
    assert.match((await ask("?dryRun=true")).message, message(1001));
  });
  await plant(3000, 10_000);
  assert.match((await ask()).message, message(3001));
  await execute(target, "DELETE FROM member WHERE user_id > 10000 OR user_id = 1001");
  assert.equal((await end(admin, body)).ended.length, 1000);
  assert.equal((await membersOf(admin, departmentId)).length, 1);
});

testApp("a request that ends nothing needs room in the bucket of changes", async (target) => {
  const { admin, rootId } = await setScene(target);
  await execute(target, "UPDATE root_usage SET free_at = free_at + 2e8");
  for (const userEmail of ["nobody@example.com", EVE]) {
    const answer = await admin.ask("POST", "/v1/access/end", { userEmail, under: rootId });
    assert.equal(answer.status, userEmail === EVE ? 200 : 429, answer.text);
  }
  assert.equal((await admin.ask("POST", "/v1/access/end", { userEmail: EVE, under: rootId })).status, 429);
  // Both refusals share a row: the log must not tell who has an account.
  const refused =
    "SELECT count(*) FROM change_log WHERE kind = 'access.end' AND decision = 'too_much_stored'";
  assert.equal(await queryNumber(target, refused), 1);
});

testApp("gifts that are over are followed up to a limit, beyond which nothing ends", async (target) => {
  const { admin, companyId, departmentId, mal } = await setScene(target);
  const { id: malId } = await mal.get<{ id: number }>("/user");
  await execute(
    target,
    `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < 20000)
     INSERT INTO member_history (member_id, role_id, user_id, rights, given_by, given_via, from_rev, to_rev)
     SELECT 100000 + n, :departmentId, 100000 + n, 0, :malId, :departmentId, 1, 2 FROM numbered`,
    { departmentId, malId },
  );
  const body = { userEmail: EVE, under: companyId, granted: true };
  const answer = await admin.ask("POST", "/v1/access/end?dryRun=true", body);
  assert.equal(answer.status, 422, answer.text);
  assert.match((answer.body as { message: string }).message, /^About 5001 /);
  await previewEnd(admin, { ...body, granted: false });
});

/** Roles with every second id from `first` on, at and below a role and those above it. */
async function plantBelow(target: TestApp, roleId: number, first: number, count: number): Promise<void> {
  await execute(
    target,
    `WITH RECURSIVE numbered(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbered WHERE n + 1 < :count)
     INSERT INTO role_closure (descendant_id, ancestor_id, rights)
     SELECT :first + 2 * n, above.id, 63 FROM numbered CROSS JOIN (SELECT :roleId AS id
       UNION SELECT ancestor_id FROM role_closure WHERE descendant_id = :roleId) above`,
    { roleId, first, count },
  );
}

/** Memberships, keys, passwords and relations that a user has and made on roles with every second id. */
async function plantElsewhere(target: TestApp, userId: number, first: number, count: number): Promise<void> {
  const numbered = `WITH RECURSIVE numbered(n) AS (
    SELECT :first UNION ALL SELECT n + 2 FROM numbered WHERE n + 2 < :first + 2 * :count)`;
  // Ids of things are unique among those of all users.
  const id = "(8 * n + :userId % 8)";
  for (
    const columns of [
      `member (id, role_id, user_id, given_by) SELECT ${id}, n, :userId, :userId`,
      `member (id, role_id, user_id, given_by, given_via) SELECT -${id}, n, -${id}, :userId, n`,
      `manages (id, parent_id, child_id, rights, given_by, given_via) SELECT ${id}, n, n + 1, 0, :userId, n`,
      `role (id, name, self_rights, password_hash, password_rights, password_set_by, password_set_via)
        SELECT n, 'Elsewhere', 0, '', 0, :userId, n`,
    ]
  ) await execute(target, `${numbered} INSERT INTO ${columns} FROM numbered`, { userId, first, count });
}

testApp("however much people have and made elsewhere, the same ends here", async (target) => {
  const { admin, companyId, departmentId, eve, mal } = await setScene(target);
  for (const person of [eve, mal]) {
    const roleId = await person.create(departmentId, "Made");
    await person.put(`/v1/role/${roleId}/password`, PASSWORD);
    await createKey(person, roleId);
  }
  const lostId = await eve.create(departmentId, "Deleted");
  await eve.put(`/v1/role/${lostId}/member?userEmail=${QUIN}`);
  await deleteRole(target, admin, departmentId, lostId);
  const [eveId = 0, malId = 0] = await Promise.all(
    [eve, mal].map(async (person) => (await person.get<{ id: number }>("/user")).id),
  );
  const [firstBelow, lastBelow] = [1_000_000, 1_010_000];
  await plantBelow(target, companyId, lastBelow, 1);
  await execute(
    target,
    `INSERT INTO member (id, role_id, user_id) SELECT 999999, :lastBelow, :eveId`,
    { lastBelow, eveId },
  );
  const ask = async () =>
    await Promise.all([companyId, departmentId].map(async (under) => {
      const body = { userEmail: EVE, under, granted: true };
      const { effect: _, ...rest } = await previewEnd(admin, body);
      return rest;
    }));
  const few = await ask();
  assert.deepEqual(few.map(({ ended, relations }) => [ended.length, relations.length]), [[10, 2], [8, 2]]);
  // With many roles, it is those of the person and their gifts that are looked up: also between these, and after.
  await plantBelow(target, companyId, firstBelow, 4500);
  assert.deepEqual(await ask(), few);
  await plantElsewhere(target, eveId, firstBelow + 1, 4200);
  await plantElsewhere(target, malId, firstBelow + 20_001, 10_100);
  assert.deepEqual(await ask(), few);
  assert.equal((await end(admin, { userEmail: EVE, under: companyId, granted: true })).ended.length, 10);
});

forEachApp("no part of an ended access returns by an undo", async (target) => {
  const { admin, companyId, departmentId, bob } = await setScene(target);
  await admin.put(`/v1/role/${departmentId}/member?userEmail=${EVE}`);
  const before = await lastRevision(target);
  await end(admin, { userEmail: EVE, under: companyId });
  const last = await lastRevision(target);
  assert.ok(last - before > 2);
  for (let revision = before + 1; revision <= last; revision++) {
    for (const person of [admin, bob]) {
      assertError(await undo(person, revision), 409, "CANNOT_UNDO");
    }
  }
});

forEachApp("a membership that returns by an undo is given by its actor", async (target) => {
  const { admin, departmentId, eve } = await setScene(target);
  const sid = await admin.memberIdOf(departmentId, SID);
  await admin.delete(`/v1/role/${departmentId}/member/${sid}`);
  assert.equal((await undo(eve, await lastRevision(target))).status, 200);
  const { grant } = await admin.post<{ grant: { id: number }[] }>("/v1/grant/query", {
    filter: { grantedBy: { userEmail: EVE }, roleId: departmentId, kind: "membership" },
  });
  assert.ok(grant.some(({ id }) => id === sid));
});

forEachApp("what a person gave ends in the trash, too, also what was given through it", async (target) => {
  const { admin, rootId, companyId, departmentId, eve } = await setScene(target);
  // Eve lets Quin into a site and a shed below it; both are deleted one after the other. Quin has let Rae into the
  // company's vault through the site, and Tom into the shed; Uma was let in by the admin.
  const siteId = await admin.create(departmentId, "Site");
  const shedId = await admin.create(siteId, "Shed");
  const vaultId = await admin.create(siteId, "Vault");
  await admin.put(`/v1/role/${companyId}/manages?childRoleId=${vaultId}`, ALL);
  const quin = await invite(target, eve, siteId, QUIN);
  await quin.put(`/v1/role/${vaultId}/member?userEmail=rae@example.com`);
  await quin.put(`/v1/role/${shedId}/member?userEmail=tom@example.com`);
  await admin.put(`/v1/role/${shedId}/member?userEmail=uma@example.com`);
  const shed = await deleteRole(target, admin, siteId, shedId);
  const site = await deleteRole(target, admin, departmentId, siteId);

  const body = { userEmail: EVE, under: rootId, granted: true };
  // Without what was given, it stays, and a person's own access in the trash is barred as before.
  const { ended: own } = await previewEnd(admin, { ...body, granted: false });
  assert.equal(own.some(({ inTrash }) => inTrash), false);
  const { effect, ...preview } = await previewEnd(admin, body);
  const headers = { "If-Effect": effect?.tag ?? "" };
  const { status, body: result } = await admin.ask("POST", "/v1/access/end", body, { headers });
  assert.deepEqual([status, result], [200, preview]);
  const { ended } = preview;
  assert.deepEqual(
    ended.filter(({ inTrash }) => inTrash).map(({ roleId, userEmail }) => [roleId, userEmail]),
    [[siteId, QUIN], [shedId, "tom@example.com"]],
  );
  assert.ok(shortly(preview).includes(`membership ${vaultId} rae@example.com`));
  const change = await logged(admin, { kind: "access.end" });
  assert.deepEqual(change.map(({ roleId, memberEmail }) => [roleId, memberEmail]), [
    [rootId, EVE],
    [siteId, QUIN],
    [shedId, "tom@example.com"],
  ]);
  // A second time, nothing is left to end.
  assert.deepEqual((await end(admin, body)).ended, []);

  for (const revision of [site, shed]) assert.equal((await undo(admin, revision)).status, 200);
  assert.deepEqual(await quin.roleIds(), []);
  assert.deepEqual(await membersOf(admin, siteId), []);
  assert.deepEqual(await membersOf(admin, shedId), ["uma@example.com"]);
});

testApp("in the trash, only what lies below the role and is not the caller's ends", async (target) => {
  const { admin, rootId, companyId, departmentId, eve, bob } = await setScene(target);
  const elsewhere = await admin.create(rootId, "Elsewhere");
  await admin.put(`/v1/role/${elsewhere}/member?userEmail=${EVE}`);
  const made: [number, number, number][] = [];
  for (const parentId of [departmentId, elsewhere]) {
    const roleId = await eve.create(parentId, "Site");
    for (const email of [BOB, QUIN]) await eve.put(`/v1/role/${roleId}/member?userEmail=${email}`);
    if (parentId === departmentId) await bob.put(`/v1/role/${roleId}/member?userEmail=tom@example.com`);
    made.push([parentId, roleId, await deleteRole(target, admin, parentId, roleId)]);
  }
  const { ended } = await end(bob, { userEmail: EVE, under: companyId, granted: true });
  assert.deepEqual(ended.filter(({ inTrash }) => inTrash).map(({ userEmail }) => userEmail), [QUIN]);
  const returned = [];
  for (const [, roleId, revision] of made) {
    await admin.post(`/v1/change/${revision}/undo`);
    returned.push(await membersOf(admin, roleId));
  }
  assert.deepEqual(returned, [[BOB, "tom@example.com"], [BOB, QUIN]]);
});
