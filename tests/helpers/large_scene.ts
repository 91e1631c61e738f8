import { bind, bindBatch, type SqlArgs, type Statement } from "../../src/db/statement.ts";
import { openProductionService, type ProductionService } from "./production_service.ts";
import type { DatabaseKind } from "./databases.ts";
import { openSession } from "./test_app.ts";
import { defineStatement } from "./text_statement.ts";

/** Below the ids that the service itself assigns from then on. */
const FIRST_ID = 1_000_000;
/**
 * With the default of 2 MiB, a large closure is read from the file again and again while it is written: four times as
 * long. A server does not let a client set it.
 */
const ENLARGE_CACHE = defineStatement(`PRAGMA cache_size = -262144`);
const RAISE_SEQUENCES = defineStatement(`UPDATE id_sequence SET last_id = 500 * :firstId`);
const ADD_PERSON = [
  defineStatement(
    `INSERT INTO user_account (email, created_at, external_id) VALUES (:email, 0, 'x-' || :email)`,
  ),
  defineStatement(`SELECT last_insert_rowid() AS id`),
];
const ADD_MEMBERS = defineStatement(`
  INSERT INTO member (id, role_id, user_id, chain)
  SELECT :firstId + key, value, :userId, (SELECT min(id) FROM role WHERE is_root) || ':' || :userId
  FROM json_each(:roleIds)`);
const ADD_ROLES = [
  defineStatement(`
    INSERT INTO role (id, name, self_rights, external_id, external_root)
    SELECT value, coalesce(:name, 'role ' || value), 63, 'x-' || value, 1 FROM json_each(:roleIds)`),
  defineStatement(`
    INSERT INTO manages (id, parent_id, child_id, rights)
    SELECT :firstId + child.key * json_array_length(:parentIds) + parent.key, parent.value, child.value, 63
    FROM json_each(:roleIds) child CROSS JOIN json_each(:parentIds) parent`),
  defineStatement(`
    INSERT INTO role_closure (descendant_id, ancestor_id, rights)
    SELECT child.value, above.id, 63 FROM json_each(:roleIds) child CROSS JOIN (
      SELECT value AS id FROM json_each(:parentIds)
      UNION SELECT ancestor_id FROM json_each(:parentIds) CROSS JOIN role_closure ON descendant_id = value) above`),
];
const ADD_DEVICES = [
  defineStatement(`
    INSERT INTO device (id, node_id, properties, updated_at, external_id, external_root)
    SELECT value, 'node-' || value, json_object('nodeId', 'node-' || value), 0, 'x-' || value, 1 FROM json_each(:deviceIds)`),
  defineStatement(`
    INSERT INTO monitors (id, role_id, device_id)
    SELECT :firstId + device.key * json_array_length(:roleIds) + role.key, role.value, device.value
    FROM json_each(:deviceIds) device CROSS JOIN json_each(:roleIds) role`),
];

export interface Person {
  readonly userId: number;
  readonly email: string;
  readonly sessionId: string;
  readonly token: string;
}

/** The database of the service that is attacked. */
export interface LargeScene extends AsyncDisposable {
  readonly service: ProductionService;
  /** A user with a session who is a direct member of these roles. */
  addPerson(roleIds?: readonly number[]): Promise<Person>;
  /**
   * Roles with these parents, by default a root each, all with one name if it is given. All relations carry all rights.
   * External ids, also of devices, are "x-" with the id, and of people "x-" with the address.
   */
  addRoles(
    count: number,
    options?: { readonly parentIds?: readonly number[]; readonly name?: string },
  ): Promise<number[]>;
  /** Devices that all of these roles monitor. Their nodeIds are "node-" with the id. */
  addDevices(count: number, roleIds: readonly number[]): Promise<number[]>;
  /** The first of so many ids, which nothing else gets. */
  takeFirstId(count: number): number;
  /** Runs statements in one transaction; see `bindBatch`. */
  write(statements: readonly Statement[], args: SqlArgs): Promise<void>;
}

export async function openLargeScene(kind: DatabaseKind): Promise<LargeScene> {
  const service = await openProductionService(kind);
  if (kind === "file") await service.database.write([bind(ENLARGE_CACHE, {})]);
  return await largeSceneOf(service);
}

/** The scene in the database of a service. Disposing of it disposes of the service. */
export async function largeSceneOf(service: ProductionService): Promise<LargeScene> {
  const { database, deps } = service;
  await database.write([bind(RAISE_SEQUENCES, { firstId: FIRST_ID })]);
  let people = 0;
  let nextId = FIRST_ID;

  function takeIds(count: number): number[] {
    const firstId = nextId;
    nextId += count;
    return Array.from({ length: count }, (_, i) => firstId + i);
  }

  /** The first of so many ids. */
  function takeFirstId(count: number): number {
    return takeIds(count)[0] ?? nextId;
  }

  return {
    service,
    takeFirstId,
    async addPerson(roleIds = []): Promise<Person> {
      const email = `person${people++}@stall.example`;
      const results = await database.write(bindBatch(ADD_PERSON, { email }));
      const userId = Number(results[1]?.[0]?.["id"]);
      const firstId = takeFirstId(roleIds.length);
      await database.write([bind(ADD_MEMBERS, { firstId, userId, roleIds: JSON.stringify(roleIds) })]);
      const { sessionId, accessToken: token } = await openSession(deps, userId);
      return { userId, email, sessionId, token };
    },
    async addRoles(count, { parentIds = [], name } = {}): Promise<number[]> {
      const roleIds = takeIds(count);
      await database.write(bindBatch(ADD_ROLES, {
        name: name ?? null,
        firstId: takeFirstId(count * parentIds.length),
        roleIds: JSON.stringify(roleIds),
        parentIds: JSON.stringify(parentIds),
      }));
      return roleIds;
    },
    async addDevices(count, roleIds): Promise<number[]> {
      const deviceIds = takeIds(count);
      await database.write(bindBatch(ADD_DEVICES, {
        roleIds: JSON.stringify(roleIds),
        deviceIds: JSON.stringify(deviceIds),
        firstId: takeFirstId(count * roleIds.length),
      }));
      return deviceIds;
    },
    async write(statements, args): Promise<void> {
      await database.write(bindBatch(statements, args));
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
