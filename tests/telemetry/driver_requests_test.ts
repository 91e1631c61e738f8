/**
 * The recorded session of the Python driver of platforms with this interface works, version 0.9.4 (python-requests
 * 2.34.2). Its bytes are unchanged, except that the tests replace `REFRESH_TOKEN` and `ACCESS_TOKEN`.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createApp } from "../../src/app.ts";
import { bootstrap } from "../helpers/person.ts";
import { connectTo, type RawResponse, sendBytes, serveLocally } from "../helpers/raw_http.ts";
import { addDevice, type QueryResult, valuesOf } from "../every_operation/telemetry_requests.ts";
import { INFLUX_AND_FILE } from "./influx_scene.ts";
import { LIBSQL_STORES, testScene } from "./telemetry_scene.ts";

const REQUESTS = new URL("driver_requests/", import.meta.url);

/** The points 0 to 1 are written as text, 2 to 5 compressed. */
function row(i: number): unknown[] {
  return [`2026-01-01T00:0${i}:00Z`, i + 1.5, 1000 + i, i % 2 === 0, 'eco "soft" \\ é'];
}

for (const under of [...LIBSQL_STORES, INFLUX_AND_FILE]) {
  testScene(under, "the recorded requests of the Python driver work", async ({ target, store }) => {
    const { admin, rootId } = await bootstrap(target);
    await addDevice(admin, rootId, "meter-1");
    const app = createApp({ ...target.deps, telemetryStore: store });
    await using server = serveLocally(app);
    using connection = await connectTo(server);
    const tokens = { REFRESH_TOKEN: "", ACCESS_TOKEN: "" };
    tokens.REFRESH_TOKEN = (await replay(connection, "login", tokens)).body;
    tokens.ACCESS_TOKEN = (await replay(connection, "access_token", tokens)).body;
    for (const namespace of ["database", "bucket", "namespace"]) {
      for (const name of [`write_${namespace}`, `write_${namespace}_gzip`]) {
        assert.deepEqual(await replay(connection, name, tokens), { status: 204, body: "" }, name);
      }
    }
    assert.deepEqual(await replay(connection, "write_user", tokens), { status: 204, body: "" });

    const answer = await replay(connection, "query", tokens);
    assert.equal(answer.status, 200);
    const results = JSON.parse(answer.body) as QueryResult[];
    const all = Array.from({ length: 6 }, (_, i) => row(i));
    assert.deepEqual(results.map(valuesOf), [all, all, all, all.slice(0, 1)]);
    assert.deepEqual(results[0]?.series?.[0]?.tags, { nodeId: "meter-1", phase: "L1, é=2" });

    assert.equal((await replay(connection, "logout", tokens)).status, 204);
    assert.equal((await replay(connection, "query", tokens)).status, 401);
  });
}

/** Sends a recorded request with these tokens, and reads the response. */
async function replay(
  connection: Deno.TcpConn,
  name: string,
  tokens: Readonly<Record<string, string>>,
): Promise<RawResponse> {
  // Latin-1 has one character for each byte.
  let text = Buffer.from(await Deno.readFile(new URL(`${name}.http`, REQUESTS))).toString("latin1");
  for (const [recorded, token] of Object.entries(tokens)) text = text.replace(recorded, token);
  return await sendBytes(connection, Buffer.from(text, "latin1"));
}
