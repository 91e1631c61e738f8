import type { LargeScene, Person } from "../../helpers/large_scene.ts";
import { defineStatement } from "../../helpers/text_statement.ts";

/** Worlds that are each the worst in one way. They share a database, so that a scan of a whole table shows in each. */

/** The subjects of a caller's requests. */
export interface Place {
  readonly caller: Person;
  /** The role that the requests are about, with its relation to a role of the caller. */
  readonly roleId: number;
  readonly parentId: number;
  /** The lists of a request. */
  readonly roleIds: readonly number[];
  readonly deviceIds: readonly number[];
  readonly names: readonly string[];
  readonly emails: readonly string[];
}

export interface World {
  readonly name: string;
  /** The sizes that the world has; all others are small. */
  readonly sizes: Readonly<Record<string, number>>;
  prepare(scene: LargeScene): Promise<Place>;
}

const ADD_CROWD = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO member (id, role_id, user_id, rights)
  SELECT :firstId + n, :roleId, :firstId + n, 63 FROM numbered`);
const ADD_ACCOUNTS = defineStatement(`
  INSERT INTO user_account (id, email, created_at)
  SELECT user_id, 'crowd' || user_id || '@bounds.example', 0 FROM member WHERE role_id = :roleId AND user_id >= :firstId`);
const NUMBERED_ROOTS = `
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)`;
/** Roles and devices below as many other roots, which have the external ids of these, and roles their names. */
const ADD_NAMESAKES = [
  defineStatement(`${NUMBERED_ROOTS}
  INSERT INTO role (id, name, self_rights, external_id, external_root)
  SELECT :firstId + :count * key + n, 'role ' || value, 0, 'x-' || value, 1 + n FROM json_each(:roleIds) CROSS JOIN numbered`),
  defineStatement(`${NUMBERED_ROOTS}
  INSERT INTO device (id, node_id, properties, updated_at, external_id, external_root)
  SELECT :firstId + 1000000 + :count * key + n, 'namesake-' || value || '-' || n, '{}', 0, 'x-' || value, 1 + n
  FROM json_each(:deviceIds) CROSS JOIN numbered`),
];
const ADD_MONITORS = defineStatement(`
  INSERT INTO monitors (id, role_id, device_id)
  SELECT :firstId + role.key * 1000 + device.key, role.value, device.value
  FROM json_each(:roleIds) role CROSS JOIN json_each(:deviceIds) device WHERE true ON CONFLICT DO NOTHING`);
const ADD_KEYS = [
  defineStatement(`
    WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
    INSERT INTO role_key (id, role_id, name, prefix, secret_mac, created_at, created_by)
    SELECT :firstId + n, :roleId, 'key ' || n, 'p', 'mac', 0, :userId FROM numbered`),
  defineStatement(`
    INSERT INTO member (id, role_id, user_id, rights, ends_at)
    SELECT id, role_id, -id, 63, 4102444800000 FROM role_key WHERE id > :firstId AND id <= :firstId + :count`),
];
const ADD_CHANGES = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, parent_id, decision, step)
  SELECT 'bounds ' || :roleId || ' ' || n, 0, :userId, 's', 'manages.put', :roleId, :parentId, :decision,
    iif(:decision = 'ok', 'grow', 'none') FROM numbered`);

let lastFirstId = 500_000_000;
function takeFirstId(): number {
  return lastFirstId += 10_000_000;
}

/** A role below those of a caller, with a role and a device in each list. */
async function addPlace(
  scene: LargeScene,
  { above, list = 1, memberOf = above }: {
    readonly above: readonly number[];
    readonly list?: number;
    readonly memberOf?: readonly number[];
  },
): Promise<Place> {
  const caller = await scene.addPerson(memberOf);
  const parentId = above.at(-1) ?? 0;
  const [roleId = 0] = await scene.addRoles(1, { parentIds: above });
  const roleIds = await scene.addRoles(list, { parentIds: [parentId] });
  const deviceIds = await scene.addDevices(list, [roleId]);
  return {
    caller,
    roleId,
    parentId,
    roleIds,
    deviceIds,
    names: roleIds.map((id) => `role ${id}`),
    emails: [caller.email, ...roleIds.slice(1).map((id) => `nobody${id}@bounds.example`)],
  };
}

