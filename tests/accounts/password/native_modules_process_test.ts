/** The service checks passwords where native modules cannot be loaded. */
import assert from "node:assert/strict";
import { forEachKind, openTestDatabase } from "../../helpers/databases.ts";
import { productionEnv, startService } from "../../helpers/service_process.ts";
import { runScript } from "../../scripts/run_script.ts";

const PASSWORD = "a sentence of my own";

forEachKind("a service that cannot load native modules still logs users in", async (kind) => {
  await using opened = await openTestDatabase(kind);
  const env = await productionEnv(opened.url);
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
