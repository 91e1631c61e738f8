/** The cookie of a session: what it allows, how it is renewed, and what ends it. */
import assert from "node:assert/strict";
import { openSession } from "../helpers/test_app.ts";
import { forEachApp } from "../helpers/http.ts";
import { openQuickApp, TEST_URL, type TestApp } from "../helpers/test_app.ts";
import { bootstrap } from "../helpers/person.ts";

const PATH = "/console/session";
const OWN = { Origin: TEST_URL, "Sec-Fetch-Site": "same-origin" };

interface Asked {
  readonly status: number;
  readonly text: string;
  /** The cookie that the response sets, with its attributes; "" in place of the value if it is cleared. */
  readonly cookie: string | undefined;
}

async function ask(
  target: TestApp,
  method: string,
  headers: Record<string, string>,
  origin: Record<string, string> = OWN,
): Promise<Asked> {
  const response = await target.request(PATH, { method, headers: { ...origin, ...headers } });
  const cookie = response.headers.get("Set-Cookie") ?? undefined;
  return { status: response.status, text: await response.text(), cookie };
}

/** Hands the refresh token of a new session to the console, and returns the `Cookie` header that browsers then send. */
async function enter(target: TestApp, refreshToken: string): Promise<Record<string, string>> {
  const { status, cookie = "" } = await ask(target, "PUT", { Authorization: `Bearer ${refreshToken}` });
  assert.equal(status, 204);
  return sent(cookie);
}

function sent(cookie: string): Record<string, string> {
  return { Cookie: cookie.split(";")[0] ?? "" };
}

async function newSession(target: TestApp): Promise<string> {
  const { userId } = await target.createUser("ada@example.com");
  return (await openSession(target.deps, userId)).refreshToken;
}

forEachApp(
  "the console keeps a refresh token in a cookie that scripts cannot read and other sites cannot send",
  async (target) => {
    const refreshToken = await newSession(target);
    const { cookie } = await ask(target, "PUT", { Authorization: `Bearer ${refreshToken}` });
    assert.equal(
      cookie,
      `__Host-console=${refreshToken}; Max-Age=1209600; Path=/; HttpOnly; Secure; SameSite=Strict`,
    );
  },
);

Deno.test("on plain http, where browsers would refuse both, the cookie has neither prefix nor Secure", async () => {
  await using target = await openQuickApp({ publicUrl: "http://localhost:8000" });
  const refreshToken = await newSession(target);
  const { cookie } = await ask(target, "PUT", { Authorization: `Bearer ${refreshToken}` }, {
    Origin: "http://localhost:8000",
  });
  assert.equal(cookie, `console=${refreshToken}; Max-Age=1209600; Path=/; HttpOnly; SameSite=Strict`);
});

forEachApp(
  "each start of the page gets an access token and replaces the token in the cookie",
  async (target) => {
    const { rootId } = await bootstrap(target);
    assert.ok(rootId > 0);
    let cookie = await enter(target, await newSession(target));
    const first = cookie;
    for (let i = 0; i < 3; i++) {
      const { status, text, cookie: next = "" } = await ask(target, "POST", cookie);
      assert.equal(status, 200);
      const account = await target.request("/user", { headers: { Authorization: `Bearer ${text}` } });
      assert.equal(account.status, 200);
      assert.notDeepEqual(sent(next), cookie);
      cookie = sent(next);
      target.clock.advance(60);
    }
    // The first token was replaced long ago: it may have been copied, and so the session ends.
    assert.equal((await ask(target, "POST", first)).status, 204);
    assert.equal((await ask(target, "POST", cookie)).status, 204);
  },
);

forEachApp(
  "after a lost response, the cookie that the browser still has works and gets a new token",
  async (target) => {
    const cookie = await enter(target, await newSession(target));
    for (let i = 0; i < 3; i++) {
      assert.equal((await ask(target, "POST", cookie)).status, 200);
      target.clock.advance(600);
    }
  },
);

forEachApp("without a live session there is no token, and the cookie is cleared", async (target) => {
  assert.deepEqual(await ask(target, "POST", {}), { status: 204, text: "", cookie: undefined });
  const cleared = "__Host-console=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict";
  for (const token of ["", "x", "__proto__", "a.1.b", `${"A".repeat(43)}.1.${"A".repeat(43)}`]) {
    const answer = await ask(target, "POST", { Cookie: `__Host-console=${token}` });
    assert.deepEqual(answer, { status: 204, text: "", cookie: cleared }, token);
  }
});