/** Has all of the roles monitor all of the devices. */
async function addMonitors(
  scene: LargeScene,
  roleIds: readonly number[],
  deviceIds: readonly number[],
): Promise<void> {
  const lists = { roleIds: JSON.stringify(roleIds), deviceIds: JSON.stringify(deviceIds) };
  await scene.write([ADD_MONITORS], { firstId: takeFirstId(), ...lists });
}

/** Adds as many roles and devices with the names and external ids of each in the lists of the place. */
async function addNamesakes(scene: LargeScene, { roleIds, deviceIds }: Place, count: number): Promise<void> {
  const lists = { roleIds: JSON.stringify(roleIds), deviceIds: JSON.stringify(deviceIds) };
  await scene.write(ADD_NAMESAKES, { firstId: takeFirstId(), count, ...lists });
}

async function manyMemberships(scene: LargeScene, count: number, list = 1): Promise<Place> {
  const memberOf = await scene.addRoles(count);
  return await addPlace(scene, { above: memberOf.slice(-1), memberOf, list });
}

export const SMALL_WORLD: World = {
  name: "one of each",
  sizes: {},
  prepare: async (scene) => await addPlace(scene, { above: await scene.addRoles(1) }),
};

/** The worlds, by what is large in each. */
export const WORLDS: readonly World[] = [
  SMALL_WORLD,
  ...[31, 40, 2000].map((memberships): World => ({
    name: `a caller with ${memberships} memberships`,
    sizes: { memberships },
    prepare: async (scene) => await manyMemberships(scene, memberships),
  })),
  {
    name: "lists of 1,000",
    sizes: { list: 1000, devices: 1000, below: 1001 },
    prepare: async (scene) => await addPlace(scene, { above: await scene.addRoles(1), list: 1000 }),
  },
  ...[31, 2000].map((memberships): World => ({
    name: `lists of 1,000, by a caller with ${memberships} memberships`,
    sizes: { memberships, list: 1000, devices: 1000, below: 1001 },
    prepare: async (scene) => await manyMemberships(scene, memberships, 1000),
  })),
  {
    name: "2,000 roles above",
    sizes: { ancestors: 2001, below: 2003, closure: 4004 },
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const above = await scene.addRoles(2000, { parentIds: [root] });
      return await addPlace(scene, { above, memberOf: [root] });
    },
  },
  {
    name: "100 roles below 300 each, by a caller who is in all of these",
    sizes: {
      ancestors: 301,
      list: 100,
      memberships: 300,
      below: 102,
      reach: 30_600,
      relations: 10_000,
      closure: 30_600,
    },
    async prepare(scene) {
      const above = await scene.addRoles(300);
      const place = await addPlace(scene, { above });
      const roleIds = await scene.addRoles(100, { parentIds: above });
      await addMonitors(scene, roleIds.slice(0, 1), place.deviceIds);
      return { ...place, roleIds, names: roleIds.map((id) => `role ${id}`) };
    },
  },
  {
    name: "10,000 members",
    sizes: { members: 10_001 },
    async prepare(scene) {
      const place = await addPlace(scene, { above: await scene.addRoles(1) });
      const firstId = takeFirstId();
      await scene.write([ADD_CROWD], { firstId, count: 10_000, roleId: place.roleId });
      await scene.write([ADD_ACCOUNTS], { firstId, roleId: place.roleId });
      return place;
    },
  },
  {
    name: "60 devices that 100 roles monitor",
    sizes: { monitors: 101, devices: 60, list: 60, below: 161 },
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const place = await addPlace(scene, { above: [root], list: 60 });
      const roleIds = await scene.addRoles(100, { parentIds: [root] });
      await addMonitors(scene, roleIds, place.deviceIds);
      return place;
    },
  },
  {
    name: "60 devices that 100 roles monitor, by a caller with 31 other roles",
    sizes: { monitors: 101, devices: 60, list: 60, memberships: 31, below: 161 },
    async prepare(scene) {
      const memberOf = await scene.addRoles(31);
      const [root = 0] = memberOf.slice(-1);
      // Scanned before the role of the caller, since their ids are smaller.
      const roleIds = await scene.addRoles(100);
      const place = await addPlace(scene, { above: [root], memberOf, list: 60 });
      await addMonitors(scene, roleIds, place.deviceIds);
      return place;
    },
  },
  {
    name: "10,000 devices",
    sizes: { devices: 10_001 },
    async prepare(scene) {
      const place = await addPlace(scene, { above: await scene.addRoles(1) });
      await scene.addDevices(10_000, [place.roleId]);
      return place;
    },
  },
  {
    name: "20,000 roles below, and 11,000 elsewhere with the name and the external id of another",
    sizes: { below: 20_002, closure: 40_004, namesakes: 11_000 },
    async prepare(scene) {
      const place = await addPlace(scene, { above: await scene.addRoles(1) });
      for (let i = 0; i < 5; i++) await scene.addRoles(4000, { parentIds: [place.roleId] });
      await addNamesakes(scene, place, 11_000);
      return place;
    },
  },
  {
    name: "two layers of 98 roles that are all joined",
    sizes: { ancestors: 197, relations: 9702, below: 197, closure: 9702 },
    async prepare(scene) {
      const [root = 0] = await scene.addRoles(1);
      const upper = await scene.addRoles(98, { parentIds: [root] });
      const lower = await scene.addRoles(98, { parentIds: upper });
      return await addPlace(scene, { above: lower, memberOf: [root] });
    },
  },
  {
    name: "60 external ids that 100 roots have each",
    sizes: { list: 60, devices: 60, below: 61, namesakes: 6060 },
    async prepare(scene) {
      const place = await addPlace(scene, { above: await scene.addRoles(1), list: 60 });
      await addNamesakes(scene, place, 100);
      return place;
    },
  },
  {
    name: "99 keys",
    sizes: { keys: 100, members: 100 },
    async prepare(scene) {
      const place = await addPlace(scene, { above: await scene.addRoles(1) });
      const { roleId, caller: { userId } } = place;
      await scene.write(ADD_KEYS, { firstId: takeFirstId(), count: 98, roleId, userId });
      return place;
    },
  },
  {
    name: "20,000 changes and 20,000 refusals",
    sizes: { events: 40_000 },
    async prepare(scene) {
      const place = await addPlace(scene, { above: await scene.addRoles(1) });
      const { roleId, parentId, caller: { userId } } = place;
      for (const decision of ["ok", "denied"]) {
        const about = decision === "ok" ? { roleId, parentId } : { roleId: -roleId, parentId: -parentId };
        await scene.write([ADD_CHANGES], { count: 20_000, userId, decision, ...about });
      }
      return place;
    },
  },
];

