import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { consistencyScope } from "../../src/db/consistency.ts";
import type { Database } from "../../src/db/database.ts";
import { filePath } from "../../src/db/file_database.ts";
import { NativeConnection } from "../../src/db/native_connection.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { createReadAges } from "../../src/identity/read_ages.ts";
import { createLibsqlStore } from "../../src/telemetry/libsql/libsql_store.ts";
import { type Answer, assertError, UNVERIFIED } from "../helpers/http.ts";
import { bootstrap, Person, type Role } from "../helpers/person.ts";
import { SUDO_HEADER, sudoTokenFor } from "../helpers/sudo.ts";
import { openQuickApp, type TestApp } from "../helpers/test_app.ts";

/** An app whose database has a copy, which requests read if they allow its age. */
class AgedApp implements AsyncDisposable {
  /** Age of the copy in milliseconds. */
  ageMs = 1000;
  /** The age that each read allowed, in milliseconds; undefined outside of a request under /v1. */
  allowed: (number | undefined)[] = [];
  #copy: Database | undefined;
  readonly #original: TestApp;
  readonly target: TestApp;

  constructor(original: TestApp, maxAgeSeconds: number) {
    this.#original = original;
    const database: Database = {
      ...original.database,
      read: (statement) => this.#choose().read(statement),
      readAll: (statements: readonly BoundStatement[]) => this.#choose().readAll(statements),
    };
    const readAges = createReadAges(maxAgeSeconds, { now: () => 1e6 + this.ageMs });
    const telemetryStore = createLibsqlStore({ database, clock: original.deps.clock });
    const app = createApp({ ...original.deps, database, readAges, telemetryStore });
    this.target = {
      ...original,
      app,
      request: async (path, { from = "192.0.2.1", ...init } = {}) =>
        await app.request(path, init, { remoteAddr: { hostname: from } }),
    };
  }

  async takeCopy(): Promise<void> {
    const path = filePath(this.#original.url);
    const connection = new NativeConnection(path, 0, []);
    const copy = `${path}.${crypto.randomUUID()}`;
    connection.exec(`VACUUM INTO '${copy}'`);
    connection.reset();
    await this.#copy?.close();
    this.#copy = await openDatabase(`file:${copy}`);
    this.allowed = [];
  }

  #choose(): Database {
    const scope = consistencyScope.getStore();
    this.allowed.push(scope?.maxAgeMs);
    if (this.#copy === undefined || scope === undefined || scope.maxAgeMs === 0) {
      return this.#original.database;
    }
    if (scope.maxAgeMs < this.ageMs) return this.#original.database;
    scope.ageMs = Math.max(scope.ageMs ?? 0, this.ageMs);
    return this.#copy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#copy?.close();
    await this.#original[Symbol.asyncDispose]();
  }
}

interface AgedScene {
  readonly aged: AgedApp;
  readonly admin: Person;
  readonly rootId: number;
  /** The revision of the copy. */
  readonly revision: number;
}

/** Registers a test with an app whose copy has a root role alone. */
function testAged(name: string, body: (scene: AgedScene) => Promise<void>, maxAgeSeconds = 10): void {
  Deno.test(name, async () => {
    await using aged = new AgedApp(await openQuickApp(), maxAgeSeconds);
    const { admin, rootId } = await bootstrap(aged.target);
    const revision = Number((await list(admin, {})).headers.get("X-Rolegrid-Revision"));
    await aged.takeCopy();
    await body({ aged, admin, rootId, revision });
  });
}

function list(person: Person, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return person.ask("POST", "/v1/role/query", {}, { headers });
}

