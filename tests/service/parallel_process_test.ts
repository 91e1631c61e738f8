import assert from "node:assert/strict";
import { canServeParallel } from "../../scripts/start_parallel.ts";
import { verifyClosure } from "../../src/role/closure/closure_service.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import {
  productionEnv,
  type ServiceProcess,
  spawnService,
  startService,
} from "../helpers/service_process.ts";
import { runScript } from "../scripts/run_script.ts";
import { DATABASES, openTestDatabase, testOn } from "../helpers/databases.ts";

const THREADS = 3;
/** The platform's limit; the service ends itself half a second earlier. */
const LIMIT_MS = 5000;
const PASSWORD = "a sentence of my own";
const ROLES = 60;
/** Concurrent requests, each on its own connection. */
const LANES = 12;

/** Logs the first member in, and returns the headers of their requests. */
async function logIn({ url }: ServiceProcess): Promise<Record<string, string>> {
  const login = await fetch(`${url}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: "root@b.example", password: PASSWORD }),
  });
  const refresh = { Authorization: `Bearer ${await login.text()}` };
  const access = await fetch(`${url}/auth/accesstoken`, { headers: refresh });
  return { "Authorization": `Bearer ${await access.text()}`, "Content-Type": "application/json" };
}

async function createRole(url: string, name: string, headers: Record<string, string>): Promise<void> {
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const body = JSON.stringify({ role: { name, selfRights: ALL }, manages: ALL });
  const answer = await fetch(`${url}/v1/role?parentRoleId=1`, { method: "POST", headers, body, client });
  assert.equal(answer.status, 200, await answer.text());
  client.close();
}

async function createRoles(url: string, headers: Record<string, string>): Promise<void> {
  const names = Array.from({ length: ROLES }, (_, n) => `role ${n}`);
  const lane = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await createRole(url, name, headers);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** A login whose body is incomplete when the service is told to stop. Returns the response, once the rest is sent. */
async function beginLogin({ port }: ServiceProcess): Promise<() => Promise<string>> {
  const body = JSON.stringify({ username: "nobody@example.com", password: "a password of nobody's" });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const write = (text: string): Promise<number> => connection.write(new TextEncoder().encode(text));
  const type = "Content-Type: application/json";
  await write(
    `POST /auth/login HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${
      body.slice(0, 9)
    }`,
  );
  return async () => {
    await write(body.slice(9));
    const buffer = new Uint8Array(4096);
    const count = await connection.read(buffer) ?? 0;
    connection.close();
    return new TextDecoder().decode(buffer.subarray(0, count));
  };
}

for (const kind of canServeParallel() ? DATABASES : []) {
  testOn(
    kind,
    "several threads serve one database, write at once, and end together",
    async (database, { url }) => {
      const env = await productionEnv(url);
      const args = ["--email", "root@b.example", "--role", "Root"];
      assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
      await using service = await startService(env, { threads: THREADS });
      const headers = await logIn(service);
      await createRoles(service.url, headers);
      const listed = await fetch(`${service.url}/v1/role/query`, { method: "POST", headers, body: "{}" });
      const { role } = await listed.json() as { role: { name: string }[] };
      assert.equal(new Set(role.map(({ name }) => name)).size, ROLES + 1);
      const finishLogin = await beginLogin(service);
      // One of the threads must have accepted it, or nobody would have to wait for it.
      await new Promise((resolve) => setTimeout(resolve, 200));
      const toldAt = performance.now();
      service.signal("SIGTERM");
      await service.logged("stopping");
      assert.match(await finishLogin(), /^HTTP\/1\.1 401 /);
      const { code, stdout, stderr } = await service.ended();
      assert.deepEqual([code, stderr], [0, ""]);
      assert.ok(performance.now() - toldAt < LIMIT_MS);
      const events = (name: string): number => stdout.split(`"event":"${name}"`).length - 1;
      assert.deepEqual([events("listening"), events("stopping"), events("stopped")], [1, THREADS, THREADS]);
      assert.doesNotMatch(stdout, /forced|cut_off|stopping\.failed|"level":"error"/);
      assert.equal((await verifyClosure(database)).differenceCount, 0);
    },
  );
}

const ignore = !canServeParallel();

Deno.test("threads that start on a new file migrate it once, and end when what started them is killed", {
  ignore,
}, async () => {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  // A killed process leaves its temporary file behind: here, where it is removed with the rest.
  const env = { ...await productionEnv(`file:${directory}/new.db`), TMPDIR: directory };
  await using service = await startService(env, { threads: THREADS });
  const ready = await fetch(`${service.url}/readyz`);
  assert.deepEqual([ready.status, (await ready.json()).ready], [200, true]);
  service.signal("SIGKILL");
  const { stdout } = await service.ended();
  assert.match(stdout, /"event":"stopped"/);
  await assert.rejects(fetch(`${service.url}/healthz`), TypeError);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("what stops the start of several threads is told once", { ignore }, async () => {
  await using file = await openTestDatabase("file");
  const env = await productionEnv(file.url);
  const startInVain = async (more: Record<string, string>): Promise<[number, string]> => {
    await using service = spawnService({ ...env, ...more }, { threads: THREADS });
    const { code, stderr } = await service.ended();
    return [code, stderr];
  };
  const [wrong, problems] = await startInVain({ PUBLIC_URL: "ftp://a.example" });
  assert.deepEqual([wrong, problems.match(/^ {2}PUBLIC_URL /gm)?.length], [1, 1]);
  using _taken = Deno.listen({ hostname: "127.0.0.1", port: Number(env["PORT"]) });
  const [taken, advice] = await startInVain({});
  assert.equal(taken, 1);
  assert.match(advice, /^The port is already in use\. Set PORT to another one[^\n]*\n$/);
});

Deno.test("a runtime that cannot close the listeners is told apart, with what to do", {
  ignore: canServeParallel(),
}, async () => {
  await using file = await openTestDatabase("file");
  await using service = spawnService(await productionEnv(file.url), { threads: THREADS });
  const { code, stderr } = await service.ended();
  assert.equal(code, 1);
  assert.match(stderr, /^Several threads need Deno 2\.9 or later; this is [^\n]+\n$/);
});
