/** Every operation takes effect once when responses of the database server are lost. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { AppError } from "../../src/core/errors.ts";
import type { Database } from "../../src/db/database.ts";
import { ServerUnreachableError } from "../../src/db/sql_errors.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { type CreatedDevice, createDevice, type Device } from "../device/device_people.ts";
import { type Fault, type FaultyApp, openFaultyApp } from "../helpers/faulty_proxy.ts";
import {
  assertError,
  assertWait,
  DENIED,
  login,
  logInFully,
  query,
  queryNumber,
  send,
  tokenFrom,
} from "../helpers/http.ts";
import { bootstrap, Person, type Role } from "../helpers/person.ts";
import { ADMIN, ADMIN_PASSWORD, ALL } from "./request_catalogue.ts";
import { UNAVAILABLE } from "./random_faults.ts";
import { type Call, runOperations } from "./round_trip_counts.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { IS_LONG } from "../helpers/read_count.ts";
import { createSpyHasher } from "../helpers/spy_hasher.ts";
import { addDevice, minute, writeLines } from "./telemetry_requests.ts";
import { testKind } from "../helpers/databases.ts";

const AFTER_THE_WORK: readonly Fault[] = IS_LONG
  ? ["answer_lost", "cut_off", "arrives_late", "garbled", "foreign_json", "bad_gateway"]
  : ["answer_lost", "arrives_late"];

/**
 * Operations that respond 503 when a response is lost. None is worth a record of each operation: points written twice
 * exist once, so the client can repeat the request, and repeated queries and evaluations are charged at most twice.
 */
const LEFT_TO_THE_CLIENT: ReadonlySet<string> = new Set([
  "write telemetry",
  "collect telemetry",
  "evaluate 1000 times",
]);

const lives = new Map<Fault | undefined, ReturnType<typeof liveThrough>>();

function startLife(fault: Fault | undefined): ReturnType<typeof liveThrough> {
  const life = lives.get(fault) ?? liveThrough(fault);
  lives.set(fault, life);
  // If it fails, that fails its own test, not the one that started it.
  life.catch(() => {});
  return life;
}

for (const [i, fault] of AFTER_THE_WORK.entries()) {
  const name =
    `every operation succeeds and takes effect once when each write's first response is lost: ${fault}`;
  testKind("remote", name, async () => {
    // Most of the time is pauses before writes are repeated, so the next one starts already.
    const undisturbed = startLife(undefined);
    const life = startLife(fault);
    void startLife(AFTER_THE_WORK[i + 1]);
    const { steps, faultCount } = await life;
    assert.ok(faultCount > 40, `${faultCount} faults`);
    assert.deepEqual(steps, (await undisturbed).steps);
  });
}

testFaulty(
  "a creation that arrives again after its session has ended creates nothing",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const { refreshToken } = await logInFully(target, ADMIN, ADMIN_PASSWORD);
    const token = await tokenFrom(target, "/auth/accesstoken", refreshToken);
    hitWrite(target, 1, "arrives_late");
    const roleId = await new Person(target, token).create(rootId, "Plant");
    assert.equal((await send(target, "POST", "/auth/logout", { token: refreshToken })).status, 204);
    const before = await weigh(target);
    await target.proxy.settle();
    assert.equal(await weigh(target), before);
    assert.deepEqual(await admin.roleIds(), [rootId, roleId]);
  },
);

testFaulty(
  "a change whose first response is lost still has its revision",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    hitWrite(target, 1, "answer_lost");
    const answer = await admin.askToCreate(rootId, "Plant");
    const { role } = answer.body as { role: Role };
    const revision = `SELECT rev FROM change_log WHERE kind = 'role.create' AND role_id = ${role.id}`;
    assert.equal(answer.headers.get("X-Rolegrid-Revision"), String(await queryNumber(target, revision)));
  },
);

