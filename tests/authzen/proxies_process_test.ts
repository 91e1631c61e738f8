/** Behind the documented proxies, an app gets only what its caller may do, however they ask. */
import assert from "node:assert/strict";
import { ANY_KIND, forEachKind } from "../helpers/databases.ts";
import { isInstalled } from "../helpers/processes.ts";
import { serveLocally } from "../helpers/raw_http.ts";
import { openTestApp } from "../helpers/test_app.ts";
import { type Proxied, PROXIES, type ProxyKind, type RawAnswer, sendRaw, startProxy } from "./proxies.ts";
import { accountId, ALICE, BOB, setScene } from "./scene.ts";

/** Alice may read and change the open site, Bob only read it. Neither sees the other site. */
interface Scene {
  readonly kind: ProxyKind;
  readonly open: number;
  readonly hidden: number;
  readonly alice: string;
  readonly bob: string;
  readonly subjects: Readonly<Record<"alice" | "bob", string>>;
  readonly proxied: Proxied;
  /** Stops Rolegrid. */
  readonly stop: () => Promise<void>;
}

/** The proxies that this machine does not have. */
const ignored = new Set<ProxyKind>();
for (const kind of PROXIES) {
  if (await isInstalled(kind.name, kind.versionArgument)) continue;
  ignored.add(kind);
  const reason = `Tests behind ${kind.name} are ignored: there is none (Debian package ${kind.name})\n`;
  Deno.stderr.writeSync(new TextEncoder().encode(reason));
}

/** Registers a test behind each proxy. */
function behindProxies(name: string, body: (scene: Scene) => Promise<void>): void {
  for (const kind of PROXIES) {
    const ignore = ignored.has(kind);
    forEachKind(`behind ${kind.name}, ${name}`, () => runBehind(kind, body), { ignore, kinds: [ANY_KIND] });
  }
}

async function runBehind(kind: ProxyKind, body: (scene: Scene) => Promise<void>): Promise<void> {
  await using target = await openTestApp(ANY_KIND);
  const { admin, rootId, roleId: open, alice, bob } = await setScene(target);
  const hidden = await admin.create(rootId, "Hidden");
  const subjects = {
    alice: `user:${await accountId(target, ALICE)}`,
    bob: `user:${await accountId(target, BOB)}`,
  };
  const server = serveLocally(target.app);
  const stop = (): Promise<void> => server.shutdown();
  try {
    await using proxied = await startProxy(kind, server.addr.port);
    await body({
      kind,
      open,
      hidden,
      alice: alice.accessToken,
      bob: bob.accessToken,
      subjects,
      proxied,
      stop,
    });
  } finally {
    await stop();
  }
}

interface Request {
  readonly token?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Sends a request whose first line and headers may be malformed. */
function ask(
  { proxied }: Scene,
  line: string,
  { token, headers = [], body = "" }: Request = {},
): Promise<RawAnswer> {
  const authorization = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  const lines = [
    `${line} HTTP/1.1`,
    "Host: app.example.com",
    "Connection: close",
    ...authorization,
    ...length,
  ];
  return sendRaw(proxied.port, `${[...lines, ...headers].join("\r\n")}\r\n\r\n${body}`);
}

/** The names in a header whose spelling an app may not tell from others. */
const normalized = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-");

/** Asserts that these requests reached the app, and that it can believe their headers. */
function assertPassed(
  { proxied, subjects }: Scene,
  who: "alice" | "bob",
  lines: readonly string[],
  context: string,
): void {
  const passed = proxied.takePassed();
  assert.deepEqual(passed.map(({ method, target }) => `${method} ${target}`), lines, context);
  for (const { headers } of passed) {
    const told = headers.filter(([name]) => /rolegrid|method|authorization/.test(normalized(name)));
    assert.deepEqual(told, [["x-rolegrid-subject", subjects[who]]], context);
  }
}

/** Asserts that the request was refused, and that the app did not see it. */
function assertClosed({ proxied }: Scene, { status, text }: RawAnswer, context: string): void {
  assert.deepEqual(proxied.takePassed(), [], context);
  assert.ok(status === 0 || status >= 400, `${context}: ${text}`);
}

behindProxies(
  "the app gets what its caller may do, with the caller's name and the whole request",
  async (scene) => {
    const { open, hidden, alice, bob, proxied } = scene;
    for (
      const line of [`GET /site/${open}`, `HEAD /site/${open}/`, `GET /site/${open}/a/b-c.d?x=%20&y[]=1`]
    ) {
      for (const [who, token] of [["alice", alice], ["bob", bob]] as const) {
        const { status, text } = await ask(scene, line, { token });
        assert.equal(status, 200, text);
        assertPassed(scene, who, [line], line);
      }
    }
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      const line = `${method} /site/${open}`;
      const body = "a=1\r\n\r\n".repeat(5000);
      assertClosed(scene, await ask(scene, line, { token: bob, body }), line);
      assert.equal((await ask(scene, line, { token: alice, body })).status, 200, line);
      const [passed] = proxied.takePassed();
      assert.deepEqual([passed?.method, passed?.body], [method, body]);
    }
    for (const roleId of [hidden, 999_999]) {
      const answer = await ask(scene, `GET /site/${roleId}`, { token: alice });
      assert.equal(answer.status, 403);
      assertClosed(scene, answer, String(roleId));
    }
    for (const token of [undefined, `${alice}x`, ""]) {
      const answer = await ask(scene, `GET /site/${open}`, token === undefined ? {} : { token });
      assert.equal(answer.status, 401);
      assert.match(answer.text, /\r\nwww-authenticate: Bearer/i);
      assertClosed(scene, answer, String(token));
    }
  },
);

