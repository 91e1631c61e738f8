import assert from "node:assert/strict";
import { FOR_PROXIES } from "./authzen_requests.ts";
import { GUARD_ORDER, listGuards, type OperationGuards, UNASKED_BYTES } from "../../src/http/guard_order.ts";
import type { ApiDocument, RawOperation } from "../contract/api_document.ts";
import { type Answer, readResponse, succeed, testApp } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { requestFor } from "./openapi_requests.ts";
import { withQuery } from "./request_catalogue.ts";
import { makeBadTokens, type TokenKind } from "./token_kinds.ts";

/** An operation refuses a request with several faults for the first of them in the order of the guards. */

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

/** Pages, which ignore parameters, and others of whose shape nothing can be wrong. */
const WITHOUT_SHAPE: ReadonlySet<string> = new Set([
  FOR_PROXIES,
  "GET /docs",
  "GET /reset-password",
  "GET /undo-email-transfer",
  "GET /confirm-factor",
]);

interface Scene {
  readonly target: TestApp;
  readonly document: Pick<ApiDocument, "paths">;
  readonly live: Readonly<Record<string, string>>;
  readonly dead: ReadonlyMap<TokenKind, { readonly token?: string | undefined }>;
}

/** The faults that a request for this operation can have. */
function faultsOf({ method, path, token, maxBytes }: OperationGuards): Guard[] {
  const hasBody = maxBytes !== undefined;
  const possible: Readonly<Record<Guard, boolean>> = {
    method: `${method} ${path}` !== FOR_PROXIES,
    host: true,
    token: token !== undefined,
    // Without a body, the operation's own statement asks.
    life: token !== undefined && hasBody,
    size: hasBody,
    shape: !WITHOUT_SHAPE.has(`${method} ${path}`),
  };
  return GUARD_ORDER.filter((guard) => possible[guard]);
}

/** The path in the spelling of the document. */
function documented({ path }: OperationGuards): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

/** Sends a request with these faults. Its body is long, and must not be read before its shape is checked. */
async function sendFaulty(
  { target, document, live, dead }: Scene,
  operation: OperationGuards,
  faults: readonly Guard[],
  deadKind?: TokenKind,
): Promise<{ answer: Answer; isBodyRead: boolean }> {
  const { method, token: takes, maxBytes } = operation;
  const request = requestFor(document, method, documented(operation));
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

async function setScene(target: TestApp): Promise<Scene> {
  // This moves the clock.
  const dead = await makeBadTokens(target);
  const { userId } = await target.createUser("guarded@example.com");
  const { accessToken: access, refreshToken: refresh } = await target.openSession(userId);
  const document = await succeed<ApiDocument>(target, "GET", "/openapi.json");
  return { target, document, live: { access, refresh }, dead };
}

function describedAs({ paths }: Scene["document"], operation: OperationGuards): RawOperation | undefined {
  return paths[documented(operation)]?.[operation.method.toLowerCase()];
}

/** The operations that the document describes. */
function listDescribed({ target, document }: Scene): OperationGuards[] {
  return listGuards(target.app).filter((operation) => describedAs(document, operation) !== undefined);
}

testApp(
  "each operation refuses a request with two faults for the one of the earlier guard",
  async (target) => {
    const scene = await setScene(target);
    const operations = listDescribed(scene);
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
            const what = `${operation.method} ${operation.path} with ${fault}`;
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
    const scene = await setScene(target);
    const piece = new TextEncoder().encode(" ".repeat(UNASKED_BYTES));
    for (const operation of listDescribed(scene)) {
      if (operation.token === undefined || operation.maxBytes === undefined) continue;
      const request = requestFor(scene.document, operation.method, documented(operation));
      for (const kind of DEAD[operation.token] ?? []) {
        let pulls = 0;
        const body = new ReadableStream({
          pull(controller): void {
            pulls++;
            controller.enqueue(piece);
          },
        }, { highWaterMark: 0 });
        const headers = {
          "Authorization": `Bearer ${scene.dead.get(kind)?.token}`,
          "Content-Type": "application/json",
        };
        const answer = await readResponse(
          await target.request(request.path, { method: operation.method, headers, body }),
        );
        assert.equal(answer.status, 401, `${operation.method} ${operation.path}: ${answer.text}`);
        assert.ok(pulls <= 3, `${operation.method} ${operation.path}: read ${pulls} pieces`);
      }
    }
  },
);

testApp("each operation with a body declares after which guards the body is read", async (target) => {
  const scene = await setScene(target);
  for (const operation of listDescribed(scene)) {
    const { method, path, token, maxBytes, bodyReadAfter } = operation;
    const context = `${method} ${path}`;
    const described = describedAs(scene.document, operation);
    assert.equal(maxBytes !== undefined, described?.requestBody !== undefined, context);
    assert.equal(token !== undefined, (described?.security ?? []).length > 0, context);
    const expected = token === undefined
      ? ["method", "host", "size"]
      : ["method", "host", "token", "life", "size"];
    assert.deepEqual(bodyReadAfter, maxBytes === undefined ? undefined : expected, context);
  }
});
