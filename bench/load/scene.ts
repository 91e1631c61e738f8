import { bind } from "../../src/db/statement.ts";
import { createDevice } from "../../src/device/device_service.ts";
import { toRights } from "../../src/graph/rights.ts";
import { createRole } from "../../src/role/role_service.ts";
import { openProductionService, type ProductionService } from "../../tests/helpers/production_service.ts";
import { seedService } from "../bench_service.ts";
import type { DatabaseKind } from "../../tests/helpers/databases.ts";
import { defineStatement } from "../../tests/helpers/text_statement.ts";
import type { ClientPlace } from "./exchange.ts";

const ALL_RIGHTS = toRights(63);
const PASSWORD = "a sentence of everybody's own";
/** Above all ids that the service assigns during the run. */
const FIRST_MEMBER_ID = 900_000_000;
/** The level of the roles that clients read besides their own workspace, each with a few hundred roles below it. */
const SEEN_LEVEL = 1;

const INSERT_PEOPLE = defineStatement(`
  INSERT INTO user_account (id, email, password_hash, created_at)
  SELECT value ->> 0, value ->> 1, :passwordHash, 0 FROM json_each(:people)`);
const INSERT_MEMBERS = defineStatement(`
  INSERT INTO member (id, role_id, user_id, chain)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(:members)`);

export interface SceneOptions {
  readonly kind: DatabaseKind;
  /** Levels of the hierarchy; 4 give 11,110 roles. */
  readonly levels: number;
  readonly clients: number;
  /** Accounts that each client logs in to in turn. */
  readonly peopleOfClient: number;
}

/** A fresh database with a hierarchy and the clients' data. Disposing of it removes it. */
export interface Scene extends AsyncDisposable {
  /** The service's parts on that database. */
  readonly service: ProductionService;
  readonly roles: number;
  readonly places: readonly ClientPlace[];
}

/** Fills a new database: a hierarchy, and for each client accounts, a workspace of two roles, and a device. */
export async function openScene(options: SceneOptions): Promise<Scene> {
  const service = await openProductionService(options.kind);
  try {
    const { hierarchy, rows } = await seedService(service, { seed: 1, levels: options.levels });
    const seen = hierarchy.levels[SEEN_LEVEL] ?? [];
    const lowest = hierarchy.levels.at(-1) ?? [];
    const places: ClientPlace[] = [];
    for (let n = 0; n < options.clients; n++) {
      const workspace = await addWorkspace(service, n);
      const emails = Array.from(
        { length: options.peopleOfClient },
        (_, i) => `person-${n}-${i}@load.example`,
      );
      const seenRoleId = seen[n % seen.length] ?? service.rootId;
      places.push({
        number: n,
        emails,
        password: PASSWORD,
        ...workspace,
        seenRoleId,
        checkedRoleIds: lowest,
      });
    }
    await addPeople(service, places);
    return { service, roles: rows.roles, places, [Symbol.asyncDispose]: () => dispose(service) };
  } catch (error) {
    await dispose(service);
    throw error;
  }
}

async function dispose(service: ProductionService): Promise<void> {
  await service[Symbol.asyncDispose]();
}

async function addWorkspace(
  { deps, actor, rootId }: ProductionService,
  n: number,
): Promise<Pick<ClientPlace, "workspaceId" | "teamId" | "nodeId">> {
  const rights = { selfRights: ALL_RIGHTS, manages: ALL_RIGHTS };
  const workspace = await createRole(deps, actor, {
    parentRoleId: rootId,
    name: `workspace ${n}`,
    ...rights,
  });
  const workspaceId = workspace.role.id;
  const team = await createRole(deps, actor, { parentRoleId: workspaceId, name: `team ${n}`, ...rights });
  const nodeId = `load-device-${n}`;
  await createDevice(deps, actor, { roleId: workspaceId, device: { properties: { nodeId } } });
  return { workspaceId, teamId: team.role.id, nodeId };
}

/** Creates accounts with a password and memberships directly, because invitations are limited to a few a day. */
async function addPeople(
  { deps, database, rootId }: ProductionService,
  places: readonly ClientPlace[],
): Promise<void> {
  const passwordHash = await deps.hasher.hash(PASSWORD);
  const people: [number, string][] = [];
  const members: [number, number, number, string][] = [];
  for (const { emails, workspaceId, seenRoleId } of places) {
    // A member of the root brought the people of each client.
    const chain = `${rootId}:${FIRST_MEMBER_ID + people.length}`;
    for (const email of emails) {
      const userId = FIRST_MEMBER_ID + people.length;
      people.push([userId, email]);
      for (const roleId of [workspaceId, seenRoleId]) {
        members.push([FIRST_MEMBER_ID + members.length, roleId, userId, chain]);
      }
    }
  }
  await database.write([
    bind(INSERT_PEOPLE, { people: JSON.stringify(people), passwordHash }),
    bind(INSERT_MEMBERS, { members: JSON.stringify(members) }),
  ]);
}
