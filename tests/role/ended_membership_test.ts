/** Memberships that expire: from that millisecond they count as absent. */
import assert from "node:assert/strict";
import { type Answer, assertError, DENIED, query } from "../helpers/http.ts";
import { readMails } from "../helpers/mails.ts";
import type { Deletion, Member, Person } from "../helpers/person.ts";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import { actAsAdministrator } from "../../src/accounts/own/administrator_service.ts";
import { assertPresent, limitedMembership, SUBJECT } from "./membership_scene.ts";

const SECOND_MS = 1000;

for (const place of ["a role above", "the role itself"]) {
  for (const isOneOfMany of [false, true]) {
    const beside = isOneOfMany ? ", beside many expired ones" : "";
    limitedMembership(`a membership of ${place} ends to the millisecond${beside}`, async (scene) => {
      const { target, topId, siteId, inMs, join, person, plantMemberships } = scene;
      const roleId = place === "the role itself" ? siteId : topId;
      await join(roleId, SUBJECT, { until: inMs(3600 * SECOND_MS + 1) });
      if (isOneOfMany) await plantMemberships(SUBJECT, target.clock.now());
      target.clock.advance(3600);
      await assertPresent(scene, await person(SUBJECT), roleId, true);
      target.clock.advance(0.001);
      await assertPresent(scene, await person(SUBJECT), roleId, false);
    });
  }
}

limitedMembership("an expired membership is in no list and cannot be removed or changed", async (scene) => {
  const { target, siteId, inMs, join, person } = scene;
  const ended = await join(siteId, SUBJECT, { until: inMs(SECOND_MS), rights: rights("viewManagement") });
  const other = await join(siteId, "other@example.com");
  const list = async (by: Person, body: object): Promise<number[]> =>
    (await by.post<{ member: Member[] }>(`/v1/role/${siteId}/member/query`, body)).member.map(({ id }) => id);
  const bodies = [{}, { filter: { id: [ended.id, other.id] } }, {
    filter: { userEmail: [SUBJECT, "other@example.com"] },
  }];
  const admin = await person(ADMIN);
  for (const body of bodies) assert.deepEqual(await list(admin, body), [ended.id, other.id]);
  target.clock.advance(1);
  for (const body of bodies) {
    assert.deepEqual(await list(admin, body), [other.id]);
    assert.deepEqual(await list(await person(SUBJECT), body), []);
  }
  const path = `/v1/role/${siteId}/member/${ended.id}`;
  for (const by of [admin, await person(SUBJECT)]) assertError(await by.ask("DELETE", path), 403, DENIED);

  // Adding it again makes a membership under a new id, without what the old one had, and tells its user.
  target.clock.advance(24 * 3600);
  const again = await join(siteId, SUBJECT);
  assert.deepEqual(again, { id: again.id, roleId: siteId, userEmail: SUBJECT });
  assert.ok(again.id > other.id);
  assert.deepEqual(await list(await person(ADMIN), {}), [other.id, again.id]);
  assert.equal((await readMails(target)).filter(({ recipient }) => recipient === SUBJECT).length, 2);
  const [row] = await query(
    target,
    `SELECT kind, relation_id AS id, gone_relation_ids AS gone, old_rights AS old, new_rights AS new FROM change_log
     ORDER BY rev DESC LIMIT 1`,
  );
  assert.deepEqual(row, { kind: "member.add", id: again.id, gone: `[${ended.id}]`, old: null, new: 63 });
});

limitedMembership("giving an expired membership again needs the rights for a new one", async (scene) => {
  const { target, topId, siteId, inMs, join, askToJoin, person } = scene;
  const until = inMs(3600 * SECOND_MS);
  await join(topId, "boss@example.com", { until, rights: rights("userManagement") });
  await join(siteId, SUBJECT, { until: inMs(1) });
  const boss = await person("boss@example.com");
  const change = (limits: object): Promise<Answer> => askToJoin(boss, siteId, SUBJECT, limits);
  assert.equal((await change({})).status, 200, "an existing one is left as it is");
  target.clock.advance(0.001);
  assertError(await change({ rights: ALL }), 403, DENIED);
  const { member } = (await change({})).body as { member: Member };
  assert.deepEqual(member, { ...member, until, rights: rights("userManagement") });
});

limitedMembership("the deletion of a role does not name expired memberships", async (scene) => {
  const { target, topId, inMs, join, person } = scene;
  const admin = await person(ADMIN);
  const roleId = await admin.create(topId, "Gone");
  const ended = await join(roleId, SUBJECT, { until: inMs(1) });
  const live = await join(roleId, "other@example.com", { until: inMs(SECOND_MS) });
  target.clock.advance(0.001);
  const relationId = await admin.relationIdOf(topId, roleId);
  const path = `/v1/role/${topId}/manages/${relationId}`;
  const expected = { deletedNodeIds: [roleId], deletedRelationIds: [live.id, relationId].toSorted() };
  assert.ok(ended.id < live.id);
  const sorted = ({ deletedNodeIds, deletedRelationIds }: Deletion): object => ({
    deletedNodeIds,
    deletedRelationIds: deletedRelationIds.toSorted(),
  });
  assert.deepEqual(sorted(await admin.delete<Deletion>(`${path}?dryRun=true`)), expected);
  assert.deepEqual(sorted(await admin.delete<Deletion>(path)), expected);
  assert.deepEqual(await query(target, "SELECT id FROM member WHERE role_id = :roleId", { roleId }), []);
});

limitedMembership("a deleted account leaves live memberships, and its expired ones end", async (scene) => {
  const { target, topId, siteId, inMs, join, person } = scene;
  const ended = await join(siteId, SUBJECT, { until: inMs(1) });
  const live = await join(topId, SUBJECT, { until: inMs(SECOND_MS) });
  target.clock.advance(0.001);
  const subject = await person(SUBJECT);
  assert.equal((await subject.ask("DELETE", "/user")).status, 200);
  const rows = await query(
    target,
    "SELECT kind, relation_id AS id FROM change_log ORDER BY rev DESC LIMIT 2",
  );
  assert.deepEqual(rows, [{ kind: "member.leave", id: live.id }, { kind: "member.end", id: ended.id }]);
  assert.deepEqual(await query(target, "SELECT id FROM member WHERE role_id = :siteId", { siteId }), []);
});

limitedMembership("an invitation is not resent for an expired membership", async (scene) => {
  const { target, siteId, inMs, join } = scene;
  await join(siteId, SUBJECT, { until: inMs(1) });
  const ask = (): Promise<string> => actAsAdministrator(target.deps, SUBJECT, { kind: "resendInvitation" });
  assert.equal(await ask(), "ok");
  target.clock.advance(0.001);
  assert.equal(await ask(), "no_role");
});
