/** Every operation refuses a body with a fault, changes nothing, and repeats nothing of it. */
import assert from "node:assert/strict";
import { IS_LONG } from "../helpers/read_count.ts";
import { gzipSync } from "node:zlib";
import { badBodies, MARKER, replaced } from "./bad_bodies.ts";
import { assertMalformed, assertSilent } from "./malformed.ts";
import { assertError, assertUnchanged, MALFORMED, send, type Sent, testApp } from "../helpers/http.ts";
import { ALL, ask, catalogue, type CatalogueRequest, type Scene, setScene } from "./request_catalogue.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const NOT_PLAIN_JSON = "The request body must be sent as application/json, without compression";
const MEBIBYTE = 1024 * 1024;
const DEEP = "[".repeat(90_000) + "]".repeat(90_000);

/** The requests of the catalogue that take a body of one schema. */
function requestsWithBody(scene: Scene): CatalogueRequest[] {
  return catalogue(scene).filter(({ body, ownBody }) => body !== undefined && !ownBody);
}

testApp("a body with one fault gets a 400 that changes nothing and repeats no input", async (target) => {
  const scene = await setScene(target);
  let count = 0;
  for (const request of requestsWithBody(scene)) {
    await assertUnchanged(target, request.route, async () => {
      // Without a token, a body may have 16 KiB.
      const shape = {
        allOptional: request.allOptional ?? false,
        depth: request.token === "none" ? 2000 : 20_000,
      };
      for (const { name, text } of badBodies(request.body, shape)) {
        // A short run tries a third of them, another third for each request.
        if (request.wellFormed?.includes(name) || (!IS_LONG && ++count % 3 > 0)) continue;
        await assertMalformed(scene, request, { body: undefined, rawBody: text, headers: JSON_TYPE }, name);
      }
    });
  }
});

testApp(
  "an ignored field may contain any JSON, also in a request with an idempotency key",
  async (target) => {
    const scene = await setScene(target);
    const rights = JSON.stringify(ALL);
    const sent = {
      token: scene.accessToken,
      rawBody: `{"manages":${rights},"role":{"name":"Deep","selfRights":${rights},"id":${DEEP}}}`,
      headers: { ...JSON_TYPE, "Idempotency-Key": "deep" },
    };
    const create = () => send(target, "POST", `/v1/role?parentRoleId=${scene.childId}`, sent);
    const first = await create();
    assert.equal(first.status, 200, first.text);
    assert.equal((await create()).text, first.text);
  },
);

testApp(
  "deeply nested properties are refused, also in a request with an idempotency key",
  async (target) => {
    const scene = await setScene(target);
    const answer = await send(target, "POST", `/v1/device?roleId=${scene.childId}`, {
      token: scene.accessToken,
      rawBody: `{"properties":{"nodeId":"deep","x":${DEEP}}}`,
      headers: { ...JSON_TYPE, "Idempotency-Key": "deep" },
    });
    assertError(answer, 400, MALFORMED);
  },
);

testApp(
  "a missing body gets a 400 where it is required, and counts as `{}` where it is optional",
  async (target) => {
    const scene = await setScene(target);
    for (const request of requestsWithBody(scene)) {
      if (request.bodyOptional) {
        const answer = await ask(scene, request, { body: undefined });
        assert.equal(answer.status, 200, `${request.route}: ${answer.text}`);
        const empty = await ask(scene, request, { body: undefined, rawBody: "", headers: JSON_TYPE });
        assert.equal(empty.text, answer.text, request.route);
        const braces = await ask(scene, request, { body: {} });
        assert.equal(braces.text, answer.text, request.route);
      } else {
        await assertUnchanged(target, request.route, async () => {
          await assertMalformed(scene, request, { body: undefined }, "no body");
          const empty = { body: undefined, rawBody: "", headers: JSON_TYPE };
          await assertMalformed(scene, request, empty, "an empty body");
        });
      }
    }
  },
);

testApp("a body not declared as JSON gets a 415", async (target) => {
  const scene = await setScene(target);
  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json-patch+json",
    "json",
    "",
  ];
  for (const request of requestsWithBody(scene)) {
    await assertUnchanged(target, request.route, async () => {
      for (const type of types) {
        const rawBody = new TextEncoder().encode(JSON.stringify(request.body));
        const headers = type === "" ? {} : { "Content-Type": type };
        const answer = await ask(scene, request, { body: undefined, rawBody, headers });
        assertError(answer, 415, NOT_PLAIN_JSON, `${request.route}: ${type}`);
      }
    });
  }
});

