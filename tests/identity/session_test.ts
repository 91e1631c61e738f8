/** Sessions are listed, limited to a hundred, and ended, one by one or all others. */
import assert from "node:assert/strict";
import {
  assertDone,
  assertError,
  DENIED,
  dumpState,
  execute,
  forEachApp,
  login,
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
import { openEndedSession, signIn } from "../helpers/security_scene.ts";
import { fifty, statusesOf } from "../flows/concurrency_services.ts";
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
      const { userId } = await signIn(target, email, PASSWORD);
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
  const uses: [token: string, method: string, path: string, body?: object][] = [
    [accessToken, "POST", "/v1/rights/check", { checks: [check] }],
    [accessToken, "POST", "/v1/rights/check", { checks: [check, check] }],
    [accessToken, "POST", "/v1/role/query"],
    [accessToken, "GET", "/user/session"],
    [accessToken, "GET", "/auth/accesstoken/validate"],
    [refreshToken, "GET", "/auth/accesstoken"],
    [refreshToken, "GET", "/auth/refreshtoken"],
    [refreshToken, "GET", "/auth/refreshtoken/validate"],
    [refreshToken, "POST", "/auth/logout"],
  ];
  for (const [token, method, path, body] of uses) {
    assertError(await send(target, method, path, { token, body }), 401, UNVERIFIED, path);
  }
}

async function assertAlive({ target, userId }: Scene, { accessToken, refreshToken }: Tokens): Promise<void> {
  for (const [kind, token] of [["accesstoken", accessToken], ["refreshtoken", refreshToken]]) {
    assert.deepEqual(await succeed(target, "GET", `/auth/${kind}/validate`, { token }), { userId });
  }
}

scene("a user's live sessions are listed, newest first, with the current one marked", async (s) => {
  const first = await s.logIn();
  s.target.clock.advance(60);
  const laptop = { headers: { "User-Agent": "laptop/1.0\twith tab" } };
  assert.equal((await login(s.target, EMAIL, PASSWORD, laptop)).status, 200);
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
  const answer = await login(s.target, EMAIL, PASSWORD);
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
  const answers = await fifty((i) => login(s.target, EMAIL, PASSWORD, { from: `203.0.113.${i}` }));
  assert.deepEqual(statusesOf(answers), { 200: 50 });
  for (const { text } of answers) await tokenFrom(s.target, "/auth/accesstoken", text);
  const mine = await tokenFrom(s.target, "/auth/accesstoken", answers[0]?.text ?? "");
  assert.equal((await s.list(mine)).length, 100);
}, forEachApp);

scene("a long client name is shortened to 256 characters", async (s) => {
  const answer = await login(s.target, EMAIL, PASSWORD, { headers: { "User-Agent": "x".repeat(5000) } });
  assert.equal(answer.status, 200);
  const clients = await query(s.target, "SELECT client FROM session WHERE ended_at IS NULL");
  assert.deepEqual(clients, [{ client: "x".repeat(256) }]);
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
  const answers = await fifty(() => send(s.target, "POST", "/auth/logout", { token: mine.refreshToken }));
  assert.deepEqual(statusesOf(answers), { 204: 1, 401: 49 });
  for (const answer of answers) if (answer.status !== 204) assertError(answer, 401, UNVERIFIED);
  assert.equal((await query(s.target, "SELECT 1 FROM security_event WHERE event = 'logout'")).length, 1);
}, forEachApp);

scene("a session can end another session of the same user, and itself", async (s) => {
  const [mine, elsewhere] = [await s.logIn(), await s.logIn()];
  const listed = await s.list(mine.accessToken);
  const [current, other] = [true, false].map((is) => listed.find((session) => session.current === is)?.id);
  const end = (id = ""): ReturnType<typeof send> =>
    send(s.target, "DELETE", `/user/session/${id}`, { token: mine.accessToken });
  assertDone(await end(other));
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
  const end = () => send(s.target, "DELETE", "/user/session", { token: mine.accessToken });
  assertDone(await end());
  for (const tokens of others) await assertDead(s, tokens);
  await assertAlive(s, mine);
  assert.equal((await s.list(other.accessToken)).length, 1);
  assertDone(await end());
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