behindProxies("no header of a client reaches the app as one of Rolegrid's", async (scene) => {
  const { open, hidden, alice, bob } = scene;
  const line = `GET /site/${open}`;
  const spellings = [
    "X-Rolegrid-Subject",
    "x-rolegrid-subject",
    "X-ROLEGRID-SUBJECT",
    "X_Rolegrid_Subject",
    "x_rolegrid_subject",
    "X-Rolegrid_Subject",
    "X_Rolegrid-Subject",
    "X.Rolegrid.Subject",
    "X-Rolegrid-Revision",
    "X-HTTP-Method-Override",
    "X-HTTP-Method",
    "X-Method-Override",
    "X_HTTP_Method_Override",
  ];
  for (const name of spellings) {
    const headers = [`${name}: user:1`, `${name}: DELETE`];
    const { status, text } = await ask(scene, line, { token: bob, headers });
    // A proxy may refuse a name instead.
    if (status === 200) assertPassed(scene, "bob", [line], name);
    else assertClosed(scene, { status, text }, name);
    assertClosed(scene, await ask(scene, `GET /site/${hidden}`, { token: bob, headers }), name);
    assertClosed(scene, await ask(scene, line, { headers }), name);
  }
  const malformed = [
    "X-Rolegrid-Subject : user:1",
    "X-Rolegrid-Subject\t: user:1",
    "X-A: b\r\n X-Rolegrid-Subject: user:1",
    "X-A: b\nX-Rolegrid-Subject: user:1",
    "X-A: b\rX-Rolegrid-Subject: user:1",
    "X-A: \0X-Rolegrid-Subject: user:1",
    "Connection: X-Rolegrid-Subject",
    "Connection: close, X-Rolegrid-Subject, X-Forwarded-For",
    "Proxy-Connection: X-Rolegrid-Subject",
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
    "TE: trailers",
    "Expect: 100-continue",
    "X-Forwarded-Uri: /site/1",
    "X-Original-URL: /site/1",
    "X-Rewrite-URL: /site/1",
  ];
  for (const header of malformed) {
    const answer = await ask(scene, line, { token: bob, headers: [header] });
    if (answer.status === 200) assertPassed(scene, "bob", [line], header);
    else assertClosed(scene, answer, header);
    assert.ok(!answer.text.includes("101 Switching"), header);
    assertClosed(scene, await ask(scene, line, { headers: [header] }), header);
    assertClosed(scene, await ask(scene, `GET /site/${hidden}`, { token: bob, headers: [header] }), header);
  }
  // Only Alice may send this: with two tokens, she is who the app believes it is.
  for (const [first, second] of [[alice, bob], [bob, alice]]) {
    const headers = [`Authorization: Bearer ${first}`, `Authorization: Bearer ${second}`];
    const answer = await ask(scene, `DELETE /site/${open}`, { headers });
    if (answer.status === 200) assertPassed(scene, "alice", [`DELETE /site/${open}`], "two tokens");
    else assertClosed(scene, answer, "two tokens");
  }
});