forEachApp("signing in over another session ends that session, and can be repeated", async (target) => {
  const former = await enter(target, await newSession(target));
  const { userId } = await target.createUser("bob@example.com");
  const { refreshToken } = await openSession(target.deps, userId);
  const headers = { ...former, Authorization: `Bearer ${refreshToken}` };
  assert.equal((await ask(target, "PUT", headers, { Origin: "https://evil.test" })).status, 403);
  assert.equal((await ask(target, "PUT", { ...headers, Authorization: "Bearer x" })).status, 401);
  assert.equal((await ask(target, "POST", former)).status, 200);
  const { cookie = "" } = await ask(target, "PUT", headers);
  assert.equal((await ask(target, "POST", former)).status, 204);
  assert.equal((await ask(target, "PUT", { ...headers, ...sent(cookie) })).status, 204);
  assert.equal((await ask(target, "POST", sent(cookie))).status, 200);
});

forEachApp("a session that must not replace another ends itself while the other lives", async (target) => {
  const former = await enter(target, await newSession(target));
  const { userId } = await target.createUser("bob@example.com");
  const handOver = async (): Promise<[Asked, string]> => {
    const { refreshToken } = await openSession(target.deps, userId);
    const headers = { ...former, Authorization: `Bearer ${refreshToken}`, "If-None-Match": "*" };
    return [await ask(target, "PUT", headers), refreshToken];
  };
  const [refused, ended] = await handOver();
  assert.deepEqual([refused.status, refused.cookie], [412, undefined]);
  assert.equal((await ask(target, "POST", sent(`__Host-console=${ended}`))).status, 204);
  assert.equal((await ask(target, "POST", former)).status, 200);
  assert.equal((await ask(target, "DELETE", former)).status, 204);
  const [{ status, cookie = "" }] = await handOver();
  assert.equal(status, 204);
  assert.equal((await ask(target, "POST", sent(cookie))).status, 200);
});

forEachApp("signing out ends the session, and can be repeated", async (target) => {
  const refreshToken = await newSession(target);
  const cookie = await enter(target, refreshToken);
  for (let i = 0; i < 2; i++) {
    const answer = await ask(target, "DELETE", cookie);
    assert.equal(answer.status, 204);
    assert.match(answer.cookie ?? "", /^__Host-console=; Max-Age=0/);
  }
  const headers = { Authorization: `Bearer ${refreshToken}` };
  assert.equal((await target.request("/auth/accesstoken", { headers })).status, 401);
  assert.equal((await ask(target, "DELETE", {})).status, 204);
});

forEachApp("only pages of this service can request, hand over or end a session", async (target) => {
  const refreshToken = await newSession(target);
  const cookie = await enter(target, refreshToken);
  const foreign: Record<string, string>[] = [
    {},
    { Origin: "https://evil.test" },
    { Origin: "null" },
    { Origin: "https://sub.rolegrid.test", "Sec-Fetch-Site": "same-site" },
    { Origin: TEST_URL, "Sec-Fetch-Site": "cross-site" },
    { Origin: TEST_URL, "Sec-Fetch-Site": "same-site" },
    { Origin: "http://rolegrid.test" },
    { "Sec-Fetch-Site": "same-origin" },
  ];
  for (const origin of foreign) {
    for (const method of ["PUT", "POST", "DELETE"]) {
      const headers = { ...cookie, Authorization: `Bearer ${refreshToken}` };
      const answer = await ask(target, method, headers, origin);
      assert.equal(answer.status, 403, `${method} ${JSON.stringify(origin)}`);
      assert.equal(answer.cookie, undefined);
    }
  }
  assert.equal((await ask(target, "POST", cookie)).status, 200);
});

forEachApp("the cookie works only for the console’s session", async (target) => {
  const cookie = await enter(target, await newSession(target));
  for (const path of ["/user", "/auth/accesstoken", "/v1/role", "/auth/refreshtoken/validate"]) {
    assert.equal((await target.request(path, { headers: { ...OWN, ...cookie } })).status, 401, path);
  }
});

forEachApp("a forged refresh token is not kept", async (target) => {
  for (const token of ["x", `${"A".repeat(43)}.1.${"A".repeat(43)}`]) {
    const answer = await ask(target, "PUT", { Authorization: `Bearer ${token}` });
    assert.deepEqual([answer.status, answer.cookie], [401, undefined]);
  }
  assert.equal((await ask(target, "PUT", {})).status, 401);
});
