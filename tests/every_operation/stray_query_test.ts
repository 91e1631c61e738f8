import assert from "node:assert/strict";
import { FOR_PROXIES } from "./authzen_requests.ts";
import { operationsOf } from "../contract/api_document.ts";
import { MARKER } from "./bad_bodies.ts";
import { assertError, assertUnchanged, MALFORMED, send, succeed, testApp } from "../helpers/http.ts";
import { ask, requestOf, setScene, withQuery } from "./request_catalogue.ts";

/** Pages that people open: mail programs append parameters to links. */
const PAGES: ReadonlySet<string> = new Set([
  "GET /reset-password",
  "GET /undo-email-transfer",
  "GET /confirm-factor",
  "GET /docs",
]);

testApp(
  "unknown query parameters change nothing: operations refuse them, and pages ignore them",
  async (target) => {
    const scene = await setScene(target);
    const document = await succeed<Parameters<typeof operationsOf>[0]>(target, "GET", "/openapi.json");
    const routes = operationsOf(document).map(({ route }) => route);
    assert.ok(routes.length > 50);
    for (const route of routes) {
      const request = requestOf(scene, route);
      await assertUnchanged(target, route, async () => {
        for (const stray of [`${MARKER}=1`, MARKER, "dryrun=true", "__proto__=1", "constructor=1", "=1"]) {
          const answer = await ask(scene, request, { path: withQuery(request.path, stray) });
          if (route === FOR_PROXIES) assert.equal(answer.status, 403, stray);
          else if (PAGES.has(route)) assert.equal(answer.status, 200, route);
          else assertError(answer, 400, MALFORMED, `${route} ${stray}`);
          assert.ok(!answer.text.includes(MARKER), route);
        }
      });
    }
  },
);

testApp("an empty query counts as none, and an unknown path with a query gets a 404", async (target) => {
  for (const path of ["/healthz?", "/healthz?&"]) {
    assert.equal((await send(target, "GET", path)).status, 200, path);
  }
  for (const path of ["/nowhere?a=1", "/nowhere/?a=1"]) {
    assertError(await send(target, "GET", path), 404, "Resource not found", path);
  }
});
