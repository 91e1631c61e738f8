import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/open_database.ts";
import { migrate } from "../../src/db/migrations.ts";
import { testMigrations } from "../helpers/databases.ts";
import { type LastingSqld, startLastingSqld } from "../helpers/lasting_sqld.ts";
import {
  productionEnv,
  type ServiceProcess,
  spawnService,
  startService,
} from "../helpers/service_process.ts";

/** A migrated server, and the environment of a service with a folder for copies. */
async function prepare(): Promise<{ server: LastingSqld; folder: string; env: Record<string, string> }> {
  const server = await startLastingSqld();
  const database = await openDatabase(server.url);
  await migrate(database, await testMigrations());
  await database.close();
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_service_" });
  return { server, folder, env: { ...await productionEnv(server.url), REPLICA_PATH: folder } };
}

async function isReady({ url }: ServiceProcess): Promise<boolean> {
  const response = await fetch(`${url}/readyz`);
  await response.body?.cancel();
  return response.ok;
}

Deno.test("the service starts without waiting for its copy, and leaves it to the next start", async () => {
  const { server, folder, env } = await prepare();
  await using _server = server;
  for (const isNew of [true, false]) {
    await using service = await startService(env);
    assert.ok(await isReady(service));
    assert.equal((await service.logged("replica.ready"))["isNew"], isNew);
    assert.ok(await isReady(service));
    service.signal("SIGTERM");
    const { code, stdout } = await service.ended();
    assert.equal(code, 0);
    // Each line is one of the log's: the driver writes none in between.
    for (const line of stdout.trim().split("\n")) JSON.parse(line);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a service that is killed leaves nothing that the next one would read", async () => {
  const { server, folder, env } = await prepare();
  await using _server = server;
  for (let run = 0; run < 3; run++) {
    await using service = await startService(env);
    assert.equal((await service.logged("replica.ready"))["isNew"], true);
    assert.ok(await isReady(service));
    service.signal("SIGKILL");
    await service.ended();
  }
  assert.equal([...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("copy-")).length, 1);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("where the native driver may not load, the service reads at the primary and says so once", async () => {
  const { server, folder, env } = await prepare();
  await using _server = server;
  await using service = await startService(env, { without: ["ffi"] });
  await service.logged("replica.off");
  assert.ok(await isReady(service));
  assert.ok(await isReady(service));
  assert.equal(service.logLines.filter((line) => line.includes('"replica.')).length, 1);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a folder of others stops the start, with what to do", async () => {
  const { server, folder, env } = await prepare();
  await using _server = server;
  await Deno.writeTextFile(`${folder}/letter.txt`, "Dear reader");
  await using service = spawnService(env);
  const { code, stderr } = await service.ended();
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^REPLICA_PATH names a folder that holds other files\. Name one that is empty or missing/,
  );
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the service comes up while the server does not respond, as soon as that does", async () => {
  const { server, folder, env } = await prepare();
  await using _server = server;
  await using service = await startService(env);
  await service.logged("replica.ready");
  server.pause();
  assert.equal(await isReady(service), false);
  server.resume();
  while (!await isReady(service));
  service.signal("SIGTERM");
  assert.equal((await service.ended()).code, 0);
  await Deno.remove(folder, { recursive: true });
});
