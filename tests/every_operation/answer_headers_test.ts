/** Responses name the id of the request and, of a superseded operation, its successor. */
import assert from "node:assert/strict";
import { assertError, MALFORMED, send, testApp, UNVERIFIED } from "../helpers/http.ts";
import { ask, catalogue, type CatalogueRequest, setScene } from "./request_catalogue.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

testApp(
  "a superseded operation names its successor in a success, and repeats no path in an error",
  async (target) => {
    const { userId, roleId } = await target.bootstrapRoot("admin@example.com", "Root");
    const token = await target.accessToken(userId);
    for (const list of ["manages", "member", "monitors"]) {
      const path = `/v1/role/${roleId}/${list}`;
      const answer = await send(target, "GET", path, { token });
      assert.equal(answer.headers.get("Link"), `<${path}/query>; rel="successor-version"`);
      const secret = `/v1/role/somebodys-secret/${list}`;
      const malformed = await send(target, "GET", secret, { token });
      assertError(malformed, 400, MALFORMED);
      const unverified = await send(target, "GET", secret, { token: `${token}x` });
      assertError(unverified, 401, UNVERIFIED);
      for (const error of [malformed, unverified]) assert.equal(error.headers.get("Link"), null);
    }
  },
);

const OWN_IDS = ["client-1", "!", "~".repeat(128), '{"a":"<b>"}'];
/** Texts that are not 1 to 128 visible ASCII characters. */
const NO_IDS = ["", "a b", "a\tb", "x".repeat(129), "caf\u00e9", "a\u007f", "one, two"];

testApp(
  "every operation uses a client's request id in its response and its log lines",
  async (target) => {
    const scene = await setScene(target);
    const askWith = async (request: CatalogueRequest, id: string) => {
      const linesBefore = target.logLines.length;
      const answer = await ask(scene, request, { headers: { "x-request-id": id } });
      const logged = new Set(target.logLines.slice(linesBefore).map((line) => JSON.parse(line).requestId));
      assert.equal(logged.size, 1);
      return { told: answer.headers.get("X-Request-Id"), logged: [...logged][0] };
    };
    for (const [i, request] of catalogue(scene).entries()) {
      const own = OWN_IDS[i % OWN_IDS.length] ?? "";
      assert.deepEqual(await askWith(request, own), { told: own, logged: own }, request.route);
      const other = NO_IDS[i % NO_IDS.length] ?? "";
      const { told, logged } = await askWith(request, other);
      assert.match(logged, UUID, request.route);
      // The standard that these operations follow wants any id back.
      assert.equal(told, request.path.startsWith("/access/") ? other : logged, request.route);
    }
  },
);