/** Number of roles, revision and age of a listing that allows data of some age. */
async function readAged(
  person: Person,
  cacheControl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<[roles: number, revision: number, age: string | null]> {
  const { status, text, body, headers } = await list(person, { "Cache-Control": cacheControl, ...more });
  assert.equal(status, 200, text);
  assert.equal(headers.get("Cache-Control"), "no-store");
  const { role } = body as { role: Role[] };
  return [role.length, Number(headers.get("X-Rolegrid-Revision")), headers.get("Age")];
}

/** A person of another session, so that the writes of the first do not matter. */
async function another({ aged: { target } }: AgedScene): Promise<Person> {
  const [row] = await target.database.read<{ id: number }>({ sql: "SELECT id FROM user_account", args: {} });
  assert.ok(row);
  return new Person(target, await target.accessToken(row.id));
}

testAged(
  "a read that allows it is served from a copy, and says how old that is",
  async ({ aged, admin, revision }) => {
    for (const [ageMs, age] of [[1, "1"], [1000, "1"], [1001, "2"], [4999, "5"], [5000, "5"]] as const) {
      aged.ageMs = ageMs;
      assert.deepEqual(await readAged(admin, "max-age=5"), [1, revision, age]);
    }
    aged.ageMs = 5001;
    assert.deepEqual(await readAged(admin, "max-age=5"), [1, revision, null]);
  },
);

testAged("nobody gets older data than the service allows, or than they ask for", async (scene) => {
  const { aged, admin, rootId, revision } = scene;
  const reader = await another(scene);
  await aged.takeCopy();
  await admin.create(rootId, "New");
  aged.ageMs = 10_000;
  assert.deepEqual(await readAged(reader, "max-age=60"), [1, revision, "10"]);
  aged.ageMs = 10_001;
  assert.deepEqual(await readAged(reader, "max-age=60"), [2, revision + 1, null]);
  aged.ageMs = 1000;
  for (const fresh of ["", "max-age=0", "no-cache", "max-age=5, no-cache", "max-age=five"]) {
    assert.deepEqual(await readAged(reader, fresh), [2, revision + 1, null], fresh);
  }
});

testAged("where the limit is 0, every read is fresh", async (scene) => {
  const { aged, admin, rootId, revision } = scene;
  await admin.create(rootId, "New");
  aged.ageMs = 1;
  assert.deepEqual(await readAged(admin, "max-age=5"), [2, revision + 1, null]);
}, 0);

testAged("a session sees what it has written itself", async (scene) => {
  const { aged, admin, rootId, revision } = scene;
  const reader = await another(scene);
  await aged.takeCopy();
  await admin.create(rootId, "New");
  assert.deepEqual(await readAged(admin, "max-age=5"), [2, revision + 1, null]);
  assert.deepEqual(await readAged(reader, "max-age=5"), [1, revision, "1"]);
  // Any request that may have written counts, such as one to the account.
  assert.equal((await reader.ask("DELETE", "/user/session")).status, 200);
  assert.deepEqual(await readAged(reader, "max-age=5"), [2, revision + 1, null]);
  // From then on a copy is good enough if it was taken after the write: 1 s later.
  aged.ageMs += 1000;
  assert.equal((await readAged(reader, "max-age=5"))[2], null);
});

testAged("a session that has logged out does not live on in a copy", async ({ aged }) => {
  const { target } = aged;
  const [row] = await target.database.read<{ id: number }>({ sql: "SELECT id FROM user_account", args: {} });
  const { accessToken, refreshToken } = await target.openSession(row?.id ?? -1);
  const person = new Person(target, accessToken);
  await aged.takeCopy();
  assert.equal((await readAged(person, "max-age=5"))[2], "1");
  const logout = await person.ask("POST", "/auth/logout", undefined, { token: refreshToken });
  assert.equal(logout.status, 204);
  assertError(await list(person, { "Cache-Control": "max-age=5" }), 401, UNVERIFIED);
});

testAged("a session that a copy does not know yet is looked up at the primary", async (scene) => {
  const person = await another(scene);
  assert.deepEqual(await readAged(person, "max-age=5"), [1, scene.revision, null]);
  const checks = { checks: [{ roleId: scene.rootId, right: "viewManagement" }] };
  const headers = { "Cache-Control": "max-age=5" };
  assert.equal((await person.ask("POST", "/v1/rights/check", checks, { headers })).status, 200);
});

testAged(
  "a copy below the demanded revision is passed over, and refused is only what is nowhere",
  async (scene) => {
    const { aged, admin, rootId, revision } = scene;
    const reader = await another(scene);
    await aged.takeCopy();
    await admin.create(rootId, "New");
    const demand = (atLeast: number): Readonly<Record<string, string>> => ({
      "X-Rolegrid-At-Least": String(atLeast),
    });
    assert.deepEqual(await readAged(reader, "max-age=5", demand(revision)), [1, revision, "1"]);
    assert.deepEqual(await readAged(reader, "max-age=5", demand(revision + 1)), [2, revision + 1, null]);
    aged.allowed = [];
    const refused = await list(reader, { "Cache-Control": "max-age=5", ...demand(revision + 2) });
    assert.deepEqual([refused.status, refused.headers.get("Retry-After")], [503, "1"]);
    // The copy, and one fresh read.
    assert.deepEqual(aged.allowed, [5000, 0]);
  },
);

testAged(
  "accounts, tokens and changes are read afresh, whatever the request allows",
  async ({ aged, admin, rootId }) => {
    const headers = { "Cache-Control": "max-age=5" };
    for (
      const path of [
        "/user",
        "/user/session",
        "/user/key",
        "/user/security-log",
        "/auth/accesstoken/validate",
      ]
    ) {
      const answer = await admin.ask("GET", path, undefined, { headers });
      assert.deepEqual([answer.status, answer.headers.get("Age")], [200, null], path);
      assert.equal(answer.headers.get("X-Rolegrid-Revision"), null, path);
    }
    assert.deepEqual(new Set(aged.allowed), new Set([undefined]));
    const sudo = await sudoTokenFor(aged.target.deps, admin.accessToken);
    aged.allowed = [];
    const path = `/v1/role/${rootId}/password`;
    const answer = await admin.ask("PUT", path, { password: "open sesame open" }, {
      headers: { ...headers, [SUDO_HEADER]: sudo },
    });
    assert.deepEqual([answer.status, answer.headers.get("Age")], [200, null]);
    assert.deepEqual(aged.allowed, [0]);
  },
);

testAged("the pages after the first are fresh, and the headers speak of the first", async (scene) => {
  const { aged, rootId, revision } = scene;
  const reader = await another(scene);
  const { database } = aged.target;
  await database.write(Array.from({ length: 1000 }, (_, i) => insertRole(1000 + i, rootId)).flat());
  await aged.takeCopy();
  await database.write(insertRole(5000, rootId));
  assert.deepEqual(await readAged(reader, "max-age=5"), [1002, revision, "1"]);
  const [first, ...later] = aged.allowed;
  assert.equal(first, 5000);
  assert.deepEqual(later.map((allowed) => allowed ?? 0), [0]);
});

function insertRole(id: number, parentId: number): BoundStatement[] {
  return [
    { sql: "INSERT INTO role (id, name, self_rights) VALUES (:id, 'Many', 0)", args: { id } },
    { sql: "INSERT INTO role_closure VALUES (:id, :parentId, 0)", args: { id, parentId } },
  ];
}

testAged("telemetry may be of some age, too, but has no revision", async (scene) => {
  const { aged, admin, rootId } = scene;
  const reader = await another(scene);
  const path = `/v1/device?roleId=${rootId}`;
  assert.equal((await admin.ask("POST", path, { properties: { nodeId: "meter" } })).status, 200);
  const read = async (cacheControl: string): Promise<[points: number, ...(string | null)[]]> => {
    const { status, text, headers } = await reader.ask("POST", "/v1/telemetry/query", QUERY, {
      headers: { "Cache-Control": cacheControl, "X-Rolegrid-At-Least": "999" },
    });
    assert.equal(status, 200, text);
    return [text.match(/42/g)?.length ?? 0, headers.get("Age"), headers.get("X-Rolegrid-Revision")];
  };
  await aged.takeCopy();
  const point = "energy,nodeId=meter power=42 1700000000000000000";
  const sent = { rawBody: point, headers: { "Content-Type": "text/plain" } };
  assert.equal((await admin.ask("POST", "/v1/telemetry?db=grid", undefined, sent)).status, 204);
  assert.deepEqual(await read("max-age=5"), [0, "1", null]);
  assert.deepEqual(await read("no-cache"), [1, null, null]);
});

const QUERY = {
  select: ["power"],
  from: { measurement: "energy", database: "grid" },
  where: { tags: { nodeId: "meter" } },
};

testAged("what a request allows is no other request's", async (scene) => {
  const { aged } = scene;
  const reader = await another(scene);
  await aged.takeCopy();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => list(reader, i % 2 === 0 ? { "Cache-Control": "max-age=5" } : {})),
  );
  assert.deepEqual(
    answers.map(({ headers }) => headers.get("Age")),
    answers.map((_, i) => i % 2 === 0 ? "1" : null),
  );
});

testAged("a reader of the log who has passed the copy is not taken back", async (scene) => {
  const { aged, admin, rootId, revision } = scene;
  const reader = await another(scene);
  await aged.takeCopy();
  await admin.create(rootId, "Site");
  const ask = async (after: number): Promise<[nextRevision: number, age: string | null]> => {
    const headers = { "Cache-Control": "max-age=5" };
    const { body, headers: answered } = await reader.ask("POST", "/v1/change/query", { after }, { headers });
    return [(body as { nextRevision: number }).nextRevision, answered.get("Age")];
  };
  assert.deepEqual(await ask(0), [revision, "1"]);
  assert.deepEqual(await ask(revision + 1), [revision + 1, null]);
  assert.deepEqual(await ask(revision + 1000), [revision + 1, null]);
});
