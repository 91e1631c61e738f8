import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { type CreatedDevice, createDevice } from "../device/device_people.ts";
import { logInFully, queryNumber } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import {
  productionEnv,
  type ServiceOutcome,
  type ServiceProcess,
  startService,
} from "../helpers/service_process.ts";
import { COLLECT, minute, powerOf, type QueryResult, WRITE } from "../every_operation/telemetry_requests.ts";
import { runScript, type ScriptOutcome } from "../scripts/run_script.ts";
import { type DatabaseKind, openTestDatabase } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/** The service in a process of its own, with points outside of its database. */

export const EMAIL = "root@b.example";
export const PASSWORD = "a sentence of my own";
/** An engine has ten seconds for a call. A request that takes longer than this fails its test. */
const LIMIT_MS = 15_000;

/** Has the service delete the points of deleted devices at once: it waits for writes that may be on their way. */
export const MAKE_OLDER = defineStatement("UPDATE gone_device SET purge_at = purge_at - 600000");
export const COUNT_GONE = "SELECT count(*) FROM gone_device";

/** A service, and its first user, a member of its root role. */
export interface Grid extends AsyncDisposable {
  readonly database: Database;
  readonly rootId: number;
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
  readonly admin: Person;
  purge(): Promise<ScriptOutcome>;
  /** Stops the service, which must succeed, and starts it anew. */
  restart(): Promise<void>;
  /** Waits for the end of the service, which otherwise the disposal stops. */
  ended(): Promise<ServiceOutcome>;
}

export async function openGrid(kind: DatabaseKind, telemetryUrl: string): Promise<Grid> {
  const opened = await openTestDatabase(kind);
  const env = { ...await productionEnv(opened.url), TELEMETRY_URL: telemetryUrl };
  const args = ["--email", EMAIL, "--role", "Root"];
  assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
  let service: ServiceProcess | undefined = await startService(env);
  const { url } = service;
  const request = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, { ...init, signal: AbortSignal.timeout(LIMIT_MS) });
  const { accessToken } = await logInFully({ request }, EMAIL, PASSWORD);
  async function stop(): Promise<void> {
    if (service === undefined) return;
    service.signal("SIGTERM");
    assert.equal((await service.ended()).code, 0);
    await service[Symbol.asyncDispose]();
  }

  return {
    database: opened.database,
    rootId: await queryNumber(opened, "SELECT id FROM role"),
    request,
    admin: new Person({ request }, accessToken),
    purge: () => runScript("purge.ts", { env }),
    async restart(): Promise<void> {
      await stop();
      service = await startService(env);
    },
    async ended(): Promise<ServiceOutcome> {
      const outcome = await service?.ended();
      service = undefined;
      assert.ok(outcome);
      return outcome;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await stop();
      await opened[Symbol.asyncDispose]();
    },
  };
}

export function addDevice({ admin, rootId }: Grid, nodeId: string): Promise<CreatedDevice> {
  return createDevice(admin, rootId, nodeId);
}

/** Writes a value for the device's power at the first minute of 2026. */
export async function writePower(grid: Grid, nodeId: string, power: number): Promise<void> {
  const point = { measurement: "energy", time: minute(0), tags: { nodeId }, fields: { power } };
  const answer = await grid.admin.ask("POST", WRITE, [point]);
  assert.equal(answer.status, 204, answer.text);
}

export function collectPower({ admin }: Grid, nodeId: string): Promise<QueryResult> {
  return admin.post(COLLECT, powerOf(nodeId));
}

export async function assertTelemetryState({ request }: Grid, telemetry: string): Promise<void> {
  const ready = await request("/readyz");
  const state = await ready.json() as { ready: boolean; parts: Record<string, string> };
  // Not of an engine.
  const { points = "ok", ...parts } = state.parts;
  assert.deepEqual([ready.status, state.ready, points], [200, true, "ok"]);
  assert.deepEqual(parts, { database: "ok", schema: "ok", storage: "ok", telemetry });
}
