import { type AppDeps, createApp } from "../../src/app.ts";
import { readConfig } from "../../src/service/config.ts";
import { generateSecretKeys, parseSecretKeys } from "../../src/core/keys.ts";
import { createLog } from "../../src/core/log.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { type DatabaseKind, openTestDatabase } from "../helpers/databases.ts";

/** The app on a port, as other programs use it: with the keys, addresses and clock of a real service. */
export interface ServedApp extends AsyncDisposable {
  readonly baseUrl: string;
  readonly deps: AppDeps;
  readonly databaseUrl: string;
}

/** The other service in the documents' examples, which accepts Rolegrid's tokens. */
const AUDIENCES = "https://billing.example.com";

/** Serves the app on a fresh database of the kind. Tasks may open one that is not `inMemory`. */
export async function serveApp(kind: DatabaseKind, { inMemory = true } = {}): Promise<ServedApp> {
  const opened = await openTestDatabase(kind, { inMemory });
  const app = Promise.withResolvers<ReturnType<typeof createApp>>();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request, info) => (await app.promise).fetch(request, { remoteAddr: info.remoteAddr }),
  );
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  const deps = await createAppDeps({
    config: readConfig({ PUBLIC_URL: baseUrl, AUDIENCES }, "development"),
    keys: { tokenKeys: await generateTokenKeys(), secretKeys: parseSecretKeys(generateSecretKeys()) },
    database: opened.database,
    migrations: [],
    log: createLog("silent", () => {}),
  });
  app.resolve(createApp(deps));
  return {
    baseUrl,
    deps,
    databaseUrl: opened.url,
    async [Symbol.asyncDispose](): Promise<void> {
      await server.shutdown();
      await opened[Symbol.asyncDispose]();
    },
  };
}
