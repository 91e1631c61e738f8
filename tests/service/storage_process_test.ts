/** With a full disk, what has to be stored is refused, what is read goes on, and both recover. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { createLog } from "../../src/core/log.ts";
import { createMetrics } from "../../src/core/metrics.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { ServerError } from "../../src/db/sql_errors.ts";
import { readConfig } from "../../src/service/config.ts";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import {
  type DatabaseKind,
  forEachKind,
  migrateFully,
  openTestDatabase,
  testKind,
  testMigrations,
} from "../helpers/databases.ts";
import { type Answer, assertError, login, send, tokenFrom } from "../helpers/http.ts";
import { createRecordingApi } from "../helpers/recorded_metrics.ts";
import { freePort, sqldCommand } from "../helpers/sqld.ts";
import { requestsTo } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { bind } from "../../src/db/statement.ts";
import { ALL } from "../every_operation/request_catalogue.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "a password that is right";
const CANNOT_STORE =
  "The service cannot store anything at the moment, try again later: it only responds to requests that read";

interface Scene {
  readonly rootId: number;
  readonly logEvents: () => string[];
  /** The value of the gauge. */
  readonly isDown: () => Promise<number | undefined>;
  readonly request: ReturnType<typeof requestsTo>;
  readonly refreshToken: string;
  accessToken(): Promise<string>;
  create(name: string): Promise<Answer>;
  ready(): Promise<unknown>;
  advance(seconds: number): void;
}

/** The service as production assembles it, on a migrated database, with one user of a root. */
async function openScene(database: Database): Promise<Scene> {
  let now = Date.UTC(2026, 0, 1);
  const lines: string[] = [];
  const recording = createRecordingApi();
  const deps = await createAppDeps({
    config: readConfig({}, "development"),
    keys: await keepDevelopmentKeys(database),
    database,
    migrations: await testMigrations(),
    log: createLog("info", (line) => lines.push(line)),
    clock: () => now,
    metrics: createMetrics(recording.api),
  });
  const request = requestsTo(createApp(deps));
  const passwordHash = await deps.hasher.hash(PASSWORD);
  const { roleId } = await bootstrapRoot(deps, { email: EMAIL, roleName: "Root", passwordHash });
  const signedIn = await login({ request }, EMAIL, PASSWORD);
  assert.equal(signedIn.status, 200, signedIn.text);
  const refreshToken = signedIn.text;
  const accessToken = () => tokenFrom({ request }, "/auth/accesstoken", refreshToken);
  return {
    rootId: roleId,
    logEvents: () => lines.map((line) => JSON.parse(line).event).filter((event) => event !== "request"),
    isDown: async () =>
      (await recording.readGauges()).find(({ name }) => name === "rolegrid.storage.down")?.value,
    request,
    refreshToken,
    accessToken,
    create: async (name) =>
      await send({ request }, "POST", `/v1/role?parentRoleId=${roleId}`, {
        token: await accessToken(),
        body: { manages: ALL, role: { name, selfRights: ALL } },
      }),
    ready: async () => {
      const answer = await request("/readyz");
      return [answer.status, (await answer.json()).parts?.storage];
    },
    advance: (seconds) => void (now += seconds * 1000),
  };
}

async function assertReads(scene: Scene): Promise<void> {
  const token = await scene.accessToken();
  const checks = [{ roleId: scene.rootId, right: "viewManagement" }];
  const checked = await send(scene, "POST", "/v1/rights/check", { token, body: { checks } });
  assert.equal(checked.status, 200, checked.text);
  assert.equal((await send(scene, "POST", "/v1/role/query", { token, body: {} })).status, 200);
  assert.equal((await send(scene, "GET", "/auth/accesstoken/validate", { token })).status, 200);
  assert.equal((await send(scene, "GET", "/user", { token })).status, 200);
}

/** Refuses what has to be stored, with a full disk, and whatever it guesses. */
async function assertStoresNothing(scene: Scene): Promise<void> {
  for (const password of [PASSWORD, "wrong"]) {
    const answer = await login(scene, EMAIL, password);
    assertError(answer, 503, CANNOT_STORE, "a sign-in");
    assert.equal(answer.headers.get("Retry-After"), "10");
  }
  assertError(await scene.create("Plant"), 503, CANNOT_STORE, "a change");
  const { refreshToken: token } = scene;
  assertError(await send(scene, "GET", "/auth/refreshtoken", { token }), 503, CANNOT_STORE, "a rotation");
}

/** Runs a test on a service whose database takes writes only while it is not full. */
async function withFaults(
  kind: DatabaseKind,
  body: (scene: Scene, fault: (error: Error | undefined) => void) => Promise<void>,
): Promise<void> {
  await using opened = await openTestDatabase(kind, { inMemory: true });
  let failure: Error | undefined;
  const { database } = opened;
  const write: Database["write"] = (statements) =>
    failure === undefined ? database.write(statements) : Promise.reject(failure);
  await body(await openScene({ ...database, write }), (error) => failure = error);
}

const FULL = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });

forEachKind("while a disk is full, sessions read on and nothing is stored", async (kind) => {
  await withFaults(kind, async (scene, fault) => {
    assert.deepEqual([await scene.ready(), await scene.isDown()], [[200, "ok"], 0]);
    fault(FULL);
    await assertStoresNothing(scene);
    await assertReads(scene);
    assert.deepEqual([await scene.ready(), await scene.isDown()], [[200, "failed"], 1]);
    fault(undefined);
    assert.equal((await scene.create("Plant")).status, 200);
    assert.equal((await login(scene, EMAIL, PASSWORD)).status, 200);
  });
});

