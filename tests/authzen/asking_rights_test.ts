/** By which rights, and by which ways to them, a caller may ask about the access of others. */
import assert from "node:assert/strict";
import { RIGHT_NAMES } from "../model/oracle_rights.ts";
import { ALL, type Rights, rights } from "../every_operation/request_catalogue.ts";
import { testApp } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import {
  accountId,
  action,
  BOB,
  decide,
  device,
  results,
  role,
  type Scene,
  setScene,
  user,
} from "./scene.ts";

const ASKER = "asker@example.com";

/** How the asker comes to a right on a role, as its direct member or as one of a team above it: what is limited to it. */
const WAYS = [
  ["role", "selfRights"],
  ["role", "membership"],
  ["team", "relation"],
  ["team", "membership"],
] as const;

/** Makes Bob a member of a new role with a device, and the asker one who has only this right on it. */
async function addRole(
  { admin, rootId }: Scene,
  right: string,
  [memberOf, limited]: typeof WAYS[number],
): Promise<number> {
  const limit = (part: string): Rights => part === limited ? rights(right) : ALL;
  const teamId = await admin.create(rootId, `Team with ${right}`);
  const roleId = await admin.create(rootId, "Role", ALL, limit("selfRights"));
  await admin.put(`/v1/role/${teamId}/manages?childRoleId=${roleId}`, limit("relation"));
  await admin.put(`/v1/role/${memberOf === "role" ? roleId : teamId}/member?userEmail=${ASKER}`, {
    rights: limit("membership"),
  });
  await admin.put(`/v1/role/${roleId}/member?userEmail=${BOB}`);
  await admin.post(`/v1/device?roleId=${roleId}`, { properties: { nodeId: `meter of ${roleId}` } });
  return roleId;
}

/** More memberships than few: rules then start from the roles above a role. */
const MANY = 40;
const FIRST_OTHER = 1_000_000;

async function addMemberships({ target }: Scene, userId: string): Promise<void> {
  const ids = `WITH RECURSIVE other(id) AS (
    SELECT ${FIRST_OTHER} UNION ALL SELECT id + 1 FROM other WHERE id < ${FIRST_OTHER + MANY - 1})`;
  await target.database.write([
    `INSERT INTO role (id, name, self_rights) ${ids} SELECT id, 'other', 63 FROM other`,
    `INSERT INTO member (id, role_id, user_id) ${ids} SELECT id, id, ${userId} FROM other`,
  ].map((sql) => ({ sql, args: {} })));
}

for (const memberships of ["few", "many"]) {
  testApp(
    `a caller with ${memberships} memberships may ask about others by userManagement, or roleManagement above`,
    async (target) => {
      const scene = await setScene(target);
      const { accessToken } = await target.createUser(ASKER);
      const asker = new Person(target, accessToken);
      const [askerId, bobId] = [await accountId(target, ASKER), await accountId(target, BOB)];
      if (memberships === "many") await addMemberships(scene, askerId);
      const allowed: number[] = [];
      for (const way of WAYS) {
        for (const right of RIGHT_NAMES) {
          const roleId = await addRole(scene, right, way);
          const may = right === "userManagement" || right === "roleManagement" && way[0] === "team";
          if (may) allowed.push(roleId);
          const what = `${right} in the ${way[1]} of a member of the ${way[0]}`;
          for (const resource of [role(roleId), device(`meter of ${roleId}`)]) {
            const name = resource.type === "role" ? "member" : "read";
            assert.equal(await decide(scene, asker, user(BOB), name, resource), may, `${what}: decision`);
            const people = await results<{ id: string }>(scene, asker, "subject", {
              subject: { type: "user" },
              action: action(name),
              resource,
            });
            const found = new Set(people.map(({ id }) => id));
            if (may) assert.ok(found.has(bobId), `${what}: people of a ${resource.type}`);
            else assert.deepEqual([...found], [askerId], `${what}: people of a ${resource.type}`);
          }
        }
      }
      const find = async (name: string, type: string): Promise<number[]> =>
        (await results<{ id: string }>(scene, asker, "resource", {
          subject: user(BOB),
          action: action(name),
          resource: { type },
        })).map(({ id }) => Number(id));
      assert.deepEqual(await find("member", "role"), allowed);
      const body = { userEmail: BOB };
      const listed = await asker.post<{ access: { roleId: number }[] }>("/v1/access/query", body);
      assert.deepEqual(listed.access.map(({ roleId }) => roleId), allowed, "the list of access agrees");
      const devices = await scene.admin.post<{ device: { id: number; properties: { nodeId: string } }[] }>(
        "/v1/device/query",
        {},
      );
      const nodeIds = new Map(devices.device.map(({ id, properties }) => [id, properties.nodeId]));
      assert.deepEqual(
        (await find("read", "device")).map((id) => nodeIds.get(id)),
        allowed.map((roleId) => `meter of ${roleId}`),
      );
    },
  );
}
