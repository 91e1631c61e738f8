import assert from "node:assert/strict";
import {
  assertError,
  DENIED,
  dumpState,
  execute,
  forEachApp,
  logInFully,
  MALFORMED,
  query,
  send,
  succeed,
  testApp,
  tokenFrom,
  UNVERIFIED,
} from "../helpers/http.ts";
import { besideBystander } from "../helpers/bystander.ts";
import { openEndedSession } from "../helpers/security_scene.ts";
import { START_MS, type TestApp } from "../helpers/test_app.ts";

const PASSWORD = "a password that is right";
const DAY = 86_400;

interface ListedSession {
  readonly id: string;
  readonly createdAt: string;
  readonly current: boolean;
}

type Tokens = Awaited<ReturnType<typeof logInFully>>;

interface Scene {
  readonly target: TestApp;
  readonly userId: number;
  logIn(username?: string): Promise<Tokens>;
  list(accessToken: string): Promise<ListedSession[]>;
}

const EMAIL = "ada@example.com";
const OTHER_EMAIL = "other@example.com";

/** Registers a test per database, with two users. They have no sessions but those that the test opens. */
function scene(
  name: string,
  body: (scene: Scene) => Promise<void>,
  register = besideBystander(testApp),
): void {
  register(name, async (target) => {
    const users = [];
    for (const email of [EMAIL, OTHER_EMAIL]) {
      const { userId } = await target.createUser(email);
      await target.setPassword(userId, PASSWORD);
      await execute(target, "DELETE FROM session WHERE user_id = :userId", { userId });
      users.push(userId);
    }
    await body({
      target,
      userId: users[0] ?? 0,
      logIn: (username = EMAIL) => logInFully(target, username, PASSWORD),
      list: async (token) =>
        (await succeed<{ session: ListedSession[] }>(target, "GET", "/user/session", { token })).session,
    });
  });
}

/** Asserts that no token of the session is accepted any more. */
async function assertDead({ target }: Scene, { accessToken, refreshToken }: Tokens): Promise<void> {
  const check = { roleId: 1, right: "roleManagement" };
  const uses = [
    await send(target, "POST", "/v1/rights/check", { token: accessToken, body: { checks: [check] } }),
    await send(target, "POST", "/v1/rights/check", { token: accessToken, body: { checks: [check, check] } }),
    await send(target, "POST", "/v1/role/query", { token: accessToken }),
    await send(target, "GET", "/user/session", { token: accessToken }),
    await send(target, "GET", "/auth/accesstoken/validate", { token: accessToken }),
    await send(target, "GET", "/auth/accesstoken", { token: refreshToken }),
    await send(target, "GET", "/auth/refreshtoken", { token: refreshToken }),
    await send(target, "GET", "/auth/refreshtoken/validate", { token: refreshToken }),
    await send(target, "POST", "/auth/logout", { token: refreshToken }),
  ];
  for (const [i, answer] of uses.entries()) {
    assertError(answer, 401, UNVERIFIED, `use ${i}`);
    assert.equal(answer.headers.get("WWW-Authenticate"), 'Bearer error="invalid_token"');
  }
}

async function assertAlive({ target, userId }: Scene, { accessToken, refreshToken }: Tokens): Promise<void> {
  for (
    const [path, token] of [
      ["/auth/accesstoken/validate", accessToken],
      ["/auth/refreshtoken/validate", refreshToken],
    ] as const
  ) {
    assert.deepEqual(await succeed(target, "GET", path, { token }), { userId });
  }
}

scene("a user's live sessions are listed, newest first, with the current one marked", async (s) => {
  const first = await s.logIn();
  s.target.clock.advance(60);
  const laptop = await send(s.target, "POST", "/auth/login", {
    body: { username: EMAIL, password: PASSWORD },
    headers: { "User-Agent": "laptop/1.0\twith tab" },
  });
  assert.equal(laptop.status, 200);
  await s.logIn(OTHER_EMAIL);
  s.target.clock.advance(60);
  const third = await s.logIn();
  s.target.clock.advance(30);
  await succeed(s.target, "GET", "/auth/refreshtoken/validate", { token: first.refreshToken });
  const at = (seconds: number): string => new Date(START_MS + seconds * 1000).toISOString();
  const listed = await s.list(third.accessToken);
  assert.equal(new Set(listed.map(({ id }) => id)).size, 3);
  assert.deepEqual(listed.map(({ id: _, ...rest }) => rest), [
    { createdAt: at(120), lastTokenAt: at(120), client: "", current: true },
    { createdAt: at(60), lastTokenAt: at(60), client: "laptop/1.0 with tab", current: false },
    { createdAt: at(0), lastTokenAt: at(150), client: "", current: false },
  ]);
  const seenByFirst = await s.list(first.accessToken);
  assert.deepEqual(seenByFirst, listed.map((session, i) => ({ ...session, current: i === 2 })));
});

