/** An export streams all pages of all lists, one at a time for each user, as long as the session lives. */
import assert from "node:assert/strict";
import { exportAccount } from "../../../src/accounts/own/export_service.ts";
import type { Database } from "../../../src/db/database.ts";
import { assertError, execute, send, succeed, testApp } from "../../helpers/http.ts";
import { ALL, rights } from "../../every_operation/request_catalogue.ts";
import { bootstrap } from "../../helpers/person.ts";
import { openQuickApp, type TestApp } from "../../helpers/test_app.ts";

const PATH = "/user/export";
/** More rows of each list than a statement reads. */
const COUNT = 1203;
const NUMBERED =
  `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)`;
const ADD_ROWS = [
  `INSERT INTO role (id, name, self_rights) SELECT 1000 + n, 'role ' || n, 0 FROM numbered`,
  `INSERT INTO member (id, role_id, user_id) SELECT 10000 - n, 1000 + n, :userId FROM numbered`,
  // Three at a time, here and in sessions.
  `INSERT INTO role_key (id, role_id, name, prefix, secret_mac, asks, created_at, created_by)
   SELECT 20000 - n, 1000 + n, 'key ' || n, '', 'mac ' || n, 0, n / 3, :userId FROM numbered`,
  `INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at,
     last_token_at, client)
   SELECT 'session ' || n, :userId, 'family ' || n, n / 3, 0, 0, 0, 0, '' FROM numbered`,
  `INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client)
   SELECT 'login ' || n, :userId, n, 0, 0, '' FROM numbered`,
  `INSERT INTO known_address (user_id, address, last_sign_in_at) SELECT :userId, 'address ' || n, n FROM numbered`,
  `INSERT INTO security_event (op_id, at, event, result, user_id)
   SELECT 'event ' || n, n, 'login', n, :userId FROM numbered ORDER BY n`,
  `INSERT INTO outbox (id, created_at, template, language, recipient, expires_at)
   SELECT 'event ' || n, n, n, 'en', '', 0 FROM numbered WHERE n % 2 = 0`,
].map((sql) => `${NUMBERED} ${sql}`);

async function addRows(target: TestApp, userId: number): Promise<void> {
  await execute(target, ADD_ROWS, { count: COUNT, userId });
}

type Export = Record<
  "membership" | "key" | "session" | "pendingSignIn" | "knownAddress" | "event" | "mail",
  Row[]
>;
type Row = Record<string, string | number>;

testApp("an export joins the pages of its lists, each row once and in order", async (target) => {
  const { userId } = await target.createUser("ada@example.com");
  const { accessToken: otherToken } = await target.createUser("bob@example.com");
  await addRows(target, userId);
  const token = await target.accessToken(userId);
  const data = await succeed<Export>(target, "GET", PATH, { token });
  const numbers = Array.from({ length: COUNT }, (_, i) => i + 1);
  assert.deepEqual(data.membership.map(({ roleName }) => roleName), numbers.map((n) => `role ${n}`));
  assert.deepEqual(data.key.map(({ name }) => name).toSorted(), numbers.map((n) => `key ${n}`).toSorted());
  const createdAt = new Date(0).toISOString();
  assert.deepEqual(data.key[0], { id: 19998, roleId: 1002, name: "key 2", createdAt });
  const sessions = data.session.map(({ id }) => String(id)).filter((id) => id.startsWith("session "));
  assert.deepEqual(sessions.toSorted(), numbers.map((n) => `session ${n}`).toSorted());
  const times = data.session.map(({ createdAt }) => Date.parse(String(createdAt)));
  assert.deepEqual(times, times.toSorted((a, b) => a - b));
  const signIns = data.pendingSignIn.map(({ authenticatedAt }) => Date.parse(String(authenticatedAt)));
  assert.deepEqual(signIns, numbers);
  const [signIn = {}] = data.pendingSignIn;
  assert.deepEqual(Object.keys(signIn), ["authenticatedAt", "expiresAt", "client", "endedAt"]);
  const addresses = data.knownAddress.map(({ address }) => address);
  assert.deepEqual(addresses, numbers.map((n) => `address ${n}`).toSorted());
  assert.deepEqual(data.event.map(({ result }) => Number(result)), numbers.toReversed());
  assert.deepEqual(data.mail.map(({ template }) => Number(template)), numbers.filter((n) => n % 2 === 0));
  const { event, membership, key } = await succeed<Export>(target, "GET", PATH, { token: otherToken });
  assert.deepEqual([event, membership, key], [[], [], []]);
});