testFaulty(
  "a wrong password counts once when its first response is lost, also when it sets a wait",
  async (target) => {
    await bootstrap(target);
    for (let failures = 1; failures <= 4; failures++) {
      hitWrite(target, 1, failures % 2 === 0 ? "answer_lost" : "arrives_late");
      assertError(await login(target, ADMIN, "wrong"), 401, "PASSWORD_INCORRECT");
      target.proxy.setPlan(undefined);
      await target.proxy.settle();
      const count = "SELECT count FROM throttle WHERE scope = 'password'";
      assert.equal(await queryNumber(target, count), failures);
    }
    const refused = await login(target, ADMIN, ADMIN_PASSWORD);
    assertWait(refused, "TOO_MANY_FAILED_PASSWORD_CHECKS", 30);
  },
);

testFaulty(
  "a password change that arrives again after another one changes nothing",
  async (target) => {
    await bootstrap(target);
    const { accessToken } = await logInFully(target, ADMIN, ADMIN_PASSWORD);
    const person = new Person(target, accessToken);
    let writes = 0;
    // The first write records the attempt, the second one decides.
    target.proxy.setPlan(({ isWrite }) => isWrite && ++writes === 2 ? "arrives_late" : undefined);
    const [first, second] = ["one long new password", "another long new password"];
    await person.put("/user/password/old-password", { oldPassword: ADMIN_PASSWORD, newPassword: first });
    await person.put("/user/password/old-password", { oldPassword: first, newPassword: second });
    const before = await weigh(target);
    await target.proxy.settle();
    assert.equal(await weigh(target), before);
    assert.equal((await login(target, ADMIN, second)).status, 200);
  },
);

testFaulty("a client whose refresh loses its response can repeat it with the same token", async (target) => {
  await bootstrap(target);
  let { refreshToken } = await logInFully(target, ADMIN, ADMIN_PASSWORD);
  for (let i = 0; i < 5; i++) {
    // No response gets through, so the service cannot determine the outcome.
    target.proxy.setPlan(({ isWrite }) => isWrite ? "answer_lost" : undefined);
    const lost = await send(target, "GET", "/auth/refreshtoken", { token: refreshToken });
    assertError(lost, 503, UNAVAILABLE);
    target.proxy.setPlan(undefined);
    const next = await tokenFrom(target, "/auth/refreshtoken", refreshToken);
    assert.equal(await tokenFrom(target, "/auth/refreshtoken", refreshToken), next, "the same successor");
    target.clock.advance(3600);
    await tokenFrom(target, "/auth/accesstoken", next);
    refreshToken = next;
  }
  assert.equal(await queryNumber(target, "SELECT max(generation) FROM session"), 6);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session WHERE ended_at IS NOT NULL"), 0);
});

testFaulty(
  "a change whose responses are all lost is tried three times and takes effect once",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const before = target.proxy.faultCount();
    target.proxy.setPlan(({ isWrite }) => isWrite ? "answer_lost" : undefined);
    assertError(await admin.askToCreate(rootId, "Plant"), 503, UNAVAILABLE);
    assert.equal(target.proxy.faultCount() - before, 3);
    // The facts of the next change cannot be read: it is not made.
    target.proxy.setPlan(() => "answer_lost");
    assertError(await admin.askToCreate(rootId, "Other"), 503, UNAVAILABLE);
    assert.equal(target.proxy.faultCount() - before, 6);
    target.proxy.setPlan(undefined);
    assert.equal((await admin.roleIds()).length, 2);
  },
);

testFaulty("points that are sent again after a lost response are stored once", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const lines = [1, 2, 3].map((i) => `energy,nodeId=meter power=${i} ${minute(i)}`);
  const telemetryStore = createSqliteStore(target.deps);
  const app = createApp({ ...target.deps, telemetryStore });
  const request: FaultyApp["request"] = async (path, init) => await app.request(path, init);
  const writer = new Person({ ...target, request }, admin.accessToken);
  // The first write admits the request, and the second finds that the series is missing.
  hitWrite(target, 3, "answer_lost");
  assertError(await writeLines(writer, lines), 503, UNAVAILABLE);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM point"), 3);
  assert.equal((await writeLines(writer, lines)).status, 204);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM point"), 3);
});

