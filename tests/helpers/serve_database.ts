/**
 * Serves a database that others serve, too, until standard input ends: `serve_database.ts URL`. Prints the
 * port. Uses the keys that are kept in the database.
 */
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/service/config.ts";
import { createLog } from "../../src/core/log.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { testMigrations } from "./databases.ts";

const [url = ""] = Deno.args;
const log = createLog("error", (line) => Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`)));
const database = await openDatabase(url, { timeoutMs: 30_000 });
const config = readConfig({ TURSO_DATABASE_URL: url }, "development");
const keys = await keepDevelopmentKeys(database);
const app = createApp(
  await createAppDeps({ config, keys, database, migrations: await testMigrations(), log }),
);
const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => void Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`)),
}, (request, info) => app.fetch(request, { remoteAddr: info.remoteAddr }));
for await (const _ of Deno.stdin.readable);
await server.shutdown();
await database.close();
