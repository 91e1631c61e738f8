/**
 * Long responses are read while they are sent, when the runtime asks for more: in the context that runs at that
 * time. Each part must still be read for the user of its own request.
 */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { currentChain, currentRequest } from "../../src/core/request_scope.ts";
import type { Database } from "../../src/db/database.ts";
import { bindBatch } from "../../src/db/statement.ts";
import { operationsOf } from "../contract/api_document.ts";
import { asStranger } from "../helpers/callers.ts";
import { forEachApp } from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";

const COUNT = 3000;
/** The role that all rows are about, its parents and its children. */
const ROLE_ID = 900_000;
const NUMBERED =
  `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)`;
const ADD_ROWS = [
  `INSERT INTO role (id, name, self_rights)
   SELECT 100000 * side.value + n, 'role ' || n, 63 FROM numbered CROSS JOIN json_each('[1, 2]') side`,
  `INSERT INTO manages (id, parent_id, child_id, rights) SELECT 100000 + n, 100000 + n, :roleId, 63 FROM numbered`,
  `INSERT INTO manages (id, parent_id, child_id, rights) SELECT 200000 + n, :roleId, 200000 + n, 63 FROM numbered`,
  `INSERT INTO role_closure (ancestor_id, descendant_id, rights) SELECT 100000 + n, :roleId, 63 FROM numbered`,
  `INSERT INTO role_closure (ancestor_id, descendant_id, rights) SELECT :roleId, 200000 + n, 63 FROM numbered`,
  `INSERT INTO user_account (id, email, created_at)
   SELECT 100000 + n, 'person' || n || '@example.com', 0 FROM numbered`,
  `INSERT INTO member (id, role_id, user_id) SELECT 100000 + n, :roleId, 100000 + n FROM numbered`,
  `INSERT INTO role_key (id, role_id, name, prefix, secret_mac, created_at)
   SELECT 200000 + n, :roleId, 'key ' || n, '', 'mac ' || n, 0 FROM numbered`,
  `INSERT INTO member (id, role_id, user_id) SELECT 200000 + n, :roleId, -200000 - n FROM numbered`,
  `INSERT INTO device (id, node_id, properties, updated_at)
   SELECT n, 'node ' || n, jsonb_object('nodeId', 'node ' || n), 0 FROM numbered`,
  `INSERT INTO monitors (id, role_id, device_id) SELECT n, :roleId, n FROM numbered`,
  `INSERT INTO security_event (op_id, at, event, result, user_id)
   SELECT 'event ' || n, n, 'login', n, :userId FROM numbered`,
].map((sql) => defineStatement(`${NUMBERED} ${sql}`));
const ADD_ROLE = defineStatement(`INSERT INTO role (id, name, self_rights) VALUES (:roleId, 'role', 63)`);
const JOIN = defineStatement(`INSERT INTO member (id, role_id, user_id) VALUES (:roleId, :roleId, :userId)`);

