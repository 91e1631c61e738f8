/** The service starts, alone or with others, or says in one line why it does not. */
import assert from "node:assert/strict";
import {
  productionEnv,
  type ServiceOutcome,
  spawnService,
  startService,
} from "../helpers/service_process.ts";
import { freePort, startSqld } from "../helpers/sqld.ts";
import { logInFully, succeed } from "../helpers/http.ts";
import { runScript } from "./run_script.ts";
import { ANY_KIND, forEachKind, migrateFully, openTestDatabase, testKind } from "../helpers/databases.ts";

/** The output of a service that ends by itself at its start. */
async function startInVain(env: Readonly<Record<string, string>>): Promise<ServiceOutcome> {
  await using service = spawnService(env);
  return await service.ended();
}

Deno.test("a wrong configuration stops the start and lists every problem without its value", async () => {
  const env = {
    PORT: "seventy",
    PUBLIC_URL: "ftp://marker-a.example",
    SECRET_KEYS: "marker-b",
    MAIL_URL: "pigeon://marker-c",
    LOG_LEVEL: "marker-d",
    TURSO_DATABASE_URL: "marker-e",
  };
  const { code, stdout, stderr } = await startInVain(env);
  assert.deepEqual([code, stdout], [1, ""]);
  for (const name of [...Object.keys(env), "TOKEN_KEYS", "MAIL_FROM"]) {
    assert.match(stderr, new RegExp(`^  ${name} `, "m"), `${name} is not among the problems:\n${stderr}`);
  }
  assert.doesNotMatch(stderr, /marker|seventy|at file:/);
});

testKind(
  "file",
  "three services that start on one new file migrate it together, and all of them serve",
  async () => {
    const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
    const base = await productionEnv(`file:${directory}/new.db`);
    const services = await Promise.all([1, 2, 3].map(() => {
      const port = String(freePort());
      return startService({ ...base, PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` });
    }));
    for (const service of services) {
      const answer = await fetch(`${service.url}/readyz`);
      assert.deepEqual([answer.status, (await answer.json()).ready], [200, true]);
      const headers = { Origin: service.url };
      const demo = await fetch(`${service.url}/console/demo/admin@example.com`, { method: "POST", headers });
      assert.equal(demo.status, 405, await demo.text());
      service.signal("SIGTERM");
      assert.equal((await service.ended()).code, 0);
      await service[Symbol.asyncDispose]();
    }
    await Deno.remove(directory, { recursive: true });
  },
);

testKind("file", "a newer database stops the start with an explanation", async () => {
  await using file = await openTestDatabase("file");
  await migrateFully(file.database, [{ name: "9999_future", statements: [] }]);
  const { code, stderr } = await startInVain(await productionEnv(file.url));
  assert.equal(code, 1);
  assert.match(stderr, /^The database is newer than this program: it has 9999_future, [^\n]+\n$/);
});

Deno.test("a remote database without a schema stops the start with the advice to migrate", async () => {
  const server = await startSqld();
  try {
    const { code, stderr } = await startInVain(await productionEnv(server.url));
    assert.equal(code, 1);
    assert.match(stderr, /^The database lacks 0000_initial[^\n]*Run "deno task migrate" first\.\n$/);
  } finally {
    await server.stop();
  }
});

Deno.test("an unreachable database stops the start with one line", async () => {
  const { code, stderr } = await startInVain(await productionEnv(`http://127.0.0.1:${freePort()}`));
  assert.equal(code, 1);
  const reason = /^The database is unreachable\. Check TURSO_DATABASE_URL and TURSO_AUTH_TOKEN[^\n]*\n$/;
  assert.match(stderr, reason);
});

Deno.test("a port in use stops the start with one line", async () => {
  await using file = await openTestDatabase(ANY_KIND);
  const env = await productionEnv(file.url);
  using _taken = Deno.listen({ hostname: "127.0.0.1", port: Number(env["PORT"]) });
  const { code, stderr } = await startInVain(env);
  assert.equal(code, 1);
  assert.match(stderr, /^The port is already in use\. Set PORT to another one[^\n]*\n$/);
});

forEachKind(
  "an absent mail server does not affect the service, and the mail stays in the outbox",
  async (kind) => {
    await using opened = await openTestDatabase(kind);
    const env = await productionEnv(opened.url);
    const [email, password] = ["root@b.example", "a sentence of my own"];
    const args = ["--email", email, "--role", "Root"];
    assert.equal((await runScript("bootstrap.ts", { env, args, input: `${password}\n` })).code, 0);
    await using service = await startService(env);
    const target = { request: (path: string, init?: RequestInit) => fetch(service.url + path, init) };
    const { accessToken: token } = await logInFully(target, email, password);
    await succeed(target, "PUT", "/v1/role/1/member?userEmail=new@b.example", { token, body: {} });
    await service.logged("mail.postponed");
    const { parts } = await succeed<{ parts: unknown }>(target, "GET", "/readyz");
    assert.deepEqual(parts, { database: "ok", schema: "ok", storage: "ok", points: "ok" });
    service.signal("SIGTERM");
    assert.equal((await service.ended()).code, 0);
    assert.match((await runScript("mail.ts", { env })).stdout, /^To: new@b\.example$/m);
  },
);
