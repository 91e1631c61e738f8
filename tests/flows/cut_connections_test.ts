/** A service whose connections to its database server are cut now and then tells the truth and recovers. */
import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import { createRandom } from "../helpers/random_numbers.ts";
import { type Answer, assertError, login, logInFully, query, queryNumber, send } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import { UNAVAILABLE } from "../every_operation/random_faults.ts";
import { ADMIN, ADMIN_PASSWORD, type Created, rights } from "../every_operation/request_catalogue.ts";
import { productionEnv, startService } from "../helpers/service_process.ts";
import { type Cut, startTcpProxy } from "../helpers/tcp_proxy.ts";
import { openHashingApp, type TestApp } from "../helpers/test_app.ts";
import { runScript } from "../scripts/run_script.ts";
import { testKind } from "../helpers/databases.ts";
import { IS_LONG } from "../helpers/read_count.ts";
import { defineStatement } from "../helpers/text_statement.ts";

const LANES = 6;
/** Requests of each kind per lane. */
const ROUNDS = IS_LONG ? 12 : 5;
/** Share of the requests to the database server that are cut. */
const CUT_RATE = 0.45;
const CUTS: readonly Cut[] = ["before", "sent", "after", "midway"];
/** Maximum time of a request. */
const LIMIT_MS = 20_000;

const ADD_USER = defineStatement(`
  INSERT INTO user_account (email, created_at, password_hash)
  SELECT :email, created_at, password_hash FROM user_account WHERE email = :like`);
const SESSIONS = `
  SELECT count(*) AS n FROM session CROSS JOIN user_account ON user_account.id = session.user_id
  WHERE user_account.email = :email`;

/** Sends requests to the service. */
type Service = Pick<TestApp, "request">;

/** A request that was sent, and a query for what it makes: exactly one after a success. */
interface Sent {
  readonly answer: Answer;
  /** Counts what the request makes, as `n`. */
  readonly sql: string;
  readonly args: Readonly<Record<string, string | number>>;
}

/** The state that the lanes share. */
interface Load {
  readonly service: Service;
  readonly token: string;
  readonly rootId: number;
  /** A second parent for every role. */
  readonly hubId: number;
}

async function createRole({ service, token, rootId }: Load, name: string): Promise<Sent> {
  const answer = await new Person(service, token).askToCreate(rootId, name);
  return { answer, sql: "SELECT count(*) AS n FROM role WHERE name = :name", args: { name } };
}

async function putManages({ service, token, hubId }: Load, childId: number): Promise<Sent> {
  const path = `/v1/role/${hubId}/manages?childRoleId=${childId}`;
  const answer = await new Person(service, token).ask("PUT", path, rights("viewManagement"));
  const sql = "SELECT count(*) AS n FROM manages WHERE parent_id = :hubId AND child_id = :childId";
  return { answer, sql, args: { hubId, childId } };
}

async function logIn({ service }: Load, email: string): Promise<Sent> {
  return { answer: await login(service, email, ADMIN_PASSWORD), sql: SESSIONS, args: { email } };
}

/** Sends the requests of one client one by one. Each makes something that no other makes. */
async function runLane(load: Load, lane: number): Promise<Sent[]> {
  const all: Sent[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const name = `${lane}-${round}`;
    const created = await createRole(load, name);
    all.push(created);
    if (created.answer.status === 200) {
      all.push(await putManages(load, (created.answer.body as Created).role.id));
    }
    all.push(await logIn(load, emailOf(name)));
  }
  return all;
}

function emailOf(name: string): string {
  return `user-${name}@example.com`;
}

/** Adds users with the administrator's password. A login whose response is lost adds a wait to its account. */
async function addUsers({ database }: TestApp, names: readonly string[]): Promise<void> {
  await database.write(names.map((name) => bind(ADD_USER, { email: emailOf(name), like: ADMIN })));
}

async function assertTrueOnce(target: TestApp, { answer, sql, args }: Sent): Promise<void> {
  const [row] = await query<{ n: number }>(target, sql, args);
  const context = `${JSON.stringify(args)}: ${answer.status} ${answer.text}`;
  if (answer.status === 200) return assert.equal(row?.n, 1, context);
  assertError(answer, 503, UNAVAILABLE, context);
  assert.ok(row?.n === 0 || row?.n === 1, `${context}: ${row?.n} times`);
}

testKind(
  "remote",
  "responses stay true while connections to the database server are cut, and then all requests succeed again",
  async () => {
    await using target = await openHashingApp("remote");
    const { userId, roleId: rootId } = await target.bootstrapRoot(ADMIN, "Root");
    await target.setPassword(userId, ADMIN_PASSWORD);
    const lanes = Array.from({ length: LANES + 1 }, (_, lane) => lane);
    await addUsers(target, lanes.flatMap((lane) => Array.from({ length: ROUNDS }, (_, i) => `${lane}-${i}`)));
    await using proxy = startTcpProxy({ targetPort: Number(new URL(target.url).port) });
    const env = await productionEnv(`http://127.0.0.1:${proxy.port}`);
    await using process = await startService(env);
    const service: Service = {
      request: (path, init) => fetch(process.url + path, { ...init, signal: AbortSignal.timeout(LIMIT_MS) }),
    };
    const { accessToken: token } = await logInFully(service, ADMIN, ADMIN_PASSWORD);
    const hub = await createRole({ service, token, rootId, hubId: 0 }, "Hub");
    const load: Load = { service, token, rootId, hubId: (hub.answer.body as Created).role.id };

    const random = createRandom(20_261_120);
    proxy.setPlan(() => random() < CUT_RATE ? CUTS[Math.floor(random() * CUTS.length)] : undefined);
    const sent = (await Promise.all(lanes.slice(0, LANES).map((lane) => runLane(load, lane)))).flat();
    proxy.setPlan(undefined);
    const cuts = proxy.cutCount();

    // Everything works again at once, without help.
    const afterwards = await runLane(load, LANES);
    assert.deepEqual(afterwards.filter(({ answer }) => answer.status !== 200), []);
    assert.equal(afterwards.length, 3 * ROUNDS);
    for (const each of [...sent, ...afterwards]) await assertTrueOnce(target, each);
    await assertTokensServe(service, [...sent, ...afterwards]);

    const failed = sent.filter(({ answer }) => answer.status === 503).length;
    assert.ok(cuts > 100, `only ${cuts} connections were cut`);
    assert.ok(failed > 0, "no request failed");
    assert.ok(failed < sent.length / 2, `${failed} of ${sent.length} requests failed`);
    const roles = await queryNumber(target, "SELECT count(*) FROM role");
    const relations = await queryNumber(target, `SELECT count(*) FROM manages WHERE parent_id = ${rootId}`);
    assert.equal(relations, roles - 1, "one relation from the root to each other role");

    const verified = await runScript("closure_verify.ts", { env: { TURSO_DATABASE_URL: target.url } });
    assert.deepEqual([verified.code, verified.stderr], [0, ""], verified.stdout);
    assert.match(verified.stdout, /^Clean: /);
    process.signal("SIGTERM");
    const { code, stderr } = await process.ended();
    assert.deepEqual([code, stderr], [0, ""]);
  },
);

/** Asserts that every refresh token that was returned opens a session. */
async function assertTokensServe(service: Service, sent: readonly Sent[]): Promise<void> {
  const logins = sent.filter(({ answer, sql }) => sql === SESSIONS && answer.status === 200);
  for (const { answer } of logins) {
    const token = await send(service, "GET", "/auth/accesstoken", { token: answer.text });
    assert.equal(token.status, 200, token.text);
  }
}