testFaulty(
  "an update with a lost response returns the role as it updated it, even if the role has changed since",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const body = { name: "Renamed", selfRights: ALL };
    const others = [
      (roleId: number) => admin.put(`/v1/role/${roleId}`, { name: "Another's", selfRights: ALL }),
      async (roleId: number) => {
        const sql = `SELECT id FROM manages WHERE child_id = ${roleId}`;
        return await admin.delete(`/v1/role/${rootId}/manages/${await queryNumber(target, sql)}`);
      },
    ];
    for (const change of others) {
      const roleId = await admin.create(rootId, "Plant");
      const request = losingFirstAnswer(target, () => change(roleId));
      const token = admin.accessToken;
      const answer = await send({ request }, "PUT", `/v1/role/${roleId}`, { token, body });
      assert.equal(answer.status, 200, answer.text);
      const { id, name, selfRights } = (answer.body as { role: Role }).role;
      assert.deepEqual({ id, name, selfRights }, { id: roleId, ...body });
    }
  },
);

testFaulty(
  "an update with a lost response returns the device's current state, or a 403 if it is deleted",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const update = async (i: number, change: (created: CreatedDevice) => Promise<unknown>) => {
      const created = await createDevice(admin, rootId, `meter ${i}`);
      const request = losingFirstAnswer(target, () => {
        target.clock.advance(60);
        return change(created);
      });
      const sent = { token: admin.accessToken, body: { properties: { color: "red" } } };
      return await send({ request }, "PUT", `/v1/device/${created.device.id}`, sent);
    };
    const own = await update(0, () => Promise.resolve());
    assert.deepEqual((own.body as { device: Device }).device.properties, { nodeId: "meter 0", color: "red" });

    const resize = ({ device }: CreatedDevice) =>
      admin.put(`/v1/device/${device.id}`, { properties: { size: 1 } });
    const changed = await update(1, resize);
    const { properties, lastUpdate } = (changed.body as { device: Device }).device;
    assert.deepEqual(properties, { nodeId: "meter 1", color: "red", size: 1 });
    assert.equal(lastUpdate, new Date(target.clock.now()).toISOString());

    const remove = ({ monitors }: CreatedDevice) =>
      admin.delete(`/v1/role/${rootId}/monitors/${monitors.id}`);
    assertError(await update(2, remove), 403, DENIED);
  },
);

testFaulty(
  "an abandoned attempt with a role's password does nothing when a copy of it arrives late",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const roleId = await admin.create(rootId, "Plant");
    const hasher = createSpyHasher(() => {
      throw new AppError("UNAVAILABLE");
    });
    const app = createApp({ ...target.deps, passwords: hasher, hasher });
    const path = `/v1/role/${rootId}/manages?childRoleId=${roleId}`;
    const headers = {
      "Authorization": `Bearer ${admin.accessToken}`,
      "Content-Type": "application/json",
      "X-Child-Role-Password": "open sesame, open",
    };
    hitWrite(target, 1, "arrives_late");
    const answer = await app.request(path, { method: "PUT", headers, body: JSON.stringify(ALL) });
    assert.equal(answer.status, 503);
    await answer.body?.cancel();
    const before = await weigh(target);
    await target.proxy.settle();
    assert.equal(await weigh(target), before);
    const waits = "SELECT count(*) FROM throttle WHERE scope LIKE 'role%' AND (count > 0 OR next_at > 0)";
    assert.equal(await queryNumber(target, waits), 0);
  },
);

