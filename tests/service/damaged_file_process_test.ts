/** Neither the service nor a task runs on a damaged file, and both say what to do. */
import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import { openTestDatabase, testKind } from "../helpers/databases.ts";
import { productionEnv, spawnService, startService } from "../helpers/service_process.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { runScript } from "../scripts/run_script.ts";

const TOLD = /^The database file \S+ is damaged \(.+\)\. Stop every program .*"deno task restore"/;

/** Scribbles over a closed database file, from a byte on. */
async function damage(url: string, from: number): Promise<void> {
  const path = url.slice("file:".length);
  const bytes = await Deno.readFile(path);
  await Deno.writeFile(path, bytes.fill(0xa5, from));
}

testKind(
  "file",
  "neither the service nor a task runs on a damaged file, and both say what to do",
  async () => {
    await using file = await openTestDatabase("file");
    await file.database.close();
    await damage(file.url, 0);
    const env = await productionEnv(file.url);
    await using service = spawnService(env);
    const { code, stdout, stderr } = await service.ended();
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, TOLD);
    const task = await runScript("purge.ts", { env });
    assert.equal(task.code, 1);
    assert.match(task.stderr, TOLD);
  },
);

testKind(
  "file",
  "a running service whose file is damaged logs what to do and exits with status 1",
  async () => {
    await using file = await openTestDatabase("file");
    const filler = defineStatement("INSERT INTO setting (name, value) VALUES (:name, :value)");
    await file.database.write(
      Array.from({ length: 10 }, (_, i) => bind(filler, { name: `filler ${i}`, value: "x".repeat(20_000) })),
    );
    await file.database.close();
    await using service = await startService(await productionEnv(file.url));
    await damage(file.url, 4096);
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ username: "nobody@example.com", password: "a password of nobody's" });
    const answer = await fetch(`${service.url}/auth/login`, { method: "POST", headers, body });
    await answer.body?.cancel();
    assert.ok([500, 503].includes(answer.status), `${answer.status}`);
    const { code, stdout } = await service.ended();
    assert.equal(code, 1);
    const line = stdout.split("\n").find((line) => line.includes('"event":"database.damaged"'));
    assert.match(JSON.parse(line ?? "{}").message, TOLD);
  },
);
