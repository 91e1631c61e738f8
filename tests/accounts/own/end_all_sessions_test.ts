/** The administrator ends all sessions and sign-ins of the service, in batches. */
import assert from "node:assert/strict";
import { endAllSessions } from "../../../src/accounts/own/end_all_sessions.ts";
import {
  assertError,
  execute,
  login,
  query,
  queryNumber,
  send,
  testApp,
  tokenFrom,
  UNVERIFIED,
} from "../../helpers/http.ts";
import { activateTotp, createAda, PASSWORD, startLogin, stepUp } from "../../helpers/second_factors.ts";

const BOB = "bob@example.com";

testApp("after the end of all sessions no token works, and users can log in again", async (target) => {
  const { accessToken, renew } = await createAda(target);
  const { app } = await activateTotp(target, accessToken);
  await target.setPassword((await target.createUser(BOB)).userId, PASSWORD);
  const refreshToken = (await login(target, BOB, PASSWORD)).text;
  const bobs = await tokenFrom(target, "/auth/accesstoken", refreshToken);
  const renewed = await renew();
  const sudo = await stepUp(target, renewed, app);
  const partial = await startLogin(target);
  const ended = await endAllSessions({ database: target.database, clock: target.clock.now });
  // The helpers that made the two users opened a session each.
  assert.deepEqual(ended, { sessions: 4, signIns: 1 });

  const uses: readonly [method: string, path: string, token: string][] = [
    ["GET", "/user", renewed],
    ["GET", "/user", bobs],
    ["GET", "/auth/accesstoken", refreshToken],
    ["GET", "/auth/refreshtoken", refreshToken],
    ["POST", "/user/2fa/totp/setup", sudo],
    ["GET", "/user/2fa", partial],
  ];
  for (const [method, path, token] of uses) {
    assertError(await send(target, method, path, { token }), 401, UNVERIFIED, path);
  }
  const code = { token: partial, body: { totp: app.code() } };
  assertError(await send(target, "POST", "/user/2fa/totp/authenticate", code), 401, UNVERIFIED);
  assert.equal((await login(target, BOB, PASSWORD)).status, 200);
  await startLogin(target);

  const rows = await query(
    target,
    `SELECT DISTINCT ended_reason AS reason, event, result, actor_id AS actorId, event.user_id AS userId
     FROM security_event event LEFT JOIN session ON event.op_id = session.ended_op WHERE event LIKE 'operator.%'`,
  );
  const event = { event: "operator.all_sessions_ended", result: "ok", actorId: null, userId: null };
  assert.deepEqual(rows, [{ reason: "operator", ...event }]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM outbox"), 2, "of the activation alone");
});

const INSERT_SESSIONS = `
  INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at,
    client)
  WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2500)
  SELECT 's' || n, n / 1100, 'f' || n, 0, 0, CASE WHEN n % 2 THEN 1 ELSE 9000000000000 END, 9000000000000, 0, ''
  FROM number`;

testApp("all sessions end in batches, and the result counts only the live ones", async (target) => {
  await execute(target, INSERT_SESSIONS);
  const reports: [number, number][] = [];
  let writes = 0;
  const database = {
    ...target.database,
    write: (...args: Parameters<typeof target.database.write>) => {
      writes++;
      return target.database.write(...args);
    },
  };
  const deps = { database, clock: target.clock.now };
  const ended = await endAllSessions(deps, (done, total) => void reports.push([done, total]));
  assert.deepEqual(ended, { sessions: 1250, signIns: 0 });
  assert.equal(writes, 5, "the event, the sign-ins, and three batches");
  assert.deepEqual(reports, [[0, 2500], [1000, 2500], [2000, 2500], [2500, 2500]]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM session WHERE ended_at IS NULL"), 0);
  assert.deepEqual(await endAllSessions(deps), { sessions: 0, signIns: 0 });
});
