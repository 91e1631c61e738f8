/** The documentation page and its files: addresses, caching, compression and ETags. */
import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { DOCS_PAGE_CSP } from "../../src/http/openapi/docs_page.ts";
import { createRouter } from "../../src/http/env.ts";
import { createSender } from "../../src/http/sender.ts";
import { createDocsRoutes } from "../../src/http/openapi/docs_routes.ts";
import { send, testApp } from "../helpers/http.ts";
import { openQuickApp } from "../helpers/test_app.ts";

Deno.test("the page names the API, and all its addresses are relative and answered by the service", async () => {
  await using target = await openQuickApp();
  const { status, headers, text } = await send(target, "GET", "/docs");
  assert.equal(status, 200);
  assert.match(text, /<title>Rolegrid API<\/title>/);
  assert.equal(headers.get("Content-Security-Policy"), DOCS_PAGE_CSP);
  assert.doesNotMatch(DOCS_PAGE_CSP, /unsafe|https?:|\*/);
  const addresses = Array.from(text.matchAll(/(?:src|href)="([^"]*)"/g), ([, address]) => address ?? "");
  assert.ok(addresses.length >= 5, text);
  for (const address of addresses.filter((one) => one !== "data:,")) {
    assert.doesNotMatch(address, /^\/|^[a-z]+:/, address);
    assert.equal((await send(target, "GET", `/${address}`)).status, 200, address);
  }
});

Deno.test("a file of the page is cached for a year under its versioned address, and for 5 minutes otherwise", async () => {
  await using target = await openQuickApp();
  const { text } = await send(target, "GET", "/docs");
  const [, address = ""] = /src="(docs\/swagger-ui-bundle[^"]+)"/.exec(text) ?? [];
  const named = await send(target, "GET", `/${address}`);
  assert.equal(named.headers.get("Cache-Control"), "public, max-age=31536000, immutable");
  assert.match(named.headers.get("Content-Type") ?? "", /^text\/javascript/);
  assert.equal(named.headers.get("X-Content-Type-Options"), "nosniff");
  for (const other of ["/docs/swagger-ui-bundle.js", "/docs/swagger-ui-bundle.js?v=other"]) {
    const answer = await send(target, "GET", other);
    assert.equal(answer.headers.get("Cache-Control"), "public, max-age=300", other);
    assert.equal(answer.text, named.text);
  }
});

testApp(
  "a client gets a file in the smallest coding that it accepts, with the same content",
  async (target) => {
    const path = "/docs/swagger-ui.css";
    const ask = (accepted: string) => target.request(path, { headers: { "Accept-Encoding": accepted } });
    const plain = await (await ask("identity")).bytes();
    const unpack = { "gzip": gunzipSync, "gzip, deflate, br, zstd": brotliDecompressSync };
    for (const [accepted, unpacked] of Object.entries(unpack)) {
      const answer = await ask(accepted);
      assert.equal(answer.headers.get("Vary"), "Accept-Encoding");
      const packed = await answer.bytes();
      assert.ok(packed.length < plain.length / 4);
      assert.deepEqual(new Uint8Array(unpacked(packed)), plain, accepted);
    }
  },
);

testApp("a client that refuses a coding does not get it", async (target) => {
  const cases: [string, string | null][] = [
    ["gzip;q=0, identity", null],
    ["br;q=0, GZIP; q=0.000", null],
    ["x-gzip-like", null],
    ["gzip;q=0.5", "gzip"],
    ["br;q=0, Gzip", "gzip"],
    ["GZIP;q=0, Br", "br"],
  ];
  for (const [accepted, expected] of cases) {
    const answer = await target.request("/docs/page.css", { headers: { "Accept-Encoding": accepted } });
    assert.equal(answer.headers.get("Content-Encoding"), expected, accepted);
    await answer.body?.cancel();
  }
});

Deno.test("a document whose creation failed is created at the next request", async () => {
  let asked = 0;
  const sender = createSender();
  const routes = createRouter().use((c, next) => {
    c.set("sender", sender);
    return next();
  }).route(
    "/",
    createDocsRoutes({
      title: "Rolegrid",
      describe: () =>
        ++asked === 1 ? Promise.reject(new Error("not yet")) : Promise.resolve({ openapi: "3.1.0" }),
    }),
  );
  routes.onError((_, c) => c.body(null, 500));
  assert.equal((await routes.request("/openapi.json")).status, 500);
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(await (await routes.request("/openapi.json")).json(), { openapi: "3.1.0" });
  }
  assert.equal(asked, 2);
});

testApp("only the files of the page are served under its address", async (target) => {
  const files = ["index.html", "swagger-ui-bundle.js.map", "package.json"];
  for (const name of [...files, "constructor", "..%2fdeno.json"]) {
    assert.equal((await send(target, "GET", `/docs/${name}`)).status, 404, name);
  }
  const moved = await target.request("/docs/", { redirect: "manual" });
  assert.deepEqual([moved.status, moved.headers.get("Location")], [301, "../docs"]);
});

Deno.test("a client with the current version of a resource gets a 304, and one with another version gets it whole", async () => {
  await using target = await openQuickApp();
  const paths = ["/openapi.json", "/.well-known/jwks.json", "/docs", "/docs/swagger-ui.css", "/docs/page.js"];
  for (const path of paths) {
    const first = await send(target, "GET", path);
    const etag = first.headers.get("ETag") ?? "";
    assert.match(etag, /^W\/"[A-Za-z0-9_-]{22}"$/, path);
    assert.match(first.headers.get("Cache-Control") ?? "", /^public, max-age=[1-9]/, path);
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const again = await send(target, "GET", path, { headers: { "If-None-Match": tag } });
      assert.deepEqual([again.status, again.text], [304, ""], `${path} ${tag}`);
      assert.equal(again.headers.get("ETag"), etag, path);
      assert.equal(again.headers.get("Cache-Control"), first.headers.get("Cache-Control"), path);
      assert.ok(again.headers.has("X-Request-Id"), path);
    }
    for (const tag of ['W/"another"', "", etag.slice(0, -2) + '"']) {
      const again = await send(target, "GET", path, { headers: { "If-None-Match": tag } });
      assert.deepEqual([again.status, again.text], [200, first.text], `${path} ${tag}`);
    }
  }
});

Deno.test("the published keys are cached for a minute, and their ETag changes with them", async () => {
  await using before = await openQuickApp();
  const [key] = before.deps.tokenKeys.publicJwks;
  assert.ok(key);
  const rotated = { ...before.deps.tokenKeys, publicJwks: [{ ...key, kid: "a newer key" }, key] };
  await using after = await openQuickApp({ tokenKeys: rotated });
  const path = "/.well-known/jwks.json";
  const { headers } = await send(before, "GET", path);
  assert.equal(headers.get("Cache-Control"), "public, max-age=60");
  const later = await send(after, "GET", path, { headers: { "If-None-Match": headers.get("ETag") ?? "" } });
  assert.equal(later.status, 200);
  assert.match(later.text, /a newer key/);
});
