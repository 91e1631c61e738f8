import assert from "node:assert/strict";
import { askPrimary, hasOtherProtocol } from "../../src/db/replica/primary_state.ts";
import { startLastingSqld } from "../helpers/lasting_sqld.ts";
import { freePort } from "../helpers/sqld.ts";
import { ADD_FACT, openScene } from "./replica_scene.ts";

Deno.test("a primary names the frame of a write that it has acknowledged", async () => {
  await using scene = await openScene();
  const address = { url: scene.server.url, authToken: undefined };
  let before = await askPrimary(address);
  for (let i = 0; i < 50; i++) {
    await scene.direct.write([ADD_FACT]);
    const after = await askPrimary(address);
    assert.ok(after.frame > before.frame);
    assert.deepEqual({ ...after, frame: 0 }, { ...before, frame: 0 });
    before = after;
  }
});

Deno.test("a primary is another process after each start, and begins another log after a crash", async () => {
  await using server = await startLastingSqld();
  const address = { url: server.url, authToken: undefined };
  const first = await askPrimary(address);
  assert.equal(first.frame, -1, "nothing is written yet");
  await server.kill("SIGTERM");
  await server.start();
  const restarted = await askPrimary(address);
  assert.notEqual(restarted.processId, first.processId);
  assert.equal(restarted.logId, first.logId);
  await server.kill("SIGKILL");
  await server.start();
  const crashed = await askPrimary(address);
  assert.notEqual(crashed.processId, restarted.processId);
  assert.notEqual(crashed.logId, restarted.logId);
});

Deno.test("a host that is no primary, refuses or is away has no state", async () => {
  const hosts: Record<string, () => Response> = {
    "another protocol": () => new Response("not found", { status: 404 }),
    "a page": () => new Response("<html>"),
    "a refusal": () => new Response(null, { headers: { "grpc-status": "16" } }),
    "a message that is cut off": () => new Response(new Uint8Array([0, 0, 0, 0, 9, 10, 80, 1])),
    "an empty message": () => new Response(new Uint8Array([0, 0, 0, 0, 0])),
  };
  for (const [name, respond] of Object.entries(hosts)) {
    const send = () => Promise.resolve(respond());
    await assert.rejects(
      askPrimary({ url: "http://127.0.0.1", authToken: undefined }, send),
      { name: "ServerUnreachableError" },
      name,
    );
  }
  const away = { url: `http://127.0.0.1:${freePort()}`, authToken: undefined };
  await assert.rejects(askPrimary(away), { name: "ServerUnreachableError" });
});

Deno.test("a primary is asked with the token and the name of the database, as the driver does", async () => {
  const seen: Record<string, string | null>[] = [];
  const send: typeof fetch = (_, init) => {
    const headers = new Headers(init?.headers);
    seen.push({ token: headers.get("X-Authorization"), name: headers.get("X-Namespace-Bin") });
    return Promise.reject(new Error("seen"));
  };
  for (const url of ["https://grid-org.turso.io", "http://localhost:8080"]) {
    await assert.rejects(askPrimary({ url, authToken: "secret" }, send));
  }
  assert.deepEqual(seen, [
    { token: "Bearer secret", name: btoa("grid-org").replaceAll("=", "") },
    { token: "Bearer secret", name: btoa("default").replaceAll("=", "") },
  ]);
});

Deno.test("a host that serves GET /info has another protocol", async () => {
  const address = { url: "http://127.0.0.1", authToken: undefined };
  for (const [status, expected] of [[200, true], [404, false], [401, false]] as const) {
    const send = () => Promise.resolve(new Response("{}", { status }));
    assert.equal(await hasOtherProtocol(address, send), expected);
  }
});
