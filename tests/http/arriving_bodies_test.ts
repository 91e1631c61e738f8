/** Bodies that arrive late, in part or not at all, over real connections, get a 408 and leave room for others. */
import assert from "node:assert/strict";
import { connectTo, serveLocally } from "../helpers/raw_http.ts";
import type { BodyRoomOptions } from "../../src/http/body_room.ts";
import { openQuickApp } from "../helpers/test_app.ts";

/** A second of the time limits takes so long. */
const TICK_MS = 20;

async function serveApp(options: BodyRoomOptions = {}) {
  const target = await openQuickApp({ bodyRoomOptions: { tickMs: TICK_MS, ...options } });
  const { accessToken: token } = await target.createUser("user@example.com");
  const server = serveLocally(target.app);
  return {
    target,
    token,
    /** Sends a request's head and the beginning of its body. */
    async begin(head: readonly string[], body = ""): Promise<Deno.TcpConn> {
      const connection = await connectTo(server);
      await write(connection, [...head, "Content-Type: application/json", "", body].join("\r\n"));
      return connection;
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await target[Symbol.asyncDispose]();
    },
  };
}

async function write(connection: Deno.TcpConn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/** Reads a response, whose text is short, and closes the connection. */
async function readAnswer(connection: Deno.TcpConn): Promise<string> {
  let text = "";
  const buffer = new Uint8Array(4096);
  for (;;) {
    const count = await connection.read(buffer);
    if (count === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
    const [head = "", body] = text.split("\r\n\r\n");
    const length = /^content-length: (\d+)$/im.exec(head.replaceAll("\r", ""))?.[1];
    if (body !== undefined && body.length === Number(length)) break;
  }
  connection.close();
  return text;
}

const LOGIN = ["POST /auth/login HTTP/1.1", "Host: rolegrid.test"];

function query(token: string): string[] {
  return ["POST /v1/role/query HTTP/1.1", "Host: rolegrid.test", `Authorization: Bearer ${token}`];
}

function assertTimeout(answer: string): void {
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.match(answer, /\r\nconnection: close\r\n/i);
  assert.match(
    answer,
    /"statusCode":408,"error":"Request Timeout","message":"The request body did not arrive in time"/,
  );
}

Deno.test("a body that does not arrive in time gets a 408 that closes the connection", async () => {
  await using served = await serveApp();
  const { token } = served;
  const [short, long] = ["Content-Length: 100", "Content-Length: 1000000"];
  const chunked = "Transfer-Encoding: chunked";
  const heads = [[...LOGIN, short], [...query(token), short], [...query(token), long]];
  const connections = await Promise.all([
    ...heads.map((head) => served.begin(head, "{")),
    ...[LOGIN, query(token)].map((head) => served.begin([...head, chunked], "1\r\n{\r\n")),
  ]);
  for (const answer of await Promise.all(connections.map(readAnswer))) assertTimeout(answer);
  assert.doesNotMatch(served.target.logLines.join(), /request\.failed/);
});

Deno.test("a large body that keeps arriving is read, and one that stalls gets a 408", async () => {
  await using served = await serveApp();
  const head = [...query(served.token), "Connection: close", "Content-Length: 1000000"];
  const [steady, stalling] = await Promise.all([served.begin(head), served.begin(head)]);
  await Promise.all([
    // 40 KiB in each tick, for 25 ticks: more time than any body without a token gets.
    (async () => {
      await write(steady, "{}");
      for (let at = 2; at < 1_000_000; at += 40_000) {
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
        await write(steady, " ".repeat(Math.min(40_000, 1_000_000 - at)));
      }
    })(),
    write(stalling, "{}".padEnd(900_000)),
  ]);
  const [read, refused] = await Promise.all([steady, stalling].map(readAnswer));
  assert.match(read ?? "", /^HTTP\/1\.1 200 /);
  assertTimeout(refused ?? "");
});

Deno.test("an upload that the client abandons is logged as a 408 and not as a failure", async () => {
  await using served = await serveApp();
  const { target, token } = served;
  for (const length of ["Content-Length: 100", "Content-Length: 1000000"]) {
    (await served.begin([...query(token), length], "{")).close();
  }
  const lines = (): string[] => target.logLines.filter((line) => line.includes('"route":"/v1/role/query"'));
  while (lines().length < 2) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  for (const line of lines()) assert.equal(JSON.parse(line).status, 408);
  assert.doesNotMatch(target.logLines.join(), /request\.failed|INTERNAL/);
});

Deno.test("clients that announce bodies and never send them leave room for others", async () => {
  await using served = await serveApp({ budgetBytes: 1024 * 1024 });
  const head = [...LOGIN, "Connection: close", "Content-Length: 16384"];
  const claims = await Promise.all(Array.from({ length: 64 }, () => served.begin(head)));
  const own = await served.begin([...query(served.token), "Connection: close", "Content-Length: 2"], "{}");
  assert.match(await readAnswer(own), /^HTTP\/1\.1 200 /);
  const answers = await Promise.all(claims.map(readAnswer));
  const refused = answers.filter((answer) => /^HTTP\/1\.1 503 /.test(answer));
  assert.ok(refused.length > 32 && refused.length < 64, String(refused.length));
  for (const answer of refused) assert.match(answer, /retry-after: 1\r\n/i);
  for (const answer of answers) if (!refused.includes(answer)) assertTimeout(answer);
});

Deno.test("a body of many tiny chunks is refused, and one of network-sized chunks is read", async () => {
  await using served = await serveApp();
  const head = [...query(served.token), "Transfer-Encoding: chunked"];
  const send = async (bytes: number, chunks: number): Promise<string> => {
    const chunk = `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;
    const connection = await served.begin(head, `${chunk.repeat(chunks)}2\r\n{}\r\n0\r\n\r\n`);
    return (await readAnswer(connection)).slice(0, 12);
  };
  assert.equal(await send(1, 90), "HTTP/1.1 200");
  assert.equal(await send(1, 5000), "HTTP/1.1 400");
  assert.equal(await send(536, 1500), "HTTP/1.1 200");
});
