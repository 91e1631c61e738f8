import { serve } from "../src/service/serve.ts";
import { openDemoPeople } from "./lib/demo_people.ts";
import { openDevelopment } from "./lib/development.ts";
import { DEFAULT_ADMIN_EMAIL } from "./lib/demo.ts";
import { createDevelopmentLog } from "./lib/development_log.ts";
import { print } from "./lib/output.ts";
import { runTask } from "./lib/run_task.ts";

/** Serves under `deno task dev`, which restarts it after each change of a source file. */
async function serveDevelopment(): Promise<number> {
  const { config, keys, database, points, migrations } = await openDevelopment();
  const log = createDevelopmentLog(config.logLevel, print);
  await serve({
    config,
    keys,
    database,
    points,
    migrations,
    log,
    openDemoPeople: (deps) => openDemoPeople(deps, config.adminEmail ?? DEFAULT_ADMIN_EMAIL),
  });
  return 0;
}

if (import.meta.main) await runTask(serveDevelopment);
