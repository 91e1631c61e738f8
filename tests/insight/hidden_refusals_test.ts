import assert from "node:assert/strict";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { send, type Sent, testApp } from "../helpers/http.ts";
import { bootstrap, type Deletion, invite, type Member, Person } from "../helpers/person.ts";
import { createDevice } from "../every_operation/device_requests.ts";

/** Ids of things that the caller does not see, or of nothing at all. */
interface Hidden {
  /** A parent of their role, and the relation to it. */
  readonly parentId: number;
  readonly managesId: number;
  /** A role that has nothing to do with theirs, and what belongs to it. */
  readonly otherId: number;
  readonly otherManagesId: number;
  readonly memberId: number;
  readonly keyId: number;
  readonly deviceId: number;
  readonly monitorsId: number;
}

type Refused = (hidden: Hidden) => [method: string, path: string, sent?: Sent];

/** Requests by a caller who manages the members of `roleId` and sees only this role and `lowerId` below it. */
function refusedRequests(roleId: number, lowerId: number): Record<string, Refused> {
  const [body, childRolePassword] = [ALL, { "X-Child-Role-Password": "not the password of the role" }];
  return {
    "a relation from a parent": (
      h,
    ) => ["PUT", `/v1/role/${h.parentId}/manages?childRoleId=${roleId}`, { body }],
    "a relation to a parent": (
      h,
    ) => ["PUT", `/v1/role/${roleId}/manages?childRoleId=${h.parentId}`, { body }],
    "a relation to a role": (h) => ["PUT", `/v1/role/${roleId}/manages?childRoleId=${h.otherId}`, { body }],
    "a relation with a password": (
      h,
    ) => ["PUT", `/v1/role/${roleId}/manages?childRoleId=${h.otherId}`, { body, headers: childRolePassword }],
    "a relation from a parent with a password": (h) => [
      "PUT",
      `/v1/role/${h.parentId}/manages?childRoleId=${roleId}`,
      { body, headers: childRolePassword },
    ],
    "an update of a relation": (h) => ["PUT", `/v1/role/${h.parentId}/manages/${h.managesId}`, { body }],
    "an update of another's relation": (h) => ["PUT", `/v1/role/${roleId}/manages/${h.managesId}`, { body }],
    "a deletion of a relation": (h) => ["DELETE", `/v1/role/${h.parentId}/manages/${h.managesId}`],
    "a deletion of another's relation": (h) => ["DELETE", `/v1/role/${roleId}/manages/${h.otherManagesId}`],
    "a move away from a parent": (
      h,
    ) => ["PUT", `/v1/role/${lowerId}/manages?childRoleId=${roleId}&replaces=${h.managesId}`, { body }],
    "a move to a parent": (
      h,
    ) => ["PUT", `/v1/role/${h.parentId}/manages?childRoleId=${roleId}&replaces=${h.otherManagesId}`, {
      body,
    }],
    "a removal of a member": (h) => ["DELETE", `/v1/role/${roleId}/member/${h.memberId}`],
    "a deletion of a key": (h) => ["DELETE", `/v1/role/${roleId}/key/${h.keyId}`],
    "a device": (h) => ["PUT", `/v1/role/${roleId}/monitors?deviceId=${h.deviceId}`],
    "a detached device": (h) => ["DELETE", `/v1/role/${roleId}/monitors/${h.monitorsId}`],
    "an update of a role": (h) => ["PUT", `/v1/role/${h.parentId}`, { body: { name: "x", selfRights: ALL } }],
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
  const relationTo = async (childId: number): Promise<number> => {
    const filter = { roleId: childId, kind: "role.create" };
    const { change } = await admin.post<{ change: { managesId: number }[] }>("/v1/change/query", { filter });
    return change[0]?.managesId ?? 0;
  };
  const { member } = await admin.put<{ member: Member }>(
    `/v1/role/${otherId}/member?userEmail=x@example.com`,
  );
  const { key } = await admin.post<{ key: { id: number } }>(`/v1/role/${otherId}/key`, { name: "Key" });
  const hidden: Hidden = {
    parentId,
    managesId: await relationTo(roleId),
    otherId,
    otherManagesId: await relationTo(otherId),
    memberId: member.id,
    keyId: key.id,
    ...await createDevice(target, admin.accessToken, otherId, "node"),
  };
  const unknown: Hidden = {
    parentId: UNKNOWN_ID,
    managesId: UNKNOWN_ID,
    otherId: UNKNOWN_ID,
    otherManagesId: UNKNOWN_ID,
    memberId: UNKNOWN_ID,
    keyId: UNKNOWN_ID,
    deviceId: UNKNOWN_ID,
    monitorsId: UNKNOWN_ID,
  };

  async function learn(refused: Refused, ids: Hidden): Promise<unknown> {
    // So that no two refusals share a row.
    target.clock.advance(61);
    const reader = new Person(target, await target.accessToken(userId));
    const { nextRevision: after } = await reader.post<{ nextRevision: number }>("/v1/change/query");
    const [method, path, sent] = refused(ids);
    const { status, text } = await send(target, method, path, { token: reader.accessToken, ...sent });
    const { change } = await reader.post<{ change: (Deletion & { deviceId: number | null })[] }>(
      "/v1/change/query",
      { after },
    );
    // A device is named as in the request.
    return { status, text, change: change.map((row) => ({ ...row, revision: 0, at: "", deviceId: 0 })) };
  }

  for (const [name, refused] of Object.entries(refusedRequests(roleId, lowerId))) {
    assert.deepEqual(await learn(refused, hidden), await learn(refused, unknown), name);
  }
});
