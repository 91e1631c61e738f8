/** An operation refuses a request with several faults for the first in the order of the guards. */
import assert from "node:assert/strict";
import { FOR_PROXIES } from "./authzen_requests.ts";
import { GUARD_ORDER, listGuards, type OperationGuards, UNASKED_BYTES } from "../../src/http/guard_order.ts";
import { type ApiDocument, type Described, operationsOf } from "../contract/api_document.ts";
import { type Answer, readResponse, succeed, testApp } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { catalogue, type CatalogueRequest, setScene, withQuery } from "./request_catalogue.ts";
import { makeBadTokens, type TokenKind } from "./token_kinds.ts";

type Guard = typeof GUARD_ORDER[number];

/** The signs that tell the refusal of each guard from the others. */
const SIGNS: Readonly<Record<Guard, string>> = {
  method: "405",
  host: "400",
  token: "401 Bearer",
  life: '401 Bearer error="invalid_token"',
  size: "413",
  shape: "400 with details",
};

/** The tokens of callers whose session or key has ended, by what a guard takes. */
const DEAD: Readonly<Record<string, readonly TokenKind[]>> = {
  "access": ["ended session's access"],
  "access or key": ["ended session's access", "deleted key", "expired key"],
  "sudo or access": ["ended session's access", "ended session's sudo"],
  "access or partial": ["ended session's access", "ended partial"],
};

/** An operation, with a request that it would fulfil. */
interface Operation extends OperationGuards {
  readonly described: Described;
  readonly request: CatalogueRequest;
}

interface Scene {
  readonly target: TestApp;
  /** The operations that the document describes. */
  readonly operations: readonly Operation[];
  readonly live: Readonly<Record<string, string>>;
  readonly dead: ReadonlyMap<TokenKind, { readonly token?: string | undefined }>;
}

/** The faults that a request for this operation can have. */
function faultsOf({ request, token, maxBytes }: Operation): Guard[] {
  const hasBody = maxBytes !== undefined;
  const isForProxies = request.route === FOR_PROXIES;
  const possible: Readonly<Record<Guard, boolean>> = {
    method: !isForProxies,
    host: true,
    token: token !== undefined,
    // Without a body, the operation's own statement asks.
    life: token !== undefined && hasBody,
    size: hasBody,
    shape: !isForProxies && request.isPage !== true,
  };
  return GUARD_ORDER.filter((guard) => possible[guard]);
}

/** Sends a request with these faults. Its body is long, and must not be read before its shape is checked. */
async function sendFaulty(
  { target, live, dead }: Scene,
  { method, token: takes, maxBytes, request }: Operation,
  faults: readonly Guard[],
  deadKind?: TokenKind,
): Promise<{ answer: Answer; isBodyRead: boolean }> {
  const has = (guard: Guard): boolean => faults.includes(guard);
  const token = has("life")
    ? dead.get(deadKind as TokenKind)?.token
    : live[takes === "refresh" ? "refresh" : "access"];
  const headers = new Headers({ "X-Error-Details": "true" });
  if (takes !== undefined && !has("token")) headers.set("Authorization", `Bearer ${token}`);
  if (has("host")) headers.set("Host", "a b");
  let isBodyRead = false;
  const init: RequestInit = { method: has("method") ? "PATCH" : method, headers };
  if (maxBytes !== undefined) {
    const text = (JSON.stringify(request.body) ?? "").padEnd(UNASKED_BYTES + 1);
    const bytes = new TextEncoder().encode(text);
    headers.set("Content-Type", "application/json");
    headers.set("Content-Length", String(has("size") ? maxBytes + 1 : bytes.length));
    init.body = new ReadableStream({
      pull(controller): void {
        isBodyRead = true;
        controller.enqueue(bytes);
        controller.close();
      },
    }, { highWaterMark: 0 });
  }
  const sentPath = has("shape") ? withQuery(request.path, "stray=1") : request.path;
  return { answer: await readResponse(await target.request(sentPath, init)), isBodyRead };
}

