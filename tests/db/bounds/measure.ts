import { createApp } from "../../../src/app.ts";
import { openDatabase } from "../../../src/db/open_database.ts";
import { createSqliteStore } from "../../../src/telemetry/sqlite/sqlite_store.ts";
import { type Count, runOperations } from "../../every_operation/round_trip_counts.ts";
import {
  ADMIN,
  ADMIN_PASSWORD,
  catalogue,
  methodOf,
  type Scene,
  sentOf,
  setScene,
} from "../../every_operation/request_catalogue.ts";
import { openTestApp, type TestApp } from "../../helpers/test_app.ts";
import { ADD_PAST, PAST } from "./worlds.ts";
import { openLargeScene } from "../../helpers/large_scene.ts";
import { type Ran, recordRows } from "./rows_recorder.ts";
import { bodyOf, sendAsked, type Sent } from "./send_asked.ts";
import { type Asked, changePlace, readsOf } from "./world_requests.ts";
import type { World } from "./worlds.ts";

/** The rows that a statement scanned in a world, and the request that ran it. */
export interface Measured extends Ran {
  readonly world: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly request: string;
}

/** Sends all requests in the worlds to the app on a server, and returns every statement that ran. */
export async function measureWorlds(worlds: readonly World[]): Promise<Measured[]> {
  await using scene = await openLargeScene("remote");
  const { deps, env } = scene.service;
  const places = [];
  for (const world of worlds) places.push({ world, place: await world.prepare(scene) });
  const recorder = recordRows();
  const database = await openDatabase(env["TURSO_DATABASE_URL"] ?? "", { fetch: recorder.fetch });
  const telemetryStore = createSqliteStore({ database, clock: deps.clock });
  const app = createApp({ ...deps, database, telemetryStore });
  const measured: Measured[] = [];
  for (const { world: { name, sizes }, place } of places) {
    const ask = async (asked: Asked): Promise<unknown> => {
      const sent = await sendAsked({ app, deps }, asked, place.caller.token);
      const [about, body] = [asked.path, JSON.stringify(asked.body) ?? ""].map((text) => text.slice(0, 60));
      const request = `${asked.method} ${about} ${body} ${sent.status}`;
      measured.push(...recorder.take().map((ran) => ({ ...ran, world: name, sizes, request })));
      return bodyOf(sent);
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
  const telemetryStore = createSqliteStore({ database, clock: target.deps.clock });
  const app = createApp({ ...target.deps, database, telemetryStore });
  const measured: Measured[] = [];

  async function ask(request: string, asked: Asked, token: string | undefined): Promise<Sent> {
    await target.database.write(ADD_PAST.map((sql) => ({ sql, args: { now: BigInt(target.clock.now()) } })));
    const sent = await sendAsked({ app, deps: target.deps }, asked, token);
    const ran = recorder.take();
    measured.push(...ran.map((each) => ({ ...each, ...PAST, request: `${request} ${sent.status}` })));
    return sent;
  }

  const count: Count = async (operation, _atMost, { token, ...asked }) =>
    (await ask(operation, asked, token)).text;
  await runOperations(target, count);
  let scene = await newScene(target);
  for (let i = 0; i < catalogue(scene).length; i++) {
    // Some requests undo what others need.
    for (const isAgain of [false, true]) {
      if (isAgain) scene = await newScene(target);
      const request = catalogue(scene)[i];
      if (request === undefined) break;
      const { token, body, headers = {} } = sentOf(scene, request);
      const asked = { method: methodOf(request), path: request.path, body, headers };
      if ((await ask(request.route, asked, token)).status < 400) break;
    }
  }
  await tryPasswords(await newScene(target), ask);
  await database.close();
  return measured;
}

/** Signs in with a wrong password, then gives the own password wrong and right. */
async function tryPasswords(
  { accessToken }: Scene,
  ask: (request: string, asked: Asked, token: string | undefined) => Promise<Sent>,
): Promise<void> {
  const wrong = "the password of another user";
  const post = (path: string, body: unknown): Asked => ({ method: "POST", path, body });
  await ask("a wrong sign-in", post("/auth/login", { username: ADMIN, password: wrong }), undefined);
  const prove = "/user/password/authenticate";
  await ask("a wrong proof", post(prove, { password: wrong }), accessToken);
  await ask("a proof", post(prove, { password: ADMIN_PASSWORD }), accessToken);
}

async function newScene(target: TestApp): Promise<Scene> {
  await target.reset();
  return await setScene(target);
}
