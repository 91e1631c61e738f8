/** Changes are undone one by one; `restore_flow_test.ts` is about deletions with all that they took. */
import assert from "node:assert/strict";
import { assertError, DENIED, forEachApp, query, send } from "../helpers/http.ts";
import { bootstrap, invite, type Manages, Person, type Role } from "../helpers/person.ts";
import { createKey } from "../../src/key/key_service.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { lastRevision, laterOf, undo, undone, worldOf } from "./undo_scene.ts";

forEachApp("each change of roles, relations and members can be undone", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const north = await admin.create(rootId, "North");
  const south = await admin.create(rootId, "South");
  const site = await admin.create(north, "Site");
  await invite(target, admin, south, "bea@example.com");
  const bea = await admin.memberIdOf(south, "bea@example.com");
  const ofSite = await admin.relationIdOf(north, site);
  const viewing = rights("roleManagement", "viewManagement");
  const until = new Date(target.clock.now() + 86_400_000).toISOString();
  const second = async (): Promise<number> =>
    (await admin.put<{ manages: Manages }>(`/v1/role/${south}/manages?childRoleId=${site}`, viewing)).manages
      .id;
  let linked = 0;
  const changes: readonly [string, () => Promise<unknown>][] = [
    ["a rename", () => admin.put(`/v1/role/${site}`, { name: "Other", selfRights: viewing })],
    ["a new role", () => admin.create(south, "Shed")],
    ["a new relation", async () => linked = await second()],
    ["a narrower relation", () => admin.put(`/v1/role/${north}/manages/${ofSite}`, viewing)],
    ["a narrower pair", () => admin.put(`/v1/role/${north}/manages?childRoleId=${site}`, viewing)],
    ["a move", () => admin.put(`/v1/role/${rootId}/manages?childRoleId=${site}&replaces=${ofSite}`, ALL)],
    ["a new member", () => admin.put(`/v1/role/${north}/member?userEmail=bea@example.com`)],
    [
      "a narrower membership",
      () => admin.put(`/v1/role/${south}/member?userEmail=bea@example.com`, { rights: viewing, until }),
    ],
    ["a removed member", () => admin.delete(`/v1/role/${south}/member/${bea}`)],
  ];
  for (const [what, change] of changes) {
    const before = await worldOf(target);
    await change();
    const revision = await lastRevision(target) - (what === "a move" ? 1 : 0);
    const changed = await worldOf(target);
    await undo(admin, revision, "?dryRun=true");
    assert.deepEqual(await worldOf(target), changed, `a preview of the undo of ${what}`);
    await undone(admin, revision);
    assert.deepEqual(await worldOf(target), before, what);
    laterOf(await undo(admin, revision));
    const { change: log } = await admin.post<{ change: { undoes: number | null }[] }>("/v1/change/query", {
      after: revision,
      filter: { decision: "ok" },
    });
    assert.ok(log.some(({ undoes }) => undoes === revision), what);
  }
  // The relation was undone above; its deletion is a change of its own.
  linked = await second();
  const before = await worldOf(target);
  await admin.delete(`/v1/role/${south}/manages/${linked}`);
  assert.equal((await undo(admin, await lastRevision(target))).status, 200);
  assert.deepEqual(await worldOf(target), before, "a deleted relation");
  await assertSoundGraph(target);
});

forEachApp("a later change of the same thing refuses an undo, and is named to readers", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const site = await admin.create(rootId, "Site");
  const made = await lastRevision(target);
  await admin.put(`/v1/role/${site}`, { name: "One", selfRights: ALL });
  const first = await lastRevision(target);
  await admin.put(`/v1/role/${site}`, { name: "Two", selfRights: ALL });
  assert.equal(laterOf(await undo(admin, first)), first + 1);
  await admin.put(`/v1/role/${site}/member?userEmail=bea@example.com`);
  laterOf(await undo(admin, made));
  await admin.ask("PUT", `/v1/role/${site}/password`, { password: "of the role" });
  const { role } = await admin.post<{ role: Role[] }>("/v1/role/query", { filter: { id: [site] } });
  assert.equal(role[0]?.name, "Two");
});

forEachApp("a key, and who may not read a change or make its inverse, are denied alike", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const north = await admin.create(rootId, "North");
  const south = await admin.create(rootId, "South");
  const site = await admin.create(north, "Site");
  const bea = await invite(target, admin, south, "bea@example.com");
  await admin.put(`/v1/role/${north}/member?userEmail=cy@example.com`, { rights: rights("userManagement") });
  await admin.put(`/v1/role/${site}`, { name: "Renamed", selfRights: ALL });
  const renamed = await lastRevision(target);
  const { secret } = await createKey(target.deps, "administrator", { roleId: rootId, name: "key" });
  for (const who of [bea, new Person(target, secret)]) {
    for (const revision of [renamed, 999_999]) {
      for (const dryRun of ["", "?dryRun=true"]) {
        assertError(await undo(who, revision, dryRun), 403, DENIED);
      }
    }
  }
  const [row] = await query(target, "SELECT name FROM role WHERE id = " + site);
  assert.equal(row?.["name"], "Renamed");
  assert.equal((await send(target, "POST", "/v1/change/1/undo")).status, 401);
});

forEachApp("a membership that has ended since does not return", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const site = await admin.create(rootId, "Site");
  const until = new Date(target.clock.now() + 60_000).toISOString();
  await admin.put(`/v1/role/${site}/member?userEmail=bea@example.com`, { until });
  await admin.delete(`/v1/role/${site}/member/${await admin.memberIdOf(site, "bea@example.com")}`);
  const ended = await lastRevision(target);
  target.clock.advance(61);
  laterOf(await undo(admin, ended));
});
