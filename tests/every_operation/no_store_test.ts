import assert from "node:assert/strict";
import { send } from "../helpers/http.ts";
import { catalogue, methodOf, sentOf, setScene } from "./request_catalogue.ts";
import { createSpyHasher } from "../helpers/spy_hasher.ts";
import { openTestApp } from "../helpers/test_app.ts";

/** The same for everybody, and for some time. */
const PUBLIC: ReadonlySet<string> = new Set([
  "GET /openapi.json",
  "GET /docs",
  "GET /docs/:file",
  "GET /.well-known/jwks.json",
]);

Deno.test("no cache keeps what any operation answers, but for what is the same for everybody", async () => {
  const hasher = createSpyHasher();
  await using target = await openTestApp("file", { hasher, passwords: hasher });
  const routes = catalogue(await setScene(target)).map(({ route }) => route);
  for (const route of routes) {
    await target.reset();
    const scene = await setScene(target);
    const request = catalogue(scene).find((each) => each.route === route);
    assert.ok(request);
    const { status, headers } = await send(target, methodOf(request), request.path, sentOf(scene, request));
    assert.ok(status < 300, `${route} answered ${status}`);
    const kept = headers.get("Cache-Control") ?? "";
    if (PUBLIC.has(route)) assert.match(kept, /^public, max-age=[1-9]/, route);
    else assert.equal(kept, "no-store", route);
  }
});
