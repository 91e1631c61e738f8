/** A refusal and its row in the log reveal nothing that is hidden. */
import assert from "node:assert/strict";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { send, type Sent, testApp } from "../helpers/http.ts";
import { bootstrap, invite, type Member, Person } from "../helpers/person.ts";
import { createDevice } from "../every_operation/device_requests.ts";
import { readLog } from "./log_scene.ts";

/**
 * Ids of things that the caller does not see, or of nothing at all: a parent of their role, and the relation to it; a role
 * that has nothing to do with theirs, and what belongs to it.
 */
const IDS = [
  ...["parentId", "managesId", "otherId", "otherManagesId"] as const,
  ...["memberId", "keyId", "deviceId", "monitorsId"] as const,
];
type Hidden = Readonly<Record<typeof IDS[number], number>>;

/** Requests by a caller who manages the members of `roleId` and sees only this role and `lowerId` below it. */
function refusedRequests(
  { parentId, managesId, otherId, otherManagesId, ...h }: Hidden,
  { roleId, lowerId }: { roleId: number; lowerId: number },
): Record<string, [method: string, path: string, sent?: Sent]> {
  const body = { body: ALL };
  const guess = { body: ALL, headers: { "X-Child-Role-Password": "not the password of the role" } };
  const [own, lower, parent] = [roleId, lowerId, parentId].map((id) => `/v1/role/${id}`);
  return {
    "a relation from a parent": ["PUT", `${parent}/manages?childRoleId=${roleId}`, body],
    "a relation to a parent": ["PUT", `${own}/manages?childRoleId=${parentId}`, body],
    "a relation to a role": ["PUT", `${own}/manages?childRoleId=${otherId}`, body],
    "a relation with a password": ["PUT", `${own}/manages?childRoleId=${otherId}`, guess],
    "a relation from a parent with a password": ["PUT", `${parent}/manages?childRoleId=${roleId}`, guess],
    "an update of a relation": ["PUT", `${parent}/manages/${managesId}`, body],
    "an update of another's relation": ["PUT", `${own}/manages/${managesId}`, body],
    "a deletion of a relation": ["DELETE", `${parent}/manages/${managesId}`],
    "a deletion of another's relation": ["DELETE", `${own}/manages/${otherManagesId}`],
    "a move from a parent": ["PUT", `${lower}/manages?childRoleId=${roleId}&replaces=${managesId}`, body],
    "a move to a parent": ["PUT", `${parent}/manages?childRoleId=${roleId}&replaces=${otherManagesId}`, body],
    "a removal of a member": ["DELETE", `${own}/member/${h.memberId}`],
    "a deletion of a key": ["DELETE", `${own}/key/${h.keyId}`],
    "a device": ["PUT", `${own}/monitors?deviceId=${h.deviceId}`],
    "a detached device": ["DELETE", `${own}/monitors/${h.monitorsId}`],
    "an update of a role": ["PUT", `${parent}`, { body: { name: "x", selfRights: ALL } }],
  };
}

const UNKNOWN_ID = 900_000_000;

testApp("a refusal and its row in the log reveal nothing that is hidden", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const parentId = await admin.create(rootId, "Parent");
  const otherId = await admin.create(rootId, "Other");
  const roleId = await admin.create(parentId, "Role", ALL, rights("userManagement"));
  const lowerId = await admin.create(roleId, "Lower");
  await invite(target, admin, roleId, "reader@example.com");
  const { userId } = await target.createUser("reader@example.com");
  const password = "four words nobody guesses";
  for (const id of [roleId, otherId]) await admin.put(`/v1/role/${id}/password`, { password });
  const { member } = await admin.put<{ member: Member }>(
    `/v1/role/${otherId}/member?userEmail=x@example.com`,
  );
  const { key } = await admin.post<{ key: { id: number } }>(`/v1/role/${otherId}/key`, { name: "Key" });
  const hidden: Hidden = {
    parentId,
    managesId: await admin.relationIdOf(parentId, roleId),
    otherId,
    otherManagesId: await admin.relationIdOf(rootId, otherId),
    memberId: member.id,
    keyId: key.id,
    ...await createDevice(target, admin.accessToken, otherId, "node"),
  };
  const unknown = Object.fromEntries(IDS.map((id) => [id, UNKNOWN_ID])) as Hidden;
  const [ofHidden, ofUnknown] = [hidden, unknown].map((ids) => refusedRequests(ids, { roleId, lowerId }));
  assert.ok(ofHidden && ofUnknown);

  async function learn([method, path, sent]: [string, string, Sent?] = assert.fail()): Promise<unknown> {
    // So that no two refusals share a row.
    target.clock.advance(61);
    const reader = new Person(target, await target.accessToken(userId));
    const { nextRevision: after } = await readLog(reader);
    const { status, text } = await send(target, method, path, { token: reader.accessToken, ...sent });
    const { change } = await readLog(reader, { after });
    // A device is named as in the request.
    return { status, text, change: change.map((row) => ({ ...row, revision: 0, at: "", deviceId: 0 })) };
  }

  for (const [name, refused] of Object.entries(ofHidden)) {
    assert.deepEqual(await learn(refused), await learn(ofUnknown[name]), name);
  }
});