/** Signs in this many times, a second apart. */
async function logInOften(s: Scene, times: number, username?: string): Promise<Tokens[]> {
  const all: Tokens[] = [];
  for (let i = 0; i < times; i++) {
    all.push(await s.logIn(username));
    s.target.clock.advance(1);
  }
  return all;
}

scene("sessions are listed in pages, newest first", async (s) => {
  await logInOften(s, 3);
  // Two of one moment.
  const [mine] = [await s.logIn(), await s.logIn(), await s.logIn(OTHER_EMAIL)];
  const token = mine.accessToken;
  const all = await s.list(token);
  for (const limit of [1, 2, 4, 5, 1000]) {
    const pages: ListedSession[][] = [];
    let cursor: string | null | undefined;
    do {
      const query: string = cursor === undefined ? "" : `&cursor=${cursor}`;
      const page = await succeed<{ session: ListedSession[]; nextCursor: string | null }>(
        s.target,
        "GET",
        `/user/session?limit=${limit}${query}`,
        { token },
      );
      pages.push(page.session);
      assert.ok(pages.length <= all.length);
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(pages.flat(), all);
    assert.equal(pages.length, Math.ceil(5 / limit));
  }
  const path = `/user/session?cursor=${Date.parse(all[1]?.createdAt ?? "")}.zzz`;
  const rest = await send(s.target, "GET", path, { token });
  assert.deepEqual(rest.body, { session: all, nextCursor: null });
  for (const query of ["limit=0", "limit=1001", "cursor=1", "cursor=x.y", "cursor=1.%00", "page=1"]) {
    assertError(await send(s.target, "GET", `/user/session?${query}`, { token }), 400, MALFORMED, query);
  }
});

scene("the hundred-and-first session ends the least recently used one", async (s) => {
  const [left] = await logInOften(s, 1);
  const answer = await send(s.target, "POST", "/auth/logout", { token: left?.refreshToken });
  assert.equal(answer.status, 204);
  const [first, second, ...rest] = await logInOften(s, 100);
  const bystander = await s.logIn(OTHER_EMAIL);
  assert.ok(first && second);
  await assertAlive(s, first);
  assert.equal((await s.list(first.accessToken)).length, 100);
  const mine = await s.logIn();
  await assertDead(s, second);
  for (const tokens of [first, ...rest.slice(0, 3), mine]) await assertAlive(s, tokens);
  assert.equal((await s.list(bystander.accessToken)).length, 1);
  assert.equal((await s.list(mine.accessToken)).length, 100);
  const ended = await query(
    s.target,
    `SELECT ended_reason AS reason, event.event FROM session
     JOIN security_event event ON event.op_id = ended_op`,
  );
  assert.deepEqual(ended, [
    { reason: "logout", event: "logout" },
    { reason: "too_many", event: "login" },
  ]);
  assert.deepEqual(await query(s.target, "SELECT 1 FROM outbox"), [], "no mail");
});

scene("a sign-in that waits for its second factor ends no session", async (s) => {
  await logInOften(s, 100);
  await execute(
    s.target,
    "INSERT INTO second_factor (user_id, kind, activated_at) VALUES (:userId, 'totp', 1)",
    { userId: s.userId },
  );
  const before = await dumpState(s.target);
  const answer = await send(s.target, "POST", "/auth/login", {
    body: { username: EMAIL, password: PASSWORD },
  });
  assert.equal((answer.body as { message: string }).message, "2FA_REQUIRED");
  assert.equal(await dumpState(s.target), before);
});

scene("expired sessions do not count against the limit of a hundred", async (s) => {
  const old = await logInOften(s, 60);
  s.target.clock.advance(14 * DAY - 120);
  const live = await logInOften(s, 40);
  // Used after the live ones, and then over.
  for (const { refreshToken } of old) await tokenFrom(s.target, "/auth/accesstoken", refreshToken);
  s.target.clock.advance(120);
  const mine = await s.logIn();
  for (const tokens of [...live.slice(0, 3), mine]) await assertAlive(s, tokens);
  assert.equal((await s.list(mine.accessToken)).length, 41);
});

scene("fifty simultaneous sign-ins leave a hundred sessions", async (s) => {
  await logInOften(s, 80);
  // From several addresses, because of the limit of attempts in flight for one.
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      send(s.target, "POST", "/auth/login", {
        body: { username: EMAIL, password: PASSWORD },
        from: `203.0.113.${i}`,
      })),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  for (const { text } of answers) await tokenFrom(s.target, "/auth/accesstoken", text);
  const mine = await tokenFrom(s.target, "/auth/accesstoken", answers[0]?.text ?? "");
  assert.equal((await s.list(mine)).length, 100);
}, forEachApp);

