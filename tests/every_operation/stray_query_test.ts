/** Operations refuse unknown query parameters, and pages ignore them. */
import assert from "node:assert/strict";
import { FOR_PROXIES } from "./authzen_requests.ts";
import { operationsOf } from "../contract/api_document.ts";
import { MARKER } from "./bad_bodies.ts";
import { assertMalformed } from "./malformed.ts";
import { assertError, assertUnchanged, send, succeed, testApp } from "../helpers/http.ts";
import { ask, requestOf, setScene, withQuery } from "./request_catalogue.ts";

const STRAYS = [
  ...[`${MARKER}=1`, MARKER, "dryrun=true", "ids=1", "Id=1", "filter=1", "id[]=1", "id%5B%5D=1", "a%00b=1"],
  ...["__proto__=1", "constructor=1", "toString=1", "=1"],
];

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
        for (const stray of STRAYS) {
          const path = withQuery(request.path, stray);
          if (route !== FOR_PROXIES && !request.isPage) {
            await assertMalformed(scene, request, { path }, stray);
            continue;
          }
          const answer = await ask(scene, request, { path });
          assert.equal(answer.status, request.isPage ? 200 : 403, `${route} ${stray}`);
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
