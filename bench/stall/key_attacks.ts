import { drawRoleKey, makeRoleKey } from "../../src/identity/token/role_key.ts";
import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf, type Strike, type Target } from "./attack.ts";
import type { LargeScene } from "../../tests/helpers/large_scene.ts";

/** Attacks by one person with many keys: all of them together count as that person. */

const KEYS = [
  defineStatement(`
    INSERT INTO member (id, role_id, user_id, ends_at)
    SELECT value ->> 'id', :roleId, -(value ->> 'id'), :endsAt FROM json_each(:keys)`),
  defineStatement(`
    INSERT INTO role_key (id, role_id, name, prefix, secret_mac, created_at, created_by)
    SELECT value ->> 'id', :roleId, 'Program', 'rgk_', value ->> 'mac', 0, :userId FROM json_each(:keys)`),
];
const DAY_MS = 86_400_000;
/** A request that waits is given up this long after the end of the attack. */
const LATE_MS = 1000;
/** Above the ids that the scene assigns. */
let nextKeyId = 400_000_000;

/** The secrets of keys of the role that the user made. */
async function addKeys(
  scene: LargeScene,
  { roleId, userId, count }: { roleId: number; userId: number; count: number },
) {
  const { secrets, clock } = scene.service.deps;
  const keys = await Promise.all(Array.from({ length: count }, async () => {
    const id = nextKeyId++;
    const { random, mac } = await drawRoleKey(secrets);
    return { id, mac, secret: await makeRoleKey(secrets, id, random) };
  }));
  const rows = keys.map(({ id, mac }) => ({ id, mac }));
  await scene.write(KEYS, { roleId, userId, keys: JSON.stringify(rows), endsAt: clock() + DAY_MS });
  return keys.map(({ secret }) => secret);
}

/**
 * Waits for changes on one connection again and again, until the end. After a refusal it pauses for as long as the
 * refusal says.
 */
async function poll({ url, endsAt, note }: Target, token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ after: Number.MAX_SAFE_INTEGER - 1, wait: 25 });
  while (performance.now() < endsAt) {
    const signal = AbortSignal.timeout(endsAt + LATE_MS - performance.now());
    try {
      const response = await fetch(`${url}/v1/change/query`, { method: "POST", headers, body, signal });
      note(response.status);
      await response.body?.cancel();
      if (response.status !== 200) await new Promise((resolve) => setTimeout(resolve, 1000));
    } catch (error) {
      // The request still waits.
      if (!signal.aborted) throw error;
    }
  }
}

export const KEY_ATTACKS: readonly Attack[] = [
  {
    name: "1,000 ids of roles and 1,000 of ancestors, by 96 keys of one person",
    answers: [200],
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const ancestorRoleId = await scene.addRoles(1000, { parentIds: [root] });
      const id = await scene.addRoles(1000, { parentIds: [root] });
      const { userId } = await scene.addPerson([root]);
      const body = { filter: { id, ancestorRoleId } };
      return together(
        (await addKeys(scene, { roleId: root, userId, count: 96 }))
          .map((token) => crowdOf({ connections: 1, path: "/v1/role/query", token, body })),
      );
    },
  },
  {
    name: "changes of a role with 2,000 below it, by 48 keys of one person",
    answers: [200, 429, 503],
    onServer: true,
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const parents = await scene.addRoles(2, { parentIds: [root] });
      const [top = 0] = await scene.addRoles(1, { parentIds: parents });
      await scene.addRoles(2000, { parentIds: [top] });
      const { userId } = await scene.addPerson([root]);
      const tokens = await addKeys(scene, { roleId: root, userId, count: 48 });
      const rightsOf = (viewManagement: boolean) => ({ ...MANAGED, viewManagement });
      return together(tokens.map((token, i) =>
        crowdOf({
          connections: 1,
          method: "PUT",
          path: `/v1/role/${parents[i % 2]}/manages?childRoleId=${top}`,
          token,
          body: rightsOf(i % 4 < 2),
        })
      ));
    },
  },
  {
    name: "waits for a change by 700 keys of one person",
    answers: [200, 429, 503],
    onServer: true,
    lasts: 4000,
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const roleIds = await scene.addRoles(7, { parentIds: [root] });
      const { userId } = await scene.addPerson([root]);
      const tokens = await Promise.all(
        roleIds.map((roleId) => addKeys(scene, { roleId, userId, count: 100 })),
      );
      // One after the other: this many connections at once are an attack of their own, which needs no key.
      return together(
        tokens.flat().map((token, i): Strike => async (target) => {
          await new Promise((resolve) => setTimeout(resolve, 2 * i));
          await poll(target, token);
        }),
      );
    },
  },
];

const MANAGED = {
  roleManagement: true,
  userManagement: true,
  deviceManagement: true,
  reportManagement: true,
  alarmManagement: true,
};

function together(strikes: readonly Strike[]): Strike {
  return async (target) => {
    await Promise.all(strikes.map((strike) => strike(target)));
  };
}