scene("a long client name is shortened to 256 characters", async (s) => {
  const answer = await send(s.target, "POST", "/auth/login", {
    body: { username: EMAIL, password: PASSWORD },
    headers: { "User-Agent": "x".repeat(5000) },
  });
  assert.equal(answer.status, 200);
  const [row] = await query<{ client: string }>(
    s.target,
    "SELECT client FROM session WHERE ended_at IS NULL",
  );
  assert.equal(row?.client, "x".repeat(256));
}, testApp);

scene("logout ends every token of its session at once, and no other session", async (s) => {
  const [mine, elsewhere, other] = [await s.logIn(), await s.logIn(), await s.logIn(OTHER_EMAIL)];
  const answer = await send(s.target, "POST", "/auth/logout", { token: mine.refreshToken });
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assert.equal(answer.headers.get("Cache-Control"), "no-store");
  await assertDead(s, mine);
  await assertAlive(s, elsewhere);
  assert.equal((await s.list(elsewhere.accessToken)).length, 1);
  assert.equal((await s.list(other.accessToken)).length, 1);
}, forEachApp);

scene("the predecessor of the current refresh token logs out, too", async (s) => {
  const first = await s.logIn();
  const second = await send(s.target, "GET", "/auth/refreshtoken", { token: first.refreshToken });
  assert.equal((await send(s.target, "POST", "/auth/logout", { token: first.refreshToken })).status, 204);
  await assertDead(s, first);
  await assertDead(s, { ...first, refreshToken: second.text });
  assert.deepEqual(await query(s.target, "SELECT id FROM outbox"), []);
});

scene("a replaced successor logs out, too", async (s) => {
  const first = await s.logIn();
  const from = "198.51.100.7";
  const lost = await send(s.target, "GET", "/auth/refreshtoken", { token: first.refreshToken });
  const next = await send(s.target, "GET", "/auth/refreshtoken", { token: first.refreshToken, from });
  assert.notEqual(lost.text, next.text);
  assert.equal((await send(s.target, "POST", "/auth/logout", { token: lost.text })).status, 204);
  await assertDead(s, { ...first, refreshToken: next.text });
});

scene("fifty simultaneous logouts take effect once and leave one row in the log", async (s) => {
  const mine = await s.logIn();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => send(s.target, "POST", "/auth/logout", { token: mine.refreshToken })),
  );
  assert.equal(answers.filter(({ status }) => status === 204).length, 1);
  for (const answer of answers) if (answer.status !== 204) assertError(answer, 401, UNVERIFIED);
  assert.equal((await query(s.target, "SELECT 1 FROM security_event WHERE event = 'logout'")).length, 1);
}, forEachApp);

scene("a session can end another session of the same user, and itself", async (s) => {
  const [mine, elsewhere] = [await s.logIn(), await s.logIn()];
  const [current, other] = await s.list(mine.accessToken).then((listed) => [
    listed.find((session) => session.current)?.id,
    listed.find((session) => !session.current)?.id,
  ]);
  const end = (id = ""): ReturnType<typeof send> =>
    send(s.target, "DELETE", `/user/session/${id}`, { token: mine.accessToken });
  const answer = await end(other);
  assert.deepEqual([answer.status, answer.text], [200, "null"]);
  assert.equal(answer.headers.get("Content-Type"), "application/json");
  await assertDead(s, elsewhere);
  await assertAlive(s, mine);
  assertError(await end(other), 403, DENIED, "a session that has ended");
  assert.equal((await end(current)).status, 200);
  await assertDead(s, mine);
});