interface Asked {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const CSV = { Accept: "text/csv" };

/** Every operation that reads while it sends. */
function listStreams(email: string): Readonly<Record<string, Asked>> {
  const ofRole = (rest: string): string => `/v1/role/${ROLE_ID}/${rest}`;
  return {
    collectRoles: { path: "/v1/role" },
    queryRoles: { path: "/v1/role/query", body: {} },
    "a page of queryRoles": { path: "/v1/role/query", body: { limit: 1000 } },
    collectManages: { path: ofRole("manages") },
    queryManages: { path: ofRole("manages/query"), body: {} },
    queryManagedBy: { path: ofRole("managed-by/query"), body: {} },
    collectMembers: { path: ofRole("member") },
    queryMembers: { path: ofRole("member/query"), body: {} },
    queryKeys: { path: ofRole("key/query"), body: {} },
    collectDevices: { path: "/v1/device" },
    queryDevices: { path: "/v1/device/query", body: {} },
    collectMonitors: { path: ofRole("monitors") },
    queryMonitors: { path: ofRole("monitors/query"), body: {} },
    queryAccessToRole: { path: ofRole("access/query"), body: {} },
    "the file of queryAccessToRole": { path: ofRole("access/query"), body: {}, headers: CSV },
    queryAccess: { path: "/v1/access/query", body: { userEmail: email } },
    exportAccount: { path: "/user/export" },
  };
}

/** Operations with pages that a client always asks for one by one, of a hundred rows by default. */
const ONE_PAGE = ["listSecurityEvents", "listSessions", "listOwnKeys", "queryNeighbourhood"];

Deno.test("these tests cover every operation with pages", async () => {
  const document = JSON.parse(await Deno.readTextFile(new URL("../../openapi.json", import.meta.url)));
  const streams = listStreams("");
  const paged = operationsOf(document)
    .filter(({ parameters = [] }) => parameters.some(({ name }) => name === "cursor"))
    .map(({ operationId }) => operationId);
  assert.ok(paged.length > ONE_PAGE.length);
  assert.deepEqual(paged.filter((name) => !(name in streams) && !ONE_PAGE.includes(name)), []);
});

/** The end of the chain of each read, and what its request learned. */
interface Noted {
  readonly caller: string | undefined;
  readonly scope: ReturnType<typeof currentRequest>;
}

/** The app, and the contexts of its reads; `onRead` is called with each. */
function watchReads(target: TestApp, onRead: () => void = () => {}) {
  const noted: Noted[] = [];
  const { database: { read, readAll } } = target;
  const note = (): void => {
    noted.push({ caller: currentChain()().at(-1), scope: currentRequest() });
    onRead();
  };
  const database: Database = {
    ...target.database,
    read: (statement) => (note(), read(statement)),
    readAll: (statements) => (note(), readAll(statements)),
  };
  return { app: createApp({ ...target.deps, database }), noted };
}

const EMAIL = "ada@example.com";

/** Adds all rows. Returns the member of the role who sees them. */
async function addRows(target: TestApp): Promise<{ userId: number; token: string }> {
  const { userId } = await target.createUser(EMAIL);
  await target.database.write(bindBatch([ADD_ROLE, JOIN], { roleId: ROLE_ID, userId }));
  for (const statement of ADD_ROWS) {
    const known = { count: COUNT, roleId: ROLE_ID, userId };
    const args = Object.fromEntries(Object.entries(known).filter(([name]) => statement.parameters.has(name)));
    await target.database.write(bindBatch([statement], args));
  }
  return { userId, token: await target.accessToken(userId) };
}

/** A request on behalf of the token's user. */
function requestOf(token: string, { body, headers }: Asked): RequestInit {
  return {
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  };
}

const ENV = { remoteAddr: { hostname: "192.0.2.1" } };

forEachApp("every part of a long response is read for the user of its own request", async (target) => {
  const { userId, token } = await addRows(target);
  const { app, noted } = watchReads(target);
  // From then on, the chain of the caller is known.
  await (await app.request("/v1/role/query", requestOf(token, { path: "", body: {} }), ENV)).text();
  for (const [name, asked] of Object.entries(listStreams(EMAIL))) {
    noted.length = 0;
    const response = await app.request(asked.path, requestOf(token, asked), ENV);
    assert.equal(response.status, 200, name);
    const first = noted.length;
    const { text, other } = await asStranger("another", async () => {
      return { text: await response.text(), other: currentRequest() };
    });
    assert.ok(noted.length > first, `${name} has no later part of ${text.length} characters`);
    for (const { caller, scope } of noted) {
      assert.equal(caller, `principal ${userId}`, name);
      assert.equal(scope, noted[0]?.scope, name);
    }
    assert.equal(other?.revision, undefined, name);
  }
});

forEachApp("reading a list stops once its client has disconnected", async (target) => {
  const { token } = await addRows(target);
  let client = new AbortController();
  const { app, noted } = watchReads(target, () => client.abort());
  await (await app.request("/v1/role/query", requestOf(token, { path: "", body: {} }), ENV)).text();
  // An export is made of few statements, and read by its account's exports alone.
  const { exportAccount: _, ...lists } = listStreams(EMAIL);
  for (const [name, asked] of Object.entries(lists)) {
    client = new AbortController();
    noted.length = 0;
    const init = { ...requestOf(token, asked), signal: client.signal };
    const response = await app.request(asked.path, init, ENV);
    await response.text().catch(() => "");
    assert.equal(noted.length, 1, name);
  }
});
