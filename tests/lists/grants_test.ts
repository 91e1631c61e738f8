/** What a user or key gave is listed to those who may read it. */
import assert from "node:assert/strict";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import { execute, forEachApp, testApp } from "../helpers/http.ts";
import { bootstrap, invite, type Person } from "../helpers/person.ts";
import { createKey, makeProgram } from "../key/key_scene.ts";
import { idOf } from "./access_scene.ts";

interface Grant {
  readonly kind: string;
  readonly id?: number;
  readonly roleId: number;
  readonly parentRoleId?: number | null;
  readonly userEmail?: string;
  readonly name?: string;
  readonly viaRoleId: number | null;
}

interface GrantPage {
  readonly grant: readonly Grant[];
  readonly nextCursor: string | null;
}

const [EVE, SID] = ["eve@example.com", "sid@example.com"];

async function grantsOf(
  by: Person,
  grantedBy: unknown,
  more: Record<string, unknown> = {},
): Promise<readonly Grant[]> {
  const page = await by.post<GrantPage>("/v1/grant/query", { filter: { grantedBy, ...more } });
  assert.equal(page.nextCursor, null);
  return page.grant;
}

forEachApp("what a user gave is listed by address and id, to those who may read it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const companyId = await admin.create(rootId, "Company");
  const siteId = await admin.create(companyId, "Site");
  const eve = await invite(target, admin, companyId, EVE);
  const sid = await invite(target, eve, siteId, SID);
  await eve.put(`/v1/role/${siteId}/member?userEmail=${SID}`, {
    rights: rights("userManagement", "viewManagement"),
  });
  const { key, program } = await makeProgram(target, eve, companyId);
  await eve.put(`/v1/role/${siteId}/password`, { password: "a password of a role", rights: rights() });
  const { setAt } = await eve.get<{ setAt: string }>(`/v1/role/${siteId}/password`);
  const roomId = await eve.create(siteId, "Room");
  const relationId = await eve.relationIdOf(siteId, roomId);
  const keyRoomId = await program.create(siteId, "Room of the program");

  const all = [
    {
      kind: "key",
      id: key.id,
      roleId: companyId,
      name: "Gateway",
      rights: key.rights,
      until: key.expiresAt,
      at: key.createdAt,
    },
    {
      kind: "membership",
      id: await admin.memberIdOf(siteId, SID),
      roleId: siteId,
      userEmail: SID,
      rights: rights("userManagement", "viewManagement"),
    },
    { kind: "rolePassword", roleId: siteId, rights: rights(), at: setAt },
    {
      kind: "relation",
      id: relationId,
      roleId: roomId,
      parentRoleId: siteId,
      rights: ALL,
    },
  ].map((grant) => ({ ...grant, viaRoleId: companyId }));
  const eveId = await idOf(eve);
  assert.deepEqual(await grantsOf(admin, { userEmail: "EVE@example.com" }), all);
  assert.deepEqual(await grantsOf(admin, { userId: eveId }), all);
  assert.deepEqual(await grantsOf(admin, { userId: eveId }, { roleId: siteId }), all.slice(1, 3));
  assert.deepEqual(await grantsOf(admin, { userId: eveId }, { kind: "key" }), all.slice(0, 1));
  const kinds = ["relation", "membership"];
  assert.deepEqual(await grantsOf(admin, { userId: eveId }, { kind: kinds }), [all[1], all[3]]);
  const ofKey = await grantsOf(admin, { keyId: key.id });
  assert.deepEqual(ofKey.map(({ kind, roleId }) => [kind, roleId]), [["relation", keyRoomId]]);

  // Sid manages the members of the site, but not the role, and does not see through which role Eve acted.
  const own = all.slice(1, 2).map((grant) => ({ ...grant, viaRoleId: null }));
  assert.deepEqual(await grantsOf(sid, { userId: eveId }), own);
  assert.deepEqual(await grantsOf(sid, { userEmail: EVE }), []);
  assert.deepEqual(await grantsOf(sid, { userEmail: "nobody@example.com" }), []);
  assert.deepEqual(await grantsOf(sid, { userId: eveId }, { roleId: companyId }), []);

  await admin.delete(`/v1/role/${siteId}/member/${await admin.memberIdOf(siteId, SID)}`);
  assert.deepEqual(await grantsOf(admin, { userId: eveId }), all.toSpliced(1, 1));
});