testApp("a compressed body gets a 415", async (target) => {
  const scene = await setScene(target);
  for (const request of catalogue(scene)) {
    // A write of telemetry may be compressed.
    if (request.body === undefined || /(\/v1\/telemetry|\/write)$/.test(request.route)) continue;
    const rawBody = gzipSync(JSON.stringify(request.body));
    await assertUnchanged(target, request.route, async () => {
      for (const encoding of ["gzip", "br", "identity, gzip"]) {
        const headers = { ...JSON_TYPE, "Content-Encoding": encoding };
        const answer = await ask(scene, request, { body: undefined, rawBody, headers });
        assertError(answer, 415, NOT_PLAIN_JSON, `${request.route}: ${encoding}`);
      }
    });
  }
});

testApp(
  "a body is read that names its charset or no encoding, and one of exactly a mebibyte",
  async (target) => {
    const { accessToken: token } = await setScene(target);
    const read: Sent[] = [
      { rawBody: "{}", headers: { "Content-Type": "application/json; charset=utf-8" } },
      { rawBody: "{}", headers: { "Content-Type": "APPLICATION/JSON;charset=UTF-8" } },
      { rawBody: "{}", headers: { ...JSON_TYPE, "Content-Encoding": "Identity" } },
      { rawBody: "{}".padEnd(MEBIBYTE), headers: JSON_TYPE },
    ];
    for (const sent of read) {
      const { status } = await send(target, "POST", "/v1/role/query", { token, ...sent });
      assert.equal(status, 200, JSON.stringify(sent.headers));
    }
  },
);

/** A body of this many bytes, streamed without an announced length. */
function streamed(bytes: number): ReadableStream<Uint8Array> {
  const piece = new TextEncoder().encode(MARKER.padEnd(1024, " "));
  let left = bytes;
  return new ReadableStream({
    pull(controller): void {
      controller.enqueue(piece.subarray(0, Math.min(left, piece.length)));
      left -= piece.length;
      if (left <= 0) controller.close();
    },
  });
}

testApp(
  "a body over a mebibyte, or 16 KiB without a token, gets a 413 with and without an announced length",
  async (target) => {
    const scene = await setScene(target);
    for (const request of requestsWithBody(scene)) {
      const size = (request.token === "none" ? 16 * 1024 : MEBIBYTE) + 1;
      const text = MARKER.padEnd(size, " ");
      const invented: Record<string, string> = request.token === "none"
        ? { Authorization: "Bearer invented" }
        : {};
      const ways: Record<string, Sent> = {
        announced: { rawBody: text, headers: { ...JSON_TYPE, "Content-Length": String(size), ...invented } },
        "not announced": { rawBody: streamed(size), headers: { ...JSON_TYPE, ...invented } },
      };
      await assertUnchanged(target, request.route, async () => {
        for (const [name, change] of Object.entries(ways)) {
          const answer = await ask(scene, request, { body: undefined, ...change });
          assertError(answer, 413, "The request body is too large", `${request.route}: ${name}`);
          assertSilent(scene, answer, 0, request.route);
        }
      });
    }
  },
);

/** Paths of texts in the bodies of the catalogue, and texts that are invalid there, though not for their length. */
const BAD_TEXTS: Readonly<Record<string, readonly { path: string[]; values: readonly string[] }[]>> = {
  "POST /v1/role": [{ path: ["role", "name"], values: badNames() }],
  "PUT /v1/role/:roleId": [{ path: ["name"], values: badNames() }],
  "PUT /user/password/link": [{ path: ["token"], values: [""] }],
  "POST /v1/change/query": [
    { path: ["filter", "kind"], values: [""] },
    { path: ["filter", "decision"], values: [""] },
    { path: ["filter", "from"], values: ["", MARKER, "2026-01-01", "2026-01-01T00:00:00", "1"] },
    { path: ["filter", "to"], values: ["", MARKER, "2026-13-01T00:00:00Z"] },
  ],
  "POST /v1/role/:roleId/access/query": [
    { path: ["during", "from"], values: ["", MARKER, "2025-01-01", "2025-01-01T00:00:00", "1"] },
    { path: ["during", "to"], values: ["", MARKER, "2026-13-01T00:00:00Z"] },
  ],
  "POST /v1/rights/check": [
    { path: ["checks", "0", "right"], values: [MARKER, "", "rolemanagement", "__proto__", "toString"] },
  ],
  "POST /v1/rights/explain": [
    { path: ["right"], values: [MARKER, "", "rolemanagement", "__proto__", "toString"] },
    { path: ["asOf"], values: ["", MARKER, "2026-01-01", "2026-01-01T00:00:00", "1"] },
  ],
};