behindProxies("no spelling of a path leads to what the caller may not see", async (scene) => {
  const { open, hidden, alice } = scene;
  const [mine, other] = [`/site/${open}`, `/site/${hidden}`];
  const closed = [
    `${mine}/../${hidden}`,
    `${mine}/../../site/${hidden}`,
    `${mine}/%2e%2e/${hidden}`,
    `${mine}/.%2e/${hidden}`,
    `${mine}/..;/${hidden}`,
    `${mine}/..;a=b/${hidden}`,
    `${mine}/..%2f${hidden}`,
    `${mine}%2f..%2f${hidden}`,
    `${mine}/..%252f${hidden}`,
    `${mine}/..\\${hidden}`,
    `${mine}\\..\\${hidden}`,
    `${mine}//../${hidden}`,
    `${mine}/./../${hidden}`,
    `${mine}/..`,
    `${mine}/.`,
    `${mine}/.git/config`,
    `${mine};${hidden}`,
    `${mine},${hidden}`,
    `${mine}%20`,
    `${mine}%00`,
    `${mine}%23/../${hidden}`,
    `${mine}#/../${hidden}`,
    `${mine}%3f/../${hidden}`,
    `${mine}%0d%0aX-Rolegrid-Subject:%20user:1`,
    `${mine}&roleId=${open}`,
    `${mine}%26roleId=${open}`,
    other,
    `${other}/`,
    `/${other}`,
    `/.${other}`,
    `/x/..${other}`,
    `/${mine}`,
    `/site//${hidden}`,
    `/site/0${hidden}`,
    `/site/+${hidden}`,
    `/site/${hidden}?right=viewManagement&roleId=${open}`,
    `/site/${hidden}?/site/${open}`,
    `/site/${String(hidden).replace(/^./, (digit) => `%3${digit}`)}`,
    `/SITE/${hidden}`,
    `/Site/${hidden}`,
    `/%73ite/${hidden}`,
    `/site;x/${hidden}`,
    "/site",
    "/site/",
    "/",
    "/app",
    "/-/rolegrid",
    `/-/rolegrid?right=viewManagement&roleId=${open}`,
    `/access/v1/forward?right=viewManagement&roleId=${open}`,
    `http://app.example.com${other}`,
    `http://app.example.com${mine}/../${hidden}`,
    `http://rolegrid/access/v1/forward?right=viewManagement&roleId=${open}`,
    `x${mine}`,
    "x",
    `app.example.com:80`,
    `${mine} ${other}`,
    `${mine}\t${other}`,
  ];
  for (const path of closed) {
    for (const method of ["GET", "OPTIONS"]) {
      const line = `${method} ${path}`;
      assertClosed(scene, await ask(scene, line, { token: alice }), line);
    }
  }
  // Queries may hold anything.
  for (
    const query of [
      `?/../${hidden}`,
      `?right=roleManagement&roleId=${hidden}`,
      "??",
      "?a=%00",
      `?#/../${hidden}`,
    ]
  ) {
    const line = `GET ${mine}${query}`;
    const answer = await ask(scene, line, { token: alice });
    assert.equal(answer.status, 200, answer.text);
    assertPassed(scene, "alice", [line], line);
  }
});

behindProxies("no second request hides in the first, and odd methods are no way in", async (scene) => {
  const { open, hidden, alice, bob, proxied } = scene;
  const second =
    `GET /site/${hidden} HTTP/1.1\r\nHost: app.example.com\r\nX-Rolegrid-Subject: user:1\r\n\r\n`;
  const framings = [
    `Content-Length: ${second.length + 5}\r\nTransfer-Encoding: chunked`,
    `Transfer-Encoding: chunked\r\nContent-Length: 5`,
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding : chunked",
    "Transfer-Encoding: identity, chunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Transfer-Encoding:\x0bchunked",
    "Transfer-Encoding: chunked",
    "Content-Length: 5\r\nContent-Length: 0",
    "Content-Length: 0\r\nContent-Length: 5",
    "Content-Length: +5",
    "Content-Length: 5, 0",
    "Content-Length: 0x5",
    "Content-Length: 5",
    "",
  ];
  for (const method of ["GET", "POST"]) {
    for (const framing of framings) {
      const head =
        `${method} /site/${open} HTTP/1.1\r\nHost: app.example.com\r\nAuthorization: Bearer ${alice}\r\n${framing}`;
      await sendRaw(
        proxied.port,
        `${head.trim()}\r\n\r\n0\r\n\r\n${second}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      for (const { target, headers } of proxied.takePassed()) {
        assert.equal(target, `/site/${open}`, framing);
        assert.deepEqual(headers.filter(([name]) => name.includes("rolegrid")), [
          ["x-rolegrid-subject", scene.subjects.alice],
        ]);
      }
    }
  }
  for (const method of ["get", "Get", "TRACE", "TRACK", "CONNECT", "DEBUG", "FOO", "G\tET", "PRI", "GET\0"]) {
    for (const path of [`/site/${open}`, `/site/${hidden}`]) {
      assertClosed(scene, await ask(scene, `${method} ${path}`, { token: bob }), `${method} ${path}`);
    }
  }
  // Caddy responds to this itself.
  await ask(scene, "OPTIONS *", { token: alice });
  assert.deepEqual(proxied.takePassed(), []);
  const old = `GET /site/${open} HTTP/1.0\r\nAuthorization: Bearer ${bob}\r\n\r\n`;
  if ((await sendRaw(proxied.port, old)).status === 200) {
    assertPassed(scene, "bob", [`GET /site/${open}`], "HTTP/1.0");
  }
  assertClosed(scene, await sendRaw(proxied.port, `GET /site/${open}\r\n`), "HTTP/0.9");
});

behindProxies("nothing passes while Rolegrid is down", async (scene) => {
  const { kind, open, alice, stop } = scene;
  await stop();
  const answer = await ask(scene, `GET /site/${open}`, { token: alice });
  assert.equal(answer.status, kind.downStatus, answer.text);
  assertClosed(scene, answer, "down");
});
