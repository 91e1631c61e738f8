/** Rotating refresh tokens: lost responses are repeated, stolen tokens end the session, and lifetimes end it too. */
import assert from "node:assert/strict";
import { makeRefreshToken } from "../../src/identity/token/refresh_token.ts";
import {
  assertError,
  dumpState,
  execute,
  forEachApp,
  login,
  query,
  queryNumber,
  send,
  testApp,
  tokenFrom,
  UNVERIFIED,
} from "../helpers/http.ts";
import type { TestApp } from "../helpers/test_app.ts";

const EMAIL = "ada@example.com";
const PASSWORD = "a password that is right";
const DAY = 86_400;

const ACCESS = "/auth/accesstoken";
const ROTATE = "/auth/refreshtoken";
const VALIDATE = "/auth/refreshtoken/validate";

interface Scene {
  readonly target: TestApp;
  readonly userId: number;
  /** The first refresh token of a session. */
  readonly first: string;
}

/** Registers a test per database, with a user who has just logged in. */
function scene(name: string, body: (scene: Scene) => Promise<void>, register = testApp): void {
  register(name, async (target) => {
    const { userId } = await target.createUser(EMAIL);
    await target.setPassword(userId, PASSWORD);
    await body({ target, userId, first: (await login(target, EMAIL, PASSWORD)).text });
  });
}

/** Another client network than that of all other requests. */
const ELSEWHERE = "198.51.100.7";

