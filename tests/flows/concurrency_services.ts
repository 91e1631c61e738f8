import { systemClock } from "../../src/core/clock.ts";
import { readConfig } from "../../src/service/config.ts";
import { createLog } from "../../src/core/log.ts";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { type DatabaseKind, testMigrations } from "../helpers/databases.ts";
import type { Answer } from "../helpers/http.ts";
import { startHelper } from "../helpers/processes.ts";
import { withSudo } from "../helpers/sudo.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";

/** Local client addresses, in several networks, because the number of hashes that run for one network is limited. */
const CLIENT_ADDRESSES = Array.from({ length: 10 }, (_, i) => `127.0.${i + 1}.1`);

export interface TwoServices extends TestApp {
  /** Each of the services by itself. */
  readonly services: readonly Pick<TestApp, "request">[];
}

/** Sends fifty requests at once. */
export function fifty(request: (i: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: 50 }, (_, i) => request(i)));
}

/** The number of responses by status, in the order of the statuses. */
export function statusesOf(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/**
 * Starts two service processes on one database, which take turns with requests. The test shares their keys, so they
 * accept its tokens. Their clock is the system's and cannot be moved.
 */
export async function openTwoServices(kind: DatabaseKind): Promise<TwoServices> {
  const target = await openTestApp(kind);
  const { database, url } = target;
  const keys = await keepDevelopmentKeys(database);
  const config = readConfig({ TURSO_DATABASE_URL: url }, "development");
  const log = createLog("silent", () => {});
  Object.assign(
    target.deps,
    await createAppDeps({ config, keys, database, migrations: await testMigrations(), log }),
  );
  const processes = [1, 2].map(() => startHelper("serve_database.ts", [url]));
  const ports = await Promise.all(processes.map((process) => process.nextLine()));
  const clients = CLIENT_ADDRESSES.map((localAddress) => Deno.createHttpClient({ localAddress }));
  let requests = 0;

  async function send(
    service: number,
    client: Deno.HttpClient | undefined,
    path: string,
    plain: RequestInit = {},
  ): Promise<Response> {
    const url = `http://127.0.0.1:${ports[service]}${path}`;
    const init = await withSudo(target.deps, path, plain);
    return await fetch(url, client === undefined ? init : { ...init, client });
  }

  return {
    ...target,
    clock: {
      now: systemClock,
      advance(): never {
        throw new Error("The services' clock cannot be moved");
      },
    },
    request(path, init): Promise<Response> {
      const turn = requests++;
      // Each client goes to both services.
      const client = clients[Math.floor(turn / ports.length) % clients.length];
      return send(turn % ports.length, client, path, init);
    },
    services: ports.map((_, service) => ({ request: (path, init) => send(service, undefined, path, init) })),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const client of clients) client.close();
      await Promise.all(processes.map((process) => process.finish()));
      await target[Symbol.asyncDispose]();
    },
  };
}