scene("ending all other sessions ends those of the same user only", async (s) => {
  const [mine, other] = [await s.logIn(), await s.logIn(OTHER_EMAIL)];
  const others = [await s.logIn(), await s.logIn(), await s.logIn()];
  await openEndedSession(s.target, s.userId);
  const answer = await send(s.target, "DELETE", "/user/session", { token: mine.accessToken });
  assert.deepEqual([answer.status, answer.text], [200, "null"]);
  for (const tokens of others) await assertDead(s, tokens);
  await assertAlive(s, mine);
  assert.equal((await s.list(other.accessToken)).length, 1);
  assert.equal((await send(s.target, "DELETE", "/user/session", { token: mine.accessToken })).status, 200);
});

scene("a token of an ended session ends no other session of the user", async (s) => {
  const [mine, other] = [await s.logIn(), await s.logIn()];
  const listed = await s.list(other.accessToken);
  assert.equal((await send(s.target, "POST", "/auth/logout", { token: mine.refreshToken })).status, 204);
  for (const path of ["/user/session", ...listed.map(({ id }) => `/user/session/${id}`)]) {
    assertError(await send(s.target, "DELETE", path, { token: mine.accessToken }), 401, UNVERIFIED, path);
  }
  await assertAlive(s, other);
});

scene("ending another user's session and an unknown session get the same refusal", async (s) => {
  const [mine, other] = [await s.logIn(), await s.logIn(OTHER_EMAIL)];
  const [foreign] = await s.list(other.accessToken);
  const before = await dumpState(s.target);
  for (const id of [foreign?.id, "AAAAAAAAAAAAAAAAAAAAAA", "1", "%00", "x".repeat(128)]) {
    const answer = await send(s.target, "DELETE", `/user/session/${id}`, { token: mine.accessToken });
    assertError(answer, 403, DENIED, id);
  }
  assert.equal(await dumpState(s.target), before);
});

scene("an expired session is not listed and cannot be ended", async (s) => {
  const old = await s.logIn();
  const [listed] = await s.list(old.accessToken);
  s.target.clock.advance(14 * DAY);
  const mine = await s.logIn();
  assert.equal((await s.list(mine.accessToken)).length, 1);
  const answer = await send(s.target, "DELETE", `/user/session/${listed?.id}`, { token: mine.accessToken });
  assertError(answer, 403, DENIED);
});

scene("an access token lives ten minutes", async (s) => {
  const { accessToken } = await s.logIn();
  s.target.clock.advance(599);
  assert.equal((await send(s.target, "GET", "/user/session", { token: accessToken })).status, 200);
  s.target.clock.advance(1);
  assertError(await send(s.target, "GET", "/user/session", { token: accessToken }), 401, UNVERIFIED);
});

scene("an access token ends with its idle session, before its own expiry", async (s) => {
  const { refreshToken } = await s.logIn();
  s.target.clock.advance(14 * DAY - 60);
  const token = await tokenFrom(s.target, "/auth/accesstoken", refreshToken);
  s.target.clock.advance(59);
  assert.equal((await s.list(token)).length, 1);
  s.target.clock.advance(1);
  assertError(await send(s.target, "GET", "/user/session", { token }), 401, UNVERIFIED);
  assertError(await send(s.target, "DELETE", "/user/session", { token }), 401, UNVERIFIED);
  assertError(await send(s.target, "POST", "/v1/role/query", { token }), 401, UNVERIFIED);
});

scene("an access token is refused if the session belongs to another user", async (s) => {
  const other = await s.logIn(OTHER_EMAIL);
  const [foreign] = await s.list(other.accessToken);
  const crossed = await s.target.deps.accessTokens.sign({
    userId: s.userId,
    sessionId: foreign?.id ?? "",
    authenticatedAtMs: s.target.clock.now(),
    assuranceLevel: 1,
  });
  assertError(await send(s.target, "GET", "/user/session", { token: crossed }), 401, UNVERIFIED);
  assertError(await send(s.target, "DELETE", "/user/session", { token: crossed }), 401, UNVERIFIED);
  assertError(await send(s.target, "POST", "/v1/role/query", { token: crossed }), 401, UNVERIFIED);
});