/** Makes requests to an app whose first write loses its response. Runs something else before the app notices. */
function losingFirstAnswer(
  target: FaultyApp,
  meanwhile: () => Promise<unknown>,
): FaultyApp["request"] {
  let isLost = false;
  const database: Database = {
    ...target.database,
    async write(statements) {
      const rows = await target.database.write(statements);
      if (isLost) return rows;
      isLost = true;
      await meanwhile();
      throw new AppError("UNAVAILABLE", { cause: new ServerUnreachableError("answer lost") });
    },
  };
  const app = createApp({ ...target.deps, database });
  return async (path, init) => await app.request(path, init, { remoteAddr: { hostname: "192.0.2.1" } });
}

function testFaulty(name: string, body: (target: FaultyApp) => Promise<void>): void {
  testKind("remote", name, async () => {
    await using target = await openFaultyApp();
    await body(target);
  });
}

/** Lets only the nth write from now on meet the fault. */
function hitWrite({ proxy }: FaultyApp, n: number, fault: Fault): void {
  let writes = 0;
  proxy.setPlan(({ isWrite }) => isWrite && ++writes === n ? fault : undefined);
}

/** Runs every operation, and returns the content of the tables after each. */
async function liveThrough(
  fault: Fault | undefined,
): Promise<{ steps: string[]; faultCount: number }> {
  await using target = await openFaultyApp();
  const { proxy } = target;
  const steps: string[] = [];
  await runOperations(target, async (operation, _, call) => {
    let writes = 0;
    if (fault !== undefined && !LEFT_TO_THE_CLIENT.has(operation)) {
      // Every other write is hit: the first try but not the second, then reading back but not its second try.
      proxy.setPlan(({ isWrite }) => isWrite && writes++ % 2 === 0 ? fault : undefined);
    }
    const text = await succeed(target, operation, call);
    proxy.setPlan(undefined);
    await proxy.settle();
    steps.push(`${operation}: ${await weigh(target)}`);
    return text;
  });
  await assertSoundGraph(target);
  return { steps, faultCount: proxy.faultCount() };
}

async function succeed(target: FaultyApp, operation: string, call: Call): Promise<string> {
  const { method, path, token, body } = call;
  const answer = await send(target, method, path, { token, body });
  assert.ok(answer.status < 300, `${operation} answered ${answer.status}: ${answer.text}`);
  return answer.text;
}

/** The number of rows of each table, and the sums of all counters. */
async function weigh(target: FaultyApp): Promise<string> {
  const [row] = await query(target, WEIGHTS);
  return JSON.stringify(row);
}

const TABLES = [
  "role",
  "manages",
  "member",
  "role_key",
  "role_closure",
  "device",
  "monitors",
  "gone_device",
  "series",
  "point",
  "change_log",
  "user_account",
  "session",
  "known_address",
  "password_link",
  "security_event",
  "partial_login",
  "one_time_code",
  "undo_link",
  "reserved_email",
  "second_factor",
  "recovery_code",
  "outbox",
];
const SUMS = [
  ["id_sequence", "last_id"],
  ["manages", "rights"],
  ["role_closure", "rights"],
  ["throttle", "count"],
  ["user_account", "security_version"],
  ["session", "generation"],
  ["session", "ended_at IS NOT NULL"],
  ["partial_login", "failures"],
  ["one_time_code", "guesses_left"],
  ["one_time_code", "ended_at IS NOT NULL"],
  ["password_link", "ended_at IS NOT NULL"],
  ["second_factor", "failures"],
  ["second_factor", "mails"],
  ["recovery_code", "used_at IS NOT NULL"],
  ["change_log", "decision = 'ok'"],
  ["security_event", "result = 'ok'"],
];
const WEIGHTS = `SELECT ${
  [
    ...TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS "${table}"`),
    ...SUMS.map(([table, value]) => `(SELECT sum(${value}) FROM ${table}) AS "${table} ${value}"`),
  ].join(", ")
}`;