function badNames(): string[] {
  const controls = ["\u0000", "\u0001", "\t", "\n", "\u001f", "\u007f", "\u0085", "\u009f"];
  return [
    "",
    "   ",
    "\u00a0\u2003\ufeff",
    ...controls.map((control) => `${MARKER}${control}b`),
    `${MARKER}\ud83d`,
    `\ude00${MARKER}`,
  ];
}

testApp("an invalid text gets a 400 that changes nothing and repeats no input", async (target) => {
  const scene = await setScene(target);
  for (const request of requestsWithBody(scene)) {
    await assertUnchanged(target, request.route, async () => {
      for (const { path, values } of BAD_TEXTS[request.route] ?? []) {
        for (const value of values) {
          const name = `${path.join(".")} = ${JSON.stringify(value).slice(0, 40)}`;
          await assertMalformed(scene, request, { body: replaced(request.body, path, value) }, name);
        }
      }
    });
  }
});

testApp(
  "a role's name has up to 256 characters, with an emoji counted as one, and is trimmed",
  async (target) => {
    const { accessToken: token, grandchildId } = await setScene(target);
    for (const name of ["😀".repeat(256), "x", `  ${"é".repeat(256)}\n`, "a b", "‮rtl", "𝒜𝓁𝒾𝒸𝑒"]) {
      const body = { name, selfRights: ALL };
      const answer = await send(target, "PUT", `/v1/role/${grandchildId}`, { token, body });
      assert.equal((answer.body as { role: { name: string } }).role.name, name.trim());
    }
  },
);

testApp("fields of responses may be sent back, and are ignored", async (target) => {
  const { accessToken: token, childId, grandchildId, lowerId } = await setScene(target);
  const manages = { ...ALL, id: 999_999, parentRoleId: 888_888, childRoleId: MARKER };
  const role = { name: "New", selfRights: ALL, id: 777_777, userRights: ALL };
  const requests: [method: string, path: string, body: unknown][] = [
    ["POST", `role?parentRoleId=${childId}`, { manages, role }],
    ["PUT", `role/${grandchildId}`, role],
    ["PUT", `role/${childId}/manages?childRoleId=${grandchildId}`, manages],
    ["PUT", `role/${childId}/manages/${lowerId}`, manages],
  ];
  for (const [method, path, body] of requests) {
    const answer = await send(target, method, `/v1/${path}`, { token, body });
    assert.equal(answer.status, 200, answer.text);
    for (const ignored of ["999999", "888888", "777777", MARKER]) assert.ok(!answer.text.includes(ignored));
  }
});

testApp("details name the malformed field", async (target) => {
  const { accessToken: token } = await setScene(target);
  const body = { filter: { id: [1, "x"] } };
  const headers = { "X-Error-Details": "true" };
  const answer = await send(target, "POST", "/v1/role/query", { token, body, headers });
  const { details } = answer.body as { details: { path: string }[] };
  assert.deepEqual(details.map(({ path }) => path), ["body.filter.id.1"]);
  const off = { token, body, headers: { "X-Error-Details": "false" } };
  assertError(await send(target, "POST", "/v1/role/query", off), 400, MALFORMED);
});

testApp("details say in plain words what is expected", async (target) => {
  const headers = { "X-Error-Details": "true" };
  const long = "a".repeat(257);
  const cases: readonly (readonly [body: unknown, path: string, expected: string])[] = [
    [5, "body", "Expected an object"],
    [{ email: "a@b.example" }, "body.otp", "Required field is missing"],
    [{ email: "a@b.example", otp: 5 }, "body.otp", "Expected a string"],
    [{ email: "a@b.example", otp: "12345" }, "body.otp", "Expected exactly 6 characters"],
    [{ email: long, otp: "123456" }, "body.email", "Expected at most 256 characters"],
    [{ email: "no address", otp: "123456" }, "body.email", "Expected an email address"],
    [{ email: "a@b.example", otp: "123456", more: 1 }, "body", "Unknown field"],
  ];
  for (const [body, path, message] of cases) {
    const answer = await send(target, "POST", "/user/password/reset/validate", { body, headers });
    const { details } = answer.body as { details: unknown };
    assert.deepEqual(details, [{ path, message }]);
  }
});
