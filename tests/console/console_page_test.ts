/** The page and the files as the service sends them, and the routes that only its own page may use. */
import assert from "node:assert/strict";
import { brotliDecompressSync } from "node:zlib";
import { openConsoleFiles } from "../../src/console/console_files.ts";
import type { DemoPeople } from "../../src/console/demo_people.ts";
import { linkPageCsp } from "../../src/http/link_page/link_page.ts";
import { type Answer, assertError, DENIED, NO_TOKEN, send } from "../helpers/http.ts";
import { openQuickApp, TEST_URL, type TestApp } from "../helpers/test_app.ts";
import { builtConsole } from "./built_console.ts";

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const ADA = "ada@demo.test";
const CLICKED = "a session begun by a click";
const DEMO: DemoPeople = {
  list: () => Promise.resolve([{ name: "Ada", email: ADA, roles: ["Root"] }]),
  listStories: () => Promise.resolve([{ name: "why", email: ADA, path: "/why" }]),
  signIn: (email, client) => Promise.resolve(email === ADA ? `a token for ${client}` : undefined),
  prove: ({ sessionId }) => Promise.resolve(sessionId === CLICKED ? "proof of a click" : undefined),
};

Deno.test("every address of the console serves the same page, uncached and without inline script or style", async () => {
  await builtConsole();
  await using target = await openQuickApp();
  const { status, headers, text } = await send(target, "GET", "/console");
  assert.equal(status, 200);
  assert.equal(headers.get("Content-Security-Policy"), CSP);
  assert.equal(headers.get("Cache-Control"), "no-store");
  assert.match(headers.get("Content-Type") ?? "", /^text\/html/);
  assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
  // The origin is data, and not loaded.
  const loading = text.replace(`data-origin="${TEST_URL}"`, "");
  assert.notEqual(loading, text);
  assert.doesNotMatch(loading, /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)|https?:/);
  for (const path of ["/console/", "/console/role/1?tab=members", "/console/any/depth/%00/%E2%80%AE?utm=x"]) {
    const other = await send(target, "GET", path);
    assert.deepEqual([other.status, other.text], [200, text], path);
    assert.equal(other.headers.get("Content-Security-Policy"), CSP);
  }
  const head = await send(target, "HEAD", "/console");
  assert.deepEqual([head.status, head.text], [200, ""]);
  for (const method of ["POST", "PUT", "DELETE"]) {
    assert.equal((await send(target, method, "/console/role")).status, 405, method);
  }
});

Deno.test("the issuer’s name is escaped in the page", async () => {
  await builtConsole();
  await using target = await openQuickApp({ issuerName: `"><img src=x onerror=alert(1)>` });
  const { text } = await send(target, "GET", "/console");
  assert.doesNotMatch(text, /<img/);
});