testApp("who sees the parent of a deleted role still sees who acted through the role", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [officeId, siteId] = [await admin.create(rootId, "Office"), await admin.create(rootId, "Site")];
  await admin.put(`/v1/role/${officeId}/manages?childRoleId=${siteId}`, rights("userManagement"));
  const eve = await invite(target, admin, officeId, EVE);
  await eve.put(`/v1/role/${siteId}/member?userEmail=${SID}`);
  const boss = await invite(target, admin, siteId, "boss@example.com");
  await admin.delete(`/v1/role/${rootId}/manages/${await admin.relationIdOf(rootId, officeId)}`);
  const byAddress = await grantsOf(admin, { userEmail: EVE });
  assert.deepEqual(byAddress.map(({ roleId, userEmail }) => [roleId, userEmail]), [[siteId, SID]]);
  assert.deepEqual(await grantsOf(boss, { userEmail: EVE }), []);
});

testApp("pages of grants have each once, in order of role", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleIds: number[] = [];
  for (let i = 0; i < 3; i++) roleIds.push(await admin.create(rootId, `Role ${i}`));
  for (const roleId of roleIds) {
    for (let i = 0; i < 3; i++) await createKey(admin, roleId);
  }
  const whole = await grantsOf(admin, { userEmail: ADMIN });
  for (const limit of [1, 2, 5]) {
    const grants: Grant[] = [];
    let cursor: string | null | undefined;
    do {
      const body = { filter: { grantedBy: { userEmail: ADMIN } }, limit, ...(cursor && { cursor }) };
      const page: GrantPage = await admin.post("/v1/grant/query", body);
      assert.ok(page.grant.length <= limit);
      grants.push(...page.grant);
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(grants, whole);
  }
  assert.equal(whole.length, 12);
});

testApp("gifts through an unknown role are found while their giver has access", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const eve = await invite(target, admin, siteId, EVE);
  await eve.put(`/v1/role/${siteId}/member?userEmail=${SID}`);
  await execute(target, "UPDATE member SET given_via = NULL");
  const ofEve = async () => (await grantsOf(admin, { userEmail: EVE })).map(({ userEmail }) => userEmail);
  assert.deepEqual(await ofEve(), [SID]);
  const under = (granted: boolean): Promise<{ ended: readonly unknown[] }> =>
    admin.post("/v1/access/end?dryRun=true", { userEmail: EVE, under: rootId, granted });
  await execute(target, "UPDATE member_history SET given_via = NULL");
  assert.equal((await under(true)).ended.length, 2);
  await admin.delete(`/v1/role/${siteId}/member/${await admin.memberIdOf(siteId, EVE)}`);
  assert.deepEqual(await ofEve(), []);
  assert.equal((await under(true)).ended.length, 0);
  assert.deepEqual((await grantsOf(admin, { userId: await idOf(eve) })).map(({ userEmail }) => userEmail), [
    SID,
  ]);
});

forEachApp("a relation from a hidden parent is listed without the parent", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const hiddenId = await admin.create(rootId, "Hidden");
  const siteId = await admin.create(rootId, "Site");
  await admin.put(`/v1/role/${hiddenId}/manages?childRoleId=${siteId}`, ALL);
  const relationId = await admin.relationIdOf(hiddenId, siteId);
  const boss = await invite(target, admin, siteId, "boss@example.com");
  const userId = await idOf(admin);
  const parentsOf = async (by: Person): Promise<unknown[]> => {
    const grants = await grantsOf(by, { userId }, { kind: "relation", roleId: siteId });
    const { relations } = await by.post<{ relations: Grant[] }>("/v1/access/end?dryRun=true", {
      userId,
      under: siteId,
    });
    return [...grants, ...relations].filter(({ id }) => id === relationId).map((each) => each.parentRoleId);
  };
  assert.deepEqual(await parentsOf(boss), [null, null]);
});
