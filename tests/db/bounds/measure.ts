import { createApp } from "../../../src/app.ts";
import { openDatabase } from "../../../src/db/open_database.ts";
import { createLibsqlStore } from "../../../src/telemetry/libsql/libsql_store.ts";
import { type Call, runOperations } from "../../every_operation/round_trip_counts.ts";
import {
  catalogue,
  methodOf,
  type Scene,
  sentOf,
  setScene,
} from "../../every_operation/request_catalogue.ts";
import { openTestApp, type TestApp } from "../../helpers/test_app.ts";
import { ADD_PAST, PAST } from "./worlds.ts";
import { openStallScene } from "../../stall/stall_scene.ts";
import { type Ran, recordRows } from "./rows_recorder.ts";
import { type Asked, changePlace, readsOf } from "./world_requests.ts";
import { WORLDS } from "./worlds.ts";

/** What a statement read in a world, and for which request. */
export interface Measured extends Ran {
  readonly world: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly request: string;
}

/** Sends all requests in all worlds to the app on a server, and returns every statement that ran. */
export async function measureWorlds(): Promise<Measured[]> {
  await using scene = await openStallScene("remote");
  const { deps, env } = scene.service;
  const places = [];
  for (const world of WORLDS) places.push({ world, place: await world.prepare(scene) });
  const recorder = recordRows();
  const database = await openDatabase(env["TURSO_DATABASE_URL"] ?? "", { fetch: recorder.fetch });
  const telemetryStore = createLibsqlStore({ database, clock: deps.clock });
  const app = createApp({ ...deps, database, telemetryStore });
  const measured: Measured[] = [];
  for (const { world: { name, sizes }, place } of places) {
    const ask = async ({ method, path, body, headers }: Asked): Promise<unknown> => {
      const isJson = body !== undefined && typeof body !== "string";
      const init = {
        method,
        headers: {
          Authorization: `Bearer ${place.caller.token}`,
          ...(isJson && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : String(body) }),
      };
      const response = await app.request(path, init, { remoteAddr: { hostname: "192.0.2.1" } });
      // A walk that was cut short breaks its response.
      const text = await response.text().catch(() => "");
      const request = `${method} ${path.slice(0, 60)} ${
        JSON.stringify(body)?.slice(0, 60)
      } ${response.status}`;
      measured.push(...recorder.take().map((ran) => ({ ...ran, world: name, sizes, request })));
      return text.startsWith("{") ? JSON.parse(text) : {};
    };
    for (const asked of readsOf(place)) await ask(asked);
    await changePlace(place, ask);
  }
  await database.close();
  return measured;
}

/** Runs the operations of accounts for people with a long past, and returns every statement that ran. */
export async function measureAccounts(): Promise<Measured[]> {
  await using target = await openTestApp("remote");
  const recorder = recordRows();
  const database = await openDatabase(target.url, { fetch: recorder.fetch });
  const telemetryStore = createLibsqlStore({ database, clock: target.deps.clock });
  const app = createApp({ ...target.deps, database, telemetryStore });
  const measured: Measured[] = [];

  async function ask(
    request: string,
    { method, path, token, body, headers }: Asked & Call,
  ): Promise<{ status: number; text: string }> {
    await target.database.write(ADD_PAST.map((sql) => ({ sql, args: { now: BigInt(target.clock.now()) } })));
    const init = {
      method,
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const response = await app.request(path, init, { remoteAddr: { hostname: "192.0.2.1" } });
    const text = await response.text();
    measured.push(
      ...recorder.take().map((ran) => ({ ...ran, ...PAST, request: `${request} ${response.status}` })),
    );
    return { status: response.status, text };
  }

  await runOperations(
    target,
    async (operation, _atMost, call) => (await ask(operation, call as Asked & Call)).text,
  );
  let scene = await newScene(target);
  for (let i = 0; i < catalogue(scene).length; i++) {
    // Some requests undo what others need.
    for (const isAgain of [false, true]) {
      if (isAgain) scene = await newScene(target);
      const request = catalogue(scene)[i];
      if (request === undefined) break;
      const { token, body, headers } = sentOf(scene, request);
      const call = { method: methodOf(request), path: request.path, token, body, headers };
      if ((await ask(request.route, call as Asked & Call)).status < 400) break;
    }
  }
  await database.close();
  return measured;
}

async function newScene(target: TestApp): Promise<Scene> {
  await target.reset();
  return await setScene(target);
}