/** The world of the operations on accounts. */
export const PAST = {
  world: "people with a long past",
  sizes: { past: 300, sessions: 100, list: 1000 },
} as const;

const NUMBERED = `numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < 300)`;
/** Accounts without a past. */
const WITHOUT = `FROM user_account person CROSS JOIN numbered
  WHERE person.id < 1000000 AND NOT EXISTS (SELECT 1 FROM session old WHERE old.id = 'past ' || person.id || ' 300')`;

/** Gives each account without a past the rows that the purge keeps for months, and as many sessions as may be open. */
export const ADD_PAST: readonly string[] = [
  `WITH RECURSIVE ${NUMBERED}
  INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, address)
  SELECT 'past ' || person.id || ' ' || n, :now - n, 'login', 'ok', person.id, person.id, '2001:db8::1' ${WITHOUT}`,
  `WITH RECURSIVE ${NUMBERED}
  INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client, ended_at)
  SELECT 'past ' || person.id || ' ' || n, person.id, :now - n, 0, :now + 100000, 'past',
    iif(n < 100, NULL, :now - n) ${WITHOUT}`,
  `WITH RECURSIVE ${NUMBERED}
  INSERT INTO known_address (user_id, address, last_sign_in_at)
  SELECT person.id, 'past ' || n, :now - n ${WITHOUT}`,
  `WITH RECURSIVE ${NUMBERED}
  INSERT INTO password_link (mac, purpose, user_id, created_at, expires_at, ended_at)
  SELECT 'past ' || person.id || ' ' || n, 'reset', person.id, :now - n, :now + 100000, :now - n ${WITHOUT}`,
  `WITH RECURSIVE ${NUMBERED}
  INSERT INTO undo_link (mac, user_id, email, created_at, expires_at, ended_at)
  SELECT 'past ' || person.id || ' ' || n, person.id, 'past@bounds.example', :now - n, :now + 100000, :now - n ${WITHOUT}`,
  `WITH RECURSIVE ${NUMBERED}
  INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at,
    client, ended_at)
  SELECT 'past ' || person.id || ' ' || n, person.id, 'past ' || person.id || ' ' || n, :now - n, :now - n,
    :now + 100000000, :now + 100000000, :now - n, 'past', iif(n < 95, NULL, :now - n) ${WITHOUT}`,
];
