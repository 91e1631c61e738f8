/** At a signal, the service answers what is under way, refuses the rest, and ends in time. */
import assert from "node:assert/strict";
import { ANY_KIND, openTestDatabase, testOn } from "../helpers/databases.ts";
import { productionEnv, type ServiceProcess, startService } from "../helpers/service_process.ts";
import { execute, queryNumber } from "../helpers/http.ts";
import { runScript } from "../scripts/run_script.ts";

/** The platform's limit; the service ends itself half a second earlier. */
const LIMIT_MS = 5000;
/** Each request has an address of its own: a second wrong password for one would have to wait. */
function bodyOf(name: string): string {
  return JSON.stringify({ username: `${name}@example.com`, password: "a password of nobody's" });
}

/** A login whose body is sent in two parts, so that the test decides how long it takes. */
interface SlowRequest {
  sendRest(): Promise<void>;
  /** The whole response, until the service closes the connection. */
  answer(): Promise<string>;
  close(): void;
}

async function beginRequest({ port }: ServiceProcess, name = "nobody"): Promise<SlowRequest> {
  const body = bodyOf(name);
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const write = (text: string): Promise<number> => connection.write(new TextEncoder().encode(text));
  const head = [
    "POST /auth/login HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body.slice(0, 10),
  ];
  await write(head.join("\r\n"));
  return {
    sendRest: async () => void await write(body.slice(10)),
    answer: () => new Response(connection.readable).text(),
    close: () => connection.close(),
  };
}

/** Resolves when the service has read everything sent before: it reads the sockets in turn. */
async function settle(service: ServiceProcess): Promise<void> {
  for (let i = 0; i < 3; i++) {
    assert.equal((await (await fetch(`${service.url}/healthz`)).json()).status, "ok");
  }
}

/** The response status of a new request, or undefined if the connection is refused. */
async function tryRequest({ url }: ServiceProcess): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/healthz`);
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    assert.ok(error instanceof TypeError);
    return undefined;
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`at ${signal} running requests are answered, new ones are refused, and the process exits with status 0`, async () => {
    await using file = await openTestDatabase(ANY_KIND);
    await using service = await startService(await productionEnv(file.url));
    const requests = await Promise.all(["ann", "bea", "cal"].map((name) => beginRequest(service, name)));
    await settle(service);
    const toldAt = performance.now();
    service.signal(signal);
    await service.logged("stopping");
    const refused = await tryRequest(service);
    assert.ok(refused === 503 || refused === undefined, `a new request got status ${refused}`);
    // Ctrl-C in a terminal reaches a process twice: through its process group and through its parent.
    service.signal(signal);
    for (const request of requests) await request.sendRest();
    for (const request of requests) {
      assert.match(await request.answer(), /^HTTP\/1\.1 401 [^]*"statusCode":401/);
    }
    assert.equal(await tryRequest(service), undefined);
    const { code, stdout, stderr } = await service.ended();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /"event":"stopped"/);
    assert.doesNotMatch(stdout, /forced|cut_off|stopping\.failed/);
    assert.ok(performance.now() - toldAt < LIMIT_MS);
  });
}

Deno.test("the process fails if its server ends without a signal", async () => {
  await using file = await openTestDatabase(ANY_KIND);
  await using service = await startService(await productionEnv(file.url), {
    preload: "../service/ending_server.ts",
  });
  const { code, stdout } = await service.ended();
  assert.equal(code, 1);
  assert.match(stdout, /"level":"error","event":"server\.ended"/);
  assert.match(stdout, /"event":"stopped"/);
});

Deno.test("a hanging request is cut off at shutdown, and the process still exits in time with status 0", async () => {
  await using file = await openTestDatabase(ANY_KIND);
  await using service = await startService(await productionEnv(file.url));
  const hanging = await beginRequest(service);
  await settle(service);
  const toldAt = performance.now();
  service.signal("SIGTERM");
  const { code, stdout } = await service.ended();
  assert.equal(code, 0);
  assert.ok(performance.now() - toldAt < LIMIT_MS);
  assert.match(stdout, /"event":"stopping\.requests_cut_off","afterSeconds":3/);
  assert.match(stdout, /"event":"stopped"/);
  hanging.close();
});

Deno.test("the hour of a key's latest use is written at shutdown", async () => {
  await using file = await openTestDatabase(ANY_KIND);
  await execute(file, "INSERT INTO role (id, name, self_rights, is_root) VALUES (1, 'Root', 63, 1)");
  const env = await productionEnv(file.url);
  const { stdout: secret } = await runScript("key.ts", { env, args: ["create", "1", "--name", "Gateway"] });
  await using service = await startService(env);
  const answer = await fetch(`${service.url}/v1/role/query`, {
    method: "POST",
    headers: { "Authorization": `Bearer ${secret.trim()}`, "Content-Type": "application/json" },
    body: "{}",
  });
  assert.equal(answer.status, 200, await answer.text());
  service.signal("SIGTERM");
  assert.equal((await service.ended()).code, 0);
  const hour = await queryNumber(file, "SELECT last_used_at FROM role_key");
  assert.ok(Date.now() - hour < 2 * 3_600_000);
  assert.equal(hour % 3_600_000, 0);
});

testOn("remote", "a database that does not respond does not delay the shutdown", async (_, { url }) => {
  const { promise: held, resolve: onHeld } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isHolding = false;
  const proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const body = await request.arrayBuffer();
    if (isHolding) {
      onHeld();
      await released;
    }
    const init = { method: request.method, headers: request.headers };
    return await fetch(url + pathname, body.byteLength === 0 ? init : { ...init, body });
  });
  {
    await using service = await startService(await productionEnv(`http://127.0.0.1:${proxy.addr.port}`));
    isHolding = true;
    const asked = fetch(`${service.url}/readyz`);
    await held;
    const toldAt = performance.now();
    service.signal("SIGTERM");
    const answer = await asked;
    assert.equal(answer.status, 503);
    await answer.body?.cancel();
    const { code, stdout } = await service.ended();
    assert.equal(code, 0);
    assert.match(stdout, /"event":"stopping\.forced","afterSeconds":4\.5/);
    assert.ok(performance.now() - toldAt < LIMIT_MS);
  }
  release();
  await proxy.shutdown();
});