testApp("an export shows each live membership with its rights and its end", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const until = new Date(target.clock.now() + 1000).toISOString();
  const limits = { rights: rights("viewManagement"), until };
  const shortId = await admin.create(rootId, "Short");
  const longId = await admin.create(rootId, "Long");
  await admin.put(`/v1/role/${shortId}/member?userEmail=guest@example.com`, limits);
  await admin.put(`/v1/role/${longId}/member?userEmail=guest@example.com`);
  const { accessToken: token } = await target.createUser("guest@example.com");
  const shown = async (): Promise<unknown[]> => {
    const { membership } = await succeed<Export>(target, "GET", PATH, { token });
    return membership.map(({ roleId, rights, until }) => ({ roleId, rights, until }));
  };
  const unlimited = { roleId: longId, rights: ALL, until: null };
  assert.deepEqual(await shown(), [{ roleId: shortId, ...limits }, unlimited]);
  target.clock.advance(1);
  assert.deepEqual(await shown(), [unlimited]);
});

/** The response to a request for an export, with its body unread. */
async function begin(target: TestApp, token: string): Promise<Response> {
  return await target.request(PATH, { headers: { Authorization: `Bearer ${token}` } });
}

testApp("a user has one export at a time, until the client has read it or gone away", async (target) => {
  const { userId, accessToken: token } = await target.createUser("ada@example.com");
  const { accessToken: otherToken } = await target.createUser("bob@example.com");
  await addRows(target, userId);
  const first = await begin(target, token);
  assert.equal(first.status, 200);
  // Another session is no way around it.
  for (const again of [token, await target.accessToken(userId)]) {
    const refused = await send(target, "GET", PATH, { token: again });
    assertError(refused, 429, "TOO_MANY_EXPORTS");
    assert.equal(refused.headers.get("Retry-After"), "5");
  }
  await succeed(target, "GET", PATH, { token: otherToken });
  const reader = first.body?.getReader();
  assert.ok((await reader?.read())?.value !== undefined);
  await reader?.cancel();
  await succeed(target, "GET", PATH, { token });
  await succeed(target, "GET", PATH, { token });
});

testApp("a refused export does not block the next one", async (target) => {
  const { userId } = await target.createUser("ada@example.com");
  const { sessionId, accessToken } = await target.openSession(userId);
  await execute(target, "UPDATE session SET ended_at = 1 WHERE id = :sessionId", { sessionId });
  assert.equal((await send(target, "GET", PATH, { token: accessToken })).status, 401);
  await succeed(target, "GET", PATH, { token: await target.accessToken(userId) });
});

testApp("an export breaks off when its session ends, and the log says so", async (target) => {
  const { userId } = await target.createUser("ada@example.com");
  await addRows(target, userId);
  const { accessToken, sessionId } = await target.openSession(userId);
  const response = await begin(target, accessToken);
  await execute(target, "UPDATE session SET ended_at = 1 WHERE id = :sessionId", { sessionId });
  await assert.rejects(response.text());
  assert.ok(target.logLines.some((line) => line.includes('"request.stream_failed"')));
  await succeed(target, "GET", PATH, { token: await target.accessToken(userId) });
});

testApp("an export reads a page only when its client takes the one before", async (target) => {
  const { userId } = await target.createUser("ada@example.com");
  await addRows(target, userId);
  const { sessionId } = await target.openSession(userId);
  let reads = 0;
  const database: Database = {
    ...target.database,
    readAll: (statements) => {
      reads++;
      return target.database.readAll(statements);
    },
  };
  const parts = exportAccount({ ...target.deps, database }, { userId, sessionId });
  assert.equal(reads, 0);
  await parts.next();
  assert.equal(reads, 1);
  for await (const _ of parts);
  // Six lists of three pages, of which the first ones were read together.
  assert.equal(reads, 13);
});

Deno.test("an export fails if its client stops reading for too long, and another one may begin", async () => {
  await using target = await openQuickApp({ senderOptions: { timeoutMs: 20 } });
  const { userId, accessToken: token } = await target.createUser("ada@example.com");
  await addRows(target, userId);
  const reader = (await begin(target, token)).body?.getReader();
  await reader?.read();
  assert.equal((await begin(target, token)).status, 429);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await assert.rejects(async () => await reader?.read(), /did not fetch the response within 20 ms/);
  const next = await begin(target, token);
  assert.equal(next.status, 200);
  // The end of the first one is not that of the second.
  await reader?.cancel().catch(() => undefined);
  assert.equal((await begin(target, token)).status, 429);
  await next.body?.cancel();
});
