import { sudoTokenOf } from "../../tests/helpers/sudo.ts";
import { defineStatement } from "../../tests/helpers/text_statement.ts";
import { type Attack, crowdOf } from "./attack.ts";
import type { LargeScene, Person } from "../../tests/helpers/large_scene.ts";

/** Keys, which outlast a session: making, listing and deleting them. */

const YEAR_MS = 365 * 86_400_000;

/** `:count` keys that a user made, spread over roles, of which one in `:live` has not ended. */
const ADD_KEYS = [
  defineStatement(`
    WITH RECURSIVE numbered(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbered WHERE i + 1 < :count)
    INSERT INTO role_key (id, role_id, name, prefix, secret_mac, created_at, created_by)
    SELECT :firstId + i, :roleIds ->> (i % json_array_length(:roleIds)), 'key', 'rgk_', 'mac ' || i, i, :userId
    FROM numbered`),
  defineStatement(`
    INSERT INTO member (id, role_id, user_id, rights, ends_at)
    SELECT id, role_id, -id, 0, CASE WHEN id % :live = 0 THEN :endsAt ELSE 1 END FROM role_key
    WHERE created_by = :userId`),
];

async function addMaker(
  scene: LargeScene,
  { roles, keys, live }: { readonly roles: number; readonly keys: number; readonly live: number },
): Promise<Person> {
  const person = await scene.addPerson(await scene.addRoles(roles));
  const others = await scene.addRoles(roles);
  await scene.write(ADD_KEYS, {
    count: keys,
    firstId: scene.takeFirstId(keys),
    userId: person.userId,
    // The rights on each key are checked, and none may be deleted: the next request repeats all of the work.
    roleIds: JSON.stringify(others),
    live,
    endsAt: Date.now() + YEAR_MS,
  });
  return person;
}

/** `:count` members of a role whom a user has added. */
const ADD_GIVEN = defineStatement(`
  WITH RECURSIVE numbered(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbered WHERE i + 1 < :count)
  INSERT INTO member (id, role_id, user_id, given_by, given_via)
  SELECT :firstId + i, :roleId, :firstId + i, :userId, :roleId FROM numbered`);

export const LASTING_ATTACKS: readonly Attack[] = [
  {
    name: "the end of all that a person gave at and below 9,000 roles, which is too much at once",
    answers: [422],
    async prepare(scene) {
      const [rootId = 0] = await scene.addRoles(1);
      for (let i = 0; i < 3; i++) await scene.addRoles(3000, { parentIds: [rootId] });
      const [caller, { userId }] = [await scene.addPerson([rootId]), await scene.addPerson([rootId])];
      const count = 9000;
      await scene.write([ADD_GIVEN], { count, firstId: scene.takeFirstId(count), roleId: rootId, userId });
      const headers = { "X-Sudo-Token": await sudoTokenOf(scene.service.deps, caller) };
      const body = { userId, under: rootId, granted: true };
      return crowdOf({ connections: 16, path: "/v1/access/end", token: caller.token, headers, body });
    },
  },
  {
    name: "the end of 20,000 keys that their maker may not delete any more",
    answers: [200],
    async prepare(scene) {
      const person = await addMaker(scene, { roles: 1000, keys: 20_000, live: 1 });
      const token = await sudoTokenOf(scene.service.deps, person);
      return crowdOf({ connections: 16, method: "DELETE", path: "/user/session?keys=true", token });
    },
  },
  {
    name: "lists of one's own keys, nearly all of which have ended",
    answers: [200],
    async prepare(scene) {
      const { token } = await addMaker(scene, { roles: 100, keys: 50_000, live: 1000 });
      return crowdOf({ connections: 40, method: "GET", path: "/user/key?limit=1000", token });
    },
  },
  {
    name: "keys without proof, with a forged sudo token each time",
    answers: [401],
    async prepare(scene) {
      const [roleId = 0] = await scene.addRoles(1);
      const person = await scene.addPerson([roleId]);
      const sudo = await sudoTokenOf(scene.service.deps, person);
      const headers = { "X-Sudo-Token": `${sudo.slice(0, -4)}AAAA` };
      const body = { name: "Gateway" };
      const path = `/v1/role/${roleId}/key`;
      return crowdOf({ connections: 16, path, token: person.token, headers, body });
    },
  },
];