Deno.test("every address in the page is that of an existing file", async () => {
  await builtConsole();
  await using target = await openQuickApp();
  const { text } = await send(target, "GET", "/console");
  const addresses = Array.from(text.matchAll(/(?:src|href)="([^"]*)"/g), ([, address = ""]) => address);
  assert.ok(addresses.length > 3);
  for (const address of addresses) {
    assert.match(address, /^\/console\/assets\//);
    assert.equal((await send(target, "GET", address)).status, 200, address);
  }
});

Deno.test("a browser may cache each file forever, and the icon briefly", async () => {
  const { files } = await builtConsole();
  await using target = await openQuickApp();
  for (const name of files) {
    const path = `/console/assets/${name}`;
    const plain = await send(target, "GET", path);
    assert.equal(plain.status, 200, name);
    const lasting = name === "icon.svg" ? "public, max-age=300" : "public, max-age=31536000, immutable";
    assert.equal(plain.headers.get("Cache-Control"), lasting, name);
    assert.match(
      plain.headers.get("Content-Type") ?? "",
      /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
    );
    assert.equal(plain.headers.get("X-Content-Type-Options"), "nosniff");
    assert.equal(plain.headers.get("Vary"), "Accept-Encoding");
    const etag = plain.headers.get("ETag") ?? "";
    assert.notEqual(etag, "");
    const known = await send(target, "GET", path, { headers: { "If-None-Match": etag } });
    assert.deepEqual([known.status, known.text], [304, ""], name);
    const head = await send(target, "HEAD", path);
    assert.deepEqual([head.status, head.text, head.headers.get("ETag")], [200, "", etag], name);
    const zipped = await target.request(path, { headers: { "Accept-Encoding": "br, gzip" } });
    assert.equal(zipped.headers.get("Content-Encoding"), "br");
    assert.equal(new TextDecoder().decode(brotliDecompressSync(await zipped.bytes())), plain.text, name);
  }
});

Deno.test("only the built files are served", async () => {
  await builtConsole();
  await using target = await openQuickApp();
  const names = [
    ...[
      "manifest.json",
      "unknown.js",
      "main.js",
      "__proto__",
      "constructor",
      "icon.svg%00",
      "icon.svg%2F",
      "ICON.SVG",
    ],
    ...["..%2Fmanifest.json", "..%2F..%2Fdeno.json", "%2e%2e%2f%2e%2e%2fdeno.json", "..%5C..%5Cdeno.json"],
    ...["%2Fetc%2Fpasswd", "file:%2F%2F%2Fetc%2Fpasswd", ".%2Ficon.svg", "%FF", "x".repeat(5000)],
  ];
  for (const name of names) {
    assertError(await send(target, "GET", `/console/assets/${name}`), 404, "Resource not found", name);
  }
});

Deno.test("without a build, the console names the task to run, and all else works", async () => {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const consoleFiles = openConsoleFiles(new URL(`file://${folder}/console/`));
  await using target = await openQuickApp({ consoleFiles });
  for (const path of ["/console", "/console/role/1"]) {
    const { status, headers, text } = await send(target, "GET", path);
    assert.equal(status, 503);
    assert.match(text, /deno task build/);
    const nonce = /<style nonce="([^"]+)">[^<]*\.alone/.exec(text)?.[1];
    assert.equal(headers.get("Content-Security-Policy"), linkPageCsp(String(nonce)));
  }
  assert.equal((await send(target, "GET", "/console/assets/icon.svg")).status, 404);
  assert.equal((await send(target, "GET", "/healthz")).status, 200);
  assert.equal((await send(target, "GET", "/docs")).status, 200);
  // A build beside the running service is noticed.
  await Deno.mkdir(`${folder}/console`);
  await Deno.writeTextFile(`${folder}/console/main-1.js`, "1");
  const manifest = {
    script: "main-1.js",
    preloads: [],
    style: "main-1.css",
    lateStyle: "late-1.css",
    files: ["main-1.js"],
  };
  await Deno.writeTextFile(`${folder}/console/manifest.json`, JSON.stringify(manifest));
  assert.match((await send(target, "GET", "/console")).text, /main-1\.js/);
  assert.equal((await send(target, "GET", "/console/assets/main-1.js")).text, "1");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("in production no route signs a user in without a password", async () => {
  await builtConsole();
  await using target = await openQuickApp();
  const routes = target.app.routes.map(({ path }) => path);
  assert.ok(!routes.some((path) => path.includes("demo")), String(routes));
  const page = await send(target, "GET", "/console");
  assert.doesNotMatch(page.text, /data-demo/);
  assert.equal((await send(target, "GET", "/console/demo")).text, page.text);
  for (const path of ["/console/demo", `/console/demo/${ADA}`, "/console/demo-proof"]) {
    const answer = await send(target, "POST", path, { headers: { Origin: TEST_URL } });
    assertError(answer, 405, "The resource does not have this method");
  }
});

Deno.test("in development the demo’s people are listed, and one click signs in as one of them", async () => {
  await builtConsole();
  await using target = await openQuickApp({ demoPeople: DEMO });
  assert.match((await send(target, "GET", "/console")).text, /data-demo="true"/);
  const { body } = await send(target, "GET", "/console/demo");
  const stories = [{ name: "why", email: ADA, path: "/why" }];
  assert.deepEqual(body, { people: [{ name: "Ada", email: ADA, roles: ["Root"] }], stories });
  const headers = { Origin: TEST_URL, "Sec-Fetch-Site": "same-origin", "User-Agent": "a browser" };
  const { text } = await send(target, "POST", `/console/demo/${ADA}`, { headers });
  assert.equal(text, "a token for a browser");
  assertError(
    await send(target, "POST", "/console/demo/eve@demo.test", { headers }),
    404,
    "Resource not found",
  );
});

Deno.test("in development a session that a click began gets its proof by a click, and no other one does", async () => {
  await using target = await openQuickApp({ demoPeople: DEMO });
  const headers = { Origin: TEST_URL };
  const tokenOf = (sessionId: string) =>
    target.deps.accessTokens.sign({
      userId: 1,
      sessionId,
      authenticatedAtMs: target.clock.now(),
      assuranceLevel: 1,
    });
  const [clicked, other] = [await tokenOf(CLICKED), await tokenOf("a session begun by a password")];
  const path = "/console/demo-proof";
  assert.equal((await send(target, "POST", path, { headers, token: clicked })).text, "proof of a click");
  assertError(await send(target, "POST", path, { headers, token: other }), 404, "Resource not found");
  assertError(await send(target, "POST", path, { headers }), 401, NO_TOKEN);
});

const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  {},
  { Origin: "null" },
  { Origin: "" },
  { Origin: "https://evil.test" },
  { Origin: `${TEST_URL}.evil.test` },
  { Origin: TEST_URL.replace("https", "http") },
  { Origin: TEST_URL, "Sec-Fetch-Site": "cross-site" },
  { Origin: TEST_URL, "Sec-Fetch-Site": "same-site" },
  { Origin: TEST_URL, "Sec-Fetch-Site": "none" },
  { "Sec-Fetch-Site": "same-origin" },
  { Origin: "https://evil.test", Host: "evil.test" },
  { Origin: "http://localhost:8000", Host: "localhost:8000" },
];

