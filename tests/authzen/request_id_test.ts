/** Responses of the Authorization API repeat the bytes of any request id. */
import assert from "node:assert/strict";
import { testApp } from "../helpers/http.ts";
import { serveLocally } from "../helpers/raw_http.ts";
import { sendRaw } from "./proxies.ts";
import { post, setScene } from "./scene.ts";

testApp("AuthZEN responses repeat the bytes of any request id", async (target) => {
  await using server = serveLocally(target.app);
  const idOf = async (line: string, id: string): Promise<string | undefined> => {
    const lines = [`${line} HTTP/1.1`, `X-Request-ID: ${id}`, "Host: localhost", "Connection: close"];
    const { status, text } = await sendRaw(server.addr.port, `${lines.join("\r\n")}\r\n\r\n`);
    assert.equal(status, 401, text);
    return /\r\nx-request-id:[ ]?([^\r]*)/i.exec(text)?.[1];
  };
  const ids = ["a b", "caf\u00c3\u00a9", "\u00ff\u0080", "a\tb", 'x, "y"; z', "i".repeat(5000), ""];
  for (const id of ids) assert.equal(await idOf("POST /access/v1/evaluation", id), id);
  assert.match(await idOf("GET /v1/role", "a b") ?? "", /^[0-9a-f-]{36}$/);
});

testApp("AuthZEN responses have a new request id if the request has none", async (target) => {
  const scene = await setScene(target);
  for (const person of [scene.admin, undefined]) {
    const { headers } = await post(scene, person, "evaluation", {});
    assert.match(headers.get("X-Request-ID") ?? "", /^[0-9a-f-]{36}$/);
  }
});
