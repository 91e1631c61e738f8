import assert from "node:assert/strict";
import { openTestDatabase } from "../helpers/databases.ts";
import { productionEnv, spawnService, startService } from "../helpers/service_process.ts";
import { runScript } from "../scripts/run_script.ts";

const PASSWORD = "a sentence of my own";

Deno.test("where native modules cannot be loaded, a service on a remote database logs people in all the same", async () => {
  await using server = await openTestDatabase("remote");
  const env = await productionEnv(server.url);
  const args = ["--email", "root@b.example", "--role", "Root"];
  // The native module makes the hash, and the other one compares it.
  assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
  await using service = await startService(env, { without: ["ffi"] });
  const logIn = async (password: string): Promise<number> => {
    const body = JSON.stringify({ username: "root@b.example", password });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(`${service.url}/auth/login`, { method: "POST", headers, body });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await logIn("not the right sentence"), 401);
  assert.equal(await logIn(PASSWORD), 200);
  service.signal("SIGTERM");
  const { code, stderr } = await service.ended();
  assert.deepEqual([code, stderr], [0, ""]);
});

Deno.test("a file database needs its native module, and the start says which permission is missing", async () => {
  await using file = await openTestDatabase("file");
  await using service = spawnService(await productionEnv(file.url), { without: ["ffi"] });
  const { code, stderr } = await service.ended();
  assert.equal(code, 1);
  assert.match(stderr, /--allow-ffi/);
});