/** Whatever a route of the console changes, if its page does not ask for it. */
async function askAsOthers(target: TestApp, others: typeof FOREIGN): Promise<[string, Answer][]> {
  const routes = target.app.routes.filter(({ method, path }) =>
    path.startsWith("/console") && !["ALL", "GET"].includes(method)
  );
  assert.deepEqual(
    new Set(routes.map(({ method, path }) => `${method} ${path}`)),
    new Set([
      ...["PUT /console/session", "POST /console/session", "DELETE /console/session"],
      ...["POST /console/demo/:email", "POST /console/demo-proof"],
    ]),
  );
  const answers: [string, Answer][] = [];
  for (const { method, path } of routes) {
    for (const headers of others) {
      const answer = await send(target, method, path.replace(":email", ADA), { headers });
      answers.push([`${method} ${path} ${JSON.stringify(headers)}`, answer]);
    }
  }
  return answers;
}

Deno.test("every route of the console that changes anything refuses other origins", async () => {
  await using target = await openQuickApp({ demoPeople: DEMO, corsOrigins: ["https://evil.test"] });
  for (const [name, answer] of await askAsOthers(target, FOREIGN)) assertError(answer, 403, DENIED, name);
});

Deno.test("on plain http, loopback names count as the console’s own origin, and other names do not", async () => {
  await using target = await openQuickApp({ demoPeople: DEMO, publicUrl: "http://localhost:8000" });
  const others = [
    { Origin: "http://evil.test:8000", Host: "evil.test:8000" },
    { Origin: "http://localhost.evil.test", Host: "localhost.evil.test" },
    { Origin: "http://127.0.0.1:9000", Host: "127.0.0.1:8000" },
    { Origin: "https://localhost:8000", Host: "localhost:8000" },
  ];
  for (const [name, answer] of await askAsOthers(target, others)) assertError(answer, 403, DENIED, name);
  for (const host of ["127.0.0.1:8000", "[::1]:8000", "localhost:8001"]) {
    const headers = { Origin: `http://${host}`, Host: host };
    assert.equal((await send(target, "POST", `/console/demo/${ADA}`, { headers })).status, 200, host);
  }
  assert.equal(
    (await send(target, "DELETE", "/console/session", { headers: { Origin: "http://localhost:8000" } }))
      .status,
    204,
  );
});

Deno.test("a client that opens the root of the service is redirected to the console, and told what is there", async () => {
  await using target = await openQuickApp();
  for (
    const accepted of [undefined, "*/*", "application/json", "text/html,application/xml;q=0.9,*/*;q=0.8"]
  ) {
    const headers = accepted === undefined ? {} : { Accept: accepted };
    for (const method of ["GET", "HEAD"]) {
      const answer = await send(target, method, "/", { headers });
      assert.equal(answer.status, 302, `${method} ${accepted}`);
      assert.equal(answer.headers.get("Location"), "/console");
      assert.equal(answer.headers.get("Cache-Control"), "no-store");
      assert.match(answer.headers.get("Content-Type") ?? "", /^text\/plain/);
      const lines = answer.text.split("\n").filter((line) => line.includes(TEST_URL));
      assert.deepEqual(
        lines.map((line) => line.slice(line.indexOf(TEST_URL))),
        method === "HEAD" ? [] : ["/console", "/docs", "/readyz"].map((path) => TEST_URL + path),
      );
    }
  }
});

Deno.test("any other request to the root of the service gets a 404", async () => {
  await using target = await openQuickApp();
  for (const method of ["POST", "PUT", "DELETE"]) {
    const answer = await send(target, method, "/", { headers: { Accept: "text/html" } });
    assertError(answer, 404, "Resource not found", method);
  }
});