function signOf({ status, headers, body }: Answer): string {
  const hasDetails = typeof body === "object" && body !== null && "details" in body;
  return [status, headers.get("WWW-Authenticate"), hasDetails ? "with details" : null]
    .filter((part) => part !== null).join(" ");
}

async function openScene(target: TestApp): Promise<Scene> {
  // This moves the clock.
  const dead = await makeBadTokens(target);
  const scene = await setScene(target);
  const requests = new Map(catalogue(scene).map((request) => [request.route, request]));
  const document = operationsOf(await succeed<ApiDocument>(target, "GET", "/openapi.json"));
  const operations = listGuards(target.app).flatMap((guards): Operation[] => {
    const route = `${guards.method} ${guards.path}`;
    const described = document.find((operation) => operation.route === route);
    const request = requests.get(route);
    return described === undefined || request === undefined ? [] : [{ ...guards, described, request }];
  });
  assert.equal(operations.length, document.length);
  return { target, operations, live: { access: scene.accessToken, refresh: scene.refreshToken }, dead };
}

testApp(
  "each operation refuses a request with two faults for the one of the earlier guard",
  async (target) => {
    const scene = await openScene(target);
    const { operations } = scene;
    const wrong: string[] = [];
    let pairs = 0;
    for (const operation of operations) {
      const possible = faultsOf(operation);
      for (const [i, first] of possible.entries()) {
        for (const second of possible.slice(i)) {
          const faults = [first, second];
          const kinds = faults.includes("life") ? DEAD[operation.token ?? ""] ?? [] : [undefined];
          assert.ok(kinds.length > 0, `${operation.token} has no dead tokens`);
          for (const kind of kinds) {
            pairs++;
            const { answer, isBodyRead } = await sendFaulty(scene, operation, faults, kind);
            const sign = signOf(answer);
            const fault = `${faults.join(" and ")} (${kind ?? "live"})`;
            const what = `${operation.request.route} with ${fault}`;
            if (sign !== SIGNS[first]) wrong.push(`${what}: ${sign}, not ${SIGNS[first]}`);
            if (isBodyRead) wrong.push(`${what}: the body was read`);
          }
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(operations.length > 70 && pairs > 700, `${pairs} pairs of ${operations.length} operations`);
  },
);

testApp(
  "a long body without an announced length is not read to its end for an ended session or key",
  async (target) => {
    const { operations, dead } = await openScene(target);
    const piece = new TextEncoder().encode(" ".repeat(UNASKED_BYTES));
    for (const { method, token, maxBytes, request } of operations) {
      if (token === undefined || maxBytes === undefined) continue;
      for (const kind of DEAD[token] ?? []) {
        let pulls = 0;
        const body = new ReadableStream({
          pull(controller): void {
            pulls++;
            controller.enqueue(piece);
          },
        }, { highWaterMark: 0 });
        const headers = {
          "Authorization": `Bearer ${dead.get(kind)?.token}`,
          "Content-Type": "application/json",
        };
        const answer = await readResponse(await target.request(request.path, { method, headers, body }));
        assert.equal(answer.status, 401, `${request.route}: ${answer.text}`);
        assert.ok(pulls <= 3, `${request.route}: read ${pulls} pieces`);
      }
    }
  },
);

testApp("each operation with a body declares after which guards the body is read", async (target) => {
  const { operations } = await openScene(target);
  for (const { token, maxBytes, bodyReadAfter, described, request: { route } } of operations) {
    assert.equal(maxBytes !== undefined, described.requestBody !== undefined, route);
    assert.equal(token !== undefined, described.security.length > 0, route);
    const expected = token === undefined
      ? ["method", "host", "size"]
      : ["method", "host", "token", "life", "size"];
    assert.deepEqual(bodyReadAfter, maxBytes === undefined ? undefined : expected, route);
  }
});