forEachKind(
  "a full disk is logged when it begins and when it ends, however many requests meet it",
  async (kind) => {
    await withFaults(kind, async (scene, fault) => {
      fault(FULL);
      for (let i = 0; i < 20; i++) await scene.create("Plant");
      fault(undefined);
      await scene.create("Plant");
      assert.deepEqual(
        await scene.ready(),
        [200, "failed"],
        "a short write may fit where a long one does not",
      );
      fault(FULL);
      await scene.create("Plant");
      fault(undefined);
      scene.advance(10);
      // No request writes: the check itself finds out.
      assert.deepEqual([await scene.ready(), await scene.isDown()], [[200, "ok"], 0]);
      assert.deepEqual(scene.logEvents().filter((event) => !event.startsWith("readiness")), [
        "storage.down",
        "storage.up",
      ]);
      assert.equal(scene.logEvents().filter((event) => event === "readiness.failed").length, 1);
    });
  },
);

for (const code of ["SQLITE_IOERR", "SQLITE_IOERR_WRITE", "SQLITE_READONLY"]) {
  forEachKind(`${code} of a write means that nothing can be stored`, async (kind) => {
    await withFaults(kind, async (scene, fault) => {
      fault(new ServerError("no", code));
      assertError(await scene.create("Plant"), 503, CANNOT_STORE);
    });
  });
}

forEachKind("with a full disk, a token that was replaced gets no further", async (kind) => {
  await withFaults(kind, async (scene, fault) => {
    const { refreshToken: token } = scene;
    const rotated = await send(scene, "GET", "/auth/refreshtoken", { token });
    assert.equal(rotated.status, 200, rotated.text);
    fault(FULL);
    assertError(await send(scene, "GET", "/auth/accesstoken", { token }), 503, CANNOT_STORE);
    const { status } = await send(scene, "GET", "/auth/accesstoken", { token: rotated.text });
    assert.equal(status, 200);
    assertError(
      await send(scene, "GET", "/auth/accesstoken", { token: `${rotated.text}x` }),
      401,
      "Failed to verify token",
    );
  });
});

testKind(
  "file",
  "a file that must not grow further refuses what does not fit, and takes it as soon as it may",
  async () => {
    // A file of its own, without the free pages of earlier tests.
    await using opened = await openTestDatabase("file");
    const { database } = opened;
    const mayHave = (pages: number) =>
      database.write([bind(defineStatement(`PRAGMA max_page_count = ${pages}`), {})]);
    const scene = await openScene(database);
    // SQLite takes it for the number of pages that there are.
    await mayHave(1);
    let answer = await scene.create("Plant");
    for (let i = 0; answer.status === 200 && i < 1000; i++) answer = await scene.create("Plant ".repeat(40));
    assertError(answer, 503, CANNOT_STORE);
    await assertReads(scene);
    assert.deepEqual(await scene.ready(), [200, "failed"]);
    await mayHave(1_000_000);
    assert.equal((await scene.create("Plant")).status, 200);
  },
);

const SMALL_DISK_MB = 12;

/** Runs a test with a small disk, if this user may mount one. */
async function withSmallDisk(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_disk_" });
  const run = (command: string, ...args: string[]) => new Deno.Command(command, { args }).output();
  try {
    const { success } = await run("mount", "-t", "tmpfs", "-o", `size=${SMALL_DISK_MB}m`, "tmpfs", folder);
    assert.ok(success, "mount");
    try {
      await body(folder);
    } finally {
      await run("umount", "-l", folder);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function serve(
  kind: DatabaseKind,
  folder: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const nothing = { [Symbol.asyncDispose]: () => Promise.resolve() };
  if (kind === "file") return { url: `file:${folder}/rolegrid.db`, ...nothing };
  const port = freePort();
  const [command = "", ...args] = sqldCommand(port, `${folder}/server`);
  const child = new Deno.Command(command, { args, stdout: "null", stderr: "null" }).spawn();
  const url = `http://127.0.0.1:${port}`;
  while (!await fetch(`${url}/health`).then((answer) => (answer.body?.cancel(), answer.ok), () => false)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** Only root mounts. */
const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

forEachKind(
  "a service whose disk is really full reads on, and stores again once there is room",
  async (kind) => {
    await withSmallDisk(async (folder) => {
      await Deno.writeFile(`${folder}/ballast`, new Uint8Array(4_000_000));
      await using server = await serve(kind, folder);
      const database = await openDatabase(server.url);
      try {
        await migrateFully(database);
        const scene = await openScene(database);
        // Whatever room is left.
        const filler = await Deno.open(`${folder}/filler`, { create: true, write: true });
        for (const size of [100_000, 1000]) {
          for (let written = size; written === size;) {
            written = await filler.write(new Uint8Array(size)).catch(() => 0);
          }
        }
        filler.close();
        let answer = await scene.create("Plant");
        for (let i = 0; answer.status === 200 && i < 3000; i++) {
          answer = await scene.create("Plant ".repeat(40));
        }
        assertError(answer, 503, CANNOT_STORE);
        await assertReads(scene);
        assert.deepEqual(await scene.ready(), [200, "failed"]);
        await Deno.remove(`${folder}/ballast`);
        scene.advance(10);
        assert.equal((await scene.create("Plant")).status, 200);
        assert.deepEqual(await scene.ready(), [200, "ok"]);
      } finally {
        await database.close();
      }
    });
  },
  { ignore },
);