async function rotate({ target }: Scene, token: string, from?: string): Promise<string> {
  const answer = await send(target, "GET", ROTATE, { token, from });
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

/** Asserts that the token is accepted. This counts as a use. */
async function assertServes({ target, userId }: Scene, token: string, context = ""): Promise<void> {
  const answer = await send(target, "GET", VALIDATE, { token });
  assert.deepEqual([answer.status, answer.body], [200, { userId }], context);
}

/** Asserts that the token is refused like a forged one. */
async function assertRefused({ target }: Scene, token: string, path = ACCESS, context = ""): Promise<void> {
  const answer = await send(target, "GET", path, { token });
  assertError(answer, 401, UNVERIFIED, context);
  assert.equal(answer.headers.get("WWW-Authenticate"), 'Bearer error="invalid_token"');
}

async function alarmsOf({ target }: Scene): Promise<{ events: object[]; mails: object[] }> {
  return {
    events: await query(
      target,
      `SELECT user_id AS userId, session_id AS sessionId, result, address FROM security_event
       WHERE event = 'session.refresh_token_reused'`,
    ),
    mails: await query(
      target,
      `SELECT recipient, language, sealed_params AS sealedParams FROM outbox WHERE template = 'refresh_token_reused'`,
    ),
  };
}

const NO_ALARM = { events: [], mails: [] };

/** Asserts that the session has ended with exactly one event and one mail, and that none of its tokens is accepted. */
async function assertAlarm(s: Scene, ...tokens: string[]): Promise<void> {
  for (const token of tokens) await assertRefused(s, token);
  const [session] = await query<{ id: string; endedReason: string }>(
    s.target,
    `SELECT id, ended_reason AS endedReason FROM session WHERE ended_at IS NOT NULL`,
  );
  assert.equal(session?.endedReason, "refresh_token_reused");
  assert.deepEqual(await alarmsOf(s), {
    events: [{ userId: s.userId, sessionId: session.id, result: "ended", address: "192.0.2.1" }],
    mails: [{ recipient: EMAIL, language: "en", sealedParams: null }],
  });
}

scene("a repeated rotation from the same network returns the same successor for ten seconds", async (s) => {
  const second = await rotate(s, s.first);
  assert.notEqual(second, s.first);
  s.target.clock.advance(9);
  assert.equal(await rotate(s, s.first), second);
  await assertServes(s, second);
  assert.equal(await rotate(s, s.first), second, "although the successor was used");
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("addresses of one IPv6 /64 are one network", async (s) => {
  const second = await rotate(s, s.first, "2001:db8:1:2::1");
  assert.equal(await rotate(s, s.first, "2001:db8:1:2:ffff::9"), second);
  assert.notEqual(await rotate(s, s.first, "2001:db8:1:3::1"), second);
});

scene("after ten seconds, a rotation replaces an unused successor as often as needed", async (s) => {
  const lost: string[] = [await rotate(s, s.first)];
  for (let day = 0; day < 10; day++) {
    s.target.clock.advance(day === 0 ? 10 : DAY);
    await assertServes(s, s.first);
    const next = await rotate(s, s.first);
    assert.ok(!lost.includes(next));
    assert.equal(await rotate(s, s.first), next, "ten seconds anew");
    lost.push(next);
  }
  const current = await rotate(s, lost.at(-1) ?? "");
  await assertServes(s, current);
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("using a token does not count as using its successor", async (s) => {
  const second = await rotate(s, s.first);
  await assertServes(s, second);
  const third = await rotate(s, second);
  s.target.clock.advance(60);
  await assertServes(s, second);
  assert.notEqual(await rotate(s, second), third);
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("a rotation from another network replaces an unused successor at once", async (s) => {
  const second = await rotate(s, s.first);
  const third = await rotate(s, s.first, ELSEWHERE);
  assert.notEqual(third, second);
  assert.equal(await rotate(s, s.first, ELSEWHERE), third);
  await assertServes(s, third);
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
}, forEachApp);

for (const path of [ACCESS, ROTATE, VALIDATE]) {
  scene(`a replaced successor ends its session: GET ${path}`, async (s) => {
    const second = await rotate(s, s.first);
    const third = await rotate(s, s.first, ELSEWHERE);
    await assertRefused(s, second, path);
    await assertAlarm(s, s.first, third);
  });
}

scene("a rotation from another network ends the session if the successor was used", async (s) => {
  const second = await rotate(s, s.first);
  await assertServes(s, second);
  assertError(await send(s.target, "GET", ROTATE, { token: s.first, from: ELSEWHERE }), 401, UNVERIFIED);
  assert.equal((await alarmsOf(s)).mails.length, 1);
  await assertRefused(s, second);
});

scene("a rotation after ten seconds ends the session if the successor was used", async (s) => {
  const second = await rotate(s, s.first);
  s.target.clock.advance(5);
  await assertServes(s, second);
  s.target.clock.advance(5);
  await assertServes(s, s.first, "which does not rotate");
  await assertRefused(s, s.first, ROTATE);
  await assertAlarm(s, second);
});

scene("the network of a rotation is stored as an HMAC", async (s) => {
  const addresses = ["192.0.2.99", "2001:db8:1:2::1"];
  const other = (await login(s.target, EMAIL, PASSWORD)).text;
  await rotate(s, s.first, addresses[0]);
  await rotate(s, other, addresses[0]);
  const rows = await query<{ issuedTo: string }>(
    s.target,
    "SELECT issued_to AS issuedTo FROM session WHERE issued_to IS NOT NULL",
  );
  assert.equal(new Set(rows.map(({ issuedTo }) => issuedTo)).size, 2, "not the same for two sessions");
  for (const { issuedTo } of rows) assert.match(issuedTo, /^[A-Za-z0-9_-]{43}$/);
  assert.ok(!(await dumpState(s.target)).includes("192.0.2.99"));
});

scene("fifty simultaneous rotations return one successor", async (s) => {
  const tokens = await Promise.all(Array.from({ length: 50 }, () => rotate(s, s.first)));
  assert.equal(new Set(tokens).size, 1);
  assert.equal(await queryNumber(s.target, "SELECT generation FROM session WHERE client <> 'test'"), 2);
  await assertServes(s, tokens[0] ?? "");
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
}, forEachApp);

scene("a parent stays usable until ten seconds after its successor's first use", async (s) => {
  const second = await rotate(s, s.first);
  s.target.clock.advance(13 * DAY);
  await assertServes(s, s.first, "before the successor's first use");
  await tokenFrom(s.target, ACCESS, s.first);
  await tokenFrom(s.target, ACCESS, second);
  s.target.clock.advance(9);
  await assertServes(s, s.first, "nine seconds after it");
  await assertServes(s, second);
  s.target.clock.advance(1);
  await assertRefused(s, s.first);
  await assertAlarm(s, s.first, second);
});

for (const path of [ACCESS, "/accesstoken", VALIDATE]) {
  scene(`any operation counts as the first use of a successor: GET ${path}`, async (s) => {
    const second = await rotate(s, s.first);
    s.target.clock.advance(100);
    assert.equal((await send(s.target, "GET", path, { token: second })).status, 200);
    s.target.clock.advance(9);
    await assertServes(s, s.first);
    s.target.clock.advance(1);
    await assertRefused(s, s.first);
    await assertAlarm(s, second);
  });
}

for (const path of [ACCESS, "/accesstoken", ROTATE, VALIDATE]) {
  scene(`an old token ends its session at any operation: GET ${path}`, async (s) => {
    const second = await rotate(s, s.first);
    const access = await tokenFrom(s.target, ACCESS, second);
    s.target.clock.advance(10);
    await assertRefused(s, s.first, path);
    await assertAlarm(s, s.first, second);
    assertError(await send(s.target, "GET", "/user/session", { token: access }), 401, UNVERIFIED);
  });
}

scene("a token two rotations old ends the session at once", async (s) => {
  const second = await rotate(s, s.first);
  const third = await rotate(s, second);
  await assertServes(s, second, "the parent");
  await assertRefused(s, s.first);
  await assertAlarm(s, second, third);
}, forEachApp);

scene("a session that an earlier version rotated continues", async (s) => {
  await rotate(s, s.first);
  const second = await rotate(s, s.first);
  await execute(s.target, "UPDATE session SET issued_at = NULL, issued_to = NULL WHERE client <> 'test'");
  await assertServes(s, s.first, "the parent");
  const third = await rotate(s, s.first);
  assert.notEqual(third, second);
  await assertServes(s, await rotate(s, third));
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("fifty simultaneous uses of an old token set off one alarm", async (s) => {
  const second = await rotate(s, s.first);
  await assertServes(s, second);
  s.target.clock.advance(10);
  await Promise.all(Array.from({ length: 50 }, (_, i) => assertRefused(s, s.first, i % 2 ? ACCESS : ROTATE)));
  await assertAlarm(s, s.first, second);
}, forEachApp);

scene("an old token ends its own session only", async (s) => {
  const other = (await login(s.target, EMAIL, PASSWORD)).text;
  const second = await rotate(s, s.first);
  await assertServes(s, second);
  s.target.clock.advance(10);
  await assertRefused(s, s.first);
  await assertAlarm(s, second);
  await assertServes(s, other);
});

scene("a generation that was never issued is refused and changes nothing", async (s) => {
  const [family = ""] = s.first.split(".");
  const before = await dumpState(s.target);
  for (const generation of [2, 3, 1000]) {
    const forged = await makeRefreshToken(s.target.deps.secrets, family, generation);
    for (const path of [ACCESS, ROTATE, VALIDATE]) await assertRefused(s, forged, path);
    assertError(await send(s.target, "POST", "/auth/logout", { token: forged }), 401, UNVERIFIED);
  }
  assert.equal(await dumpState(s.target), before);
  await assertServes(s, s.first);
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("a session ends fourteen days after its last rotation, even if it is used", async (s) => {
  s.target.clock.advance(10 * DAY);
  const second = await rotate(s, s.first);
  await assertServes(s, second);
  s.target.clock.advance(14 * DAY - 1);
  await tokenFrom(s.target, ACCESS, second);
  s.target.clock.advance(1);
  for (const path of [ACCESS, ROTATE, VALIDATE]) await assertRefused(s, second, path);
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("a session that was never rotated ends after fourteen days", async (s) => {
  s.target.clock.advance(14 * DAY - 1);
  await assertServes(s, s.first);
  s.target.clock.advance(1);
  for (const path of [ACCESS, ROTATE, VALIDATE]) await assertRefused(s, s.first, path);
  assertError(await send(s.target, "POST", "/auth/logout", { token: s.first }), 401, UNVERIFIED);
});

/** Rotates every `days` days until the session is `until` days old. */
async function keepFresh(s: Scene, days: number, until: number): Promise<string> {
  let token = s.first;
  for (let day = days; day <= until; day += days) {
    s.target.clock.advance(days * DAY);
    token = await rotate(s, token);
  }
  return token;
}

scene("a session ends after ninety days, and its last fourteen days allow no rotation", async (s) => {
  const current = await keepFresh(s, 4, 76);
  s.target.clock.advance(1);
  const before = await dumpState(s.target);
  await assertRefused(s, current, ROTATE, "in the last fourteen days");
  assert.equal(await dumpState(s.target), before);
  await assertServes(s, current);
  s.target.clock.advance(14 * DAY - 2);
  await assertRefused(s, current, ROTATE);
  const access = await tokenFrom(s.target, ACCESS, current);
  s.target.clock.advance(1);
  for (const path of [ACCESS, ROTATE, VALIDATE]) await assertRefused(s, current, path);
  assertError(await send(s.target, "POST", "/v1/role/query", { token: access }), 401, UNVERIFIED);
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("a client that rotates weekly and signs in again when refused always has a valid token", async (s) => {
  let token = s.first;
  let signIns = 0;
  for (let week = 0; week < 30; week++) {
    s.target.clock.advance(7 * DAY);
    await assertServes(s, token, `week ${week}`);
    const renewed = await send(s.target, "GET", ROTATE, { token });
    if (renewed.status === 200) {
      token = renewed.text;
      continue;
    }
    s.target.clock.advance(6 * DAY);
    await assertServes(s, token, `thirteen days after the last renewal, in week ${week}`);
    token = (await login(s.target, EMAIL, PASSWORD)).text;
    signIns++;
  }
  assert.equal(signIns, 2);
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("token responses are plain text and never cached", async (s) => {
  for (const path of [ACCESS, "/accesstoken", ROTATE]) {
    const answer = await send(s.target, "GET", path, { token: s.first });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("Content-Type") ?? "", /^text\/plain/);
    assert.equal(answer.headers.get("Cache-Control"), "no-store");
    assert.equal(answer.text, answer.text.trim());
  }
  const validated = await send(s.target, "GET", VALIDATE, { token: s.first });
  assert.equal(validated.headers.get("Cache-Control"), "no-store");
});

scene("a response lost before the last fourteen days leaves a token that lasts to the end", async (s) => {
  const held = await keepFresh(s, 4, 72);
  s.target.clock.advance(4 * DAY);
  await rotate(s, held);
  s.target.clock.advance(DAY);
  await assertRefused(s, held, ROTATE, "in the last fourteen days");
  s.target.clock.advance(13 * DAY - 1);
  await assertServes(s, held);
  assert.deepEqual(await alarmsOf(s), NO_ALARM);
});

scene("neither the database nor the log holds a refresh token or its family", async (s) => {
  const second = await rotate(s, s.first);
  await assertServes(s, second);
  s.target.clock.advance(10);
  await assertRefused(s, s.first);
  const [family = "", , mac = ""] = second.split(".");
  const events = await query(s.target, "SELECT * FROM security_event");
  const kept = await dumpState(s.target) + JSON.stringify(events) + s.target.logLines.join("\n");
  assert.ok(!kept.includes(family) && !kept.includes(mac));
});
