import { bind } from "../src/db/statement.ts";
import { toRights } from "../src/graph/rights.ts";
import { createSqliteStore } from "../src/telemetry/sqlite/sqlite_store.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { type ProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import type { LoadOrder } from "./http_load.ts";
import { addMember } from "./member_growth.ts";
import { makeChain } from "./rectangle_changes.ts";
import { addDevices, queryFor, writePoints } from "./telemetry_scene.ts";

/** Levels of a tree with 111,110 roles. */
const LEVELS = 5;
/** With the root, this many roles and one more are above the large relation, and 11,111 below. */
const CHAIN_LENGTH = 9;
const EVENTS = 100_000;
const DEVICES = 100;
const POINTS_PER_DEVICE = 2500;
const QUERIES = 1000;
const ALL_RIGHTS = toRights(63);
/** Every role below has roleManagement on it, so without that right each of their rows changes. */
const WITHOUT_MANAGEMENT = toRights(0b000010);

const ADD_EVENTS = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, address)
  SELECT 'bench ' || n, :at + n, 'login', 'ok', :userId, :userId, '127.0.0.1' FROM numbered`);

type Request = Omit<LoadOrder, "port" | "connections" | "seconds">;

/** Two users: one checks, the other makes calls that take long. */
export interface LargeScene {
  readonly port: number;
  readonly check: Request;
  readonly calls: readonly { readonly name: string; readonly order: Request }[];
  readonly description: string;
}

/** Fills the service's database with what the calls need. */
export async function prepareStalls(service: ProductionService): Promise<LargeScene> {
  const { database, actor, port, accessToken: token } = service;
  const chain = await makeChain(service, CHAIN_LENGTH);
  const { hierarchy, rows } = await seedService(service, { seed: 1, levels: LEVELS, shape: "tree" });
  const at = Date.now() - EVENTS;
  await database.write([bind(ADD_EVENTS, { count: EVENTS, at, userId: actor.userId })]);
  await addDevices(service, DEVICES);
  const devices = Array.from({ length: DEVICES }, (_, device) => device);
  await writePoints(createSqliteStore(service.deps), service, { devices, points: POINTS_PER_DEVICE });
  const { accessToken: otherToken } = await addMember(service, hierarchy, 1);
  const [childRoleId] = hierarchy.levels[0] ?? [];
  const leaf = hierarchy.levels.at(-1)?.at(-1);
  const put = `/v1/role/${chain.at(-1)?.roleId}/manages?childRoleId=${childRoleId}`;
  const rights = [ALL_RIGHTS, WITHOUT_MANAGEMENT].map((value) => JSON.stringify(value));
  const callOf = (points: number, aggregate: boolean): string =>
    JSON.stringify(Array.from({ length: QUERIES }, (_, i) => queryFor(i % DEVICES, points, aggregate)));
  return {
    port,
    check: {
      path: "/v1/rights/check",
      token: otherToken,
      body: JSON.stringify({ checks: [{ roleId: leaf, right: "viewManagement" }] }),
    },
    calls: [
      {
        name: "a change of 99,999 closure rows",
        order: { method: "PUT", path: put, token, body: rights },
      },
      {
        name: `a call with ${QUERIES} telemetry queries (96 points, 24 hourly means, in turn)`,
        order: { path: "/v1/telemetry/query", token, body: [callOf(96, false), callOf(24, true)] },
      },
      {
        name: `an export of an account with ${EVENTS} events`,
        order: { method: "GET", path: "/user/export", token, body: "" },
      },
      {
        name: `a listing of ${rows.roles} roles`,
        order: { path: "/v1/role/query", token, body: "{}" },
      },
    ],
    description: `${rows.roles} roles (${rows.closureRows} closure rows)`,
  };
}
