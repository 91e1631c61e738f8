/** With as many waiting strangers as the limit allows, known clients get through, and a refusal costs little. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { isStrangerAsking } from "../../src/core/request_scope.ts";
import { FULL } from "../../src/core/shares.ts";
import { type Answer, login, logInFully, send, type Sent, testApp } from "../helpers/http.ts";
import { createSpyHasher } from "../helpers/spy_hasher.ts";
import { lastLinkToken } from "../helpers/mails.ts";
import { signIn } from "../helpers/security_scene.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";

const ADA = "ada@example.com";
const BEA = "bea@example.com";
const PASSWORD = "a password that is right";
/** The client that Ada's account knows. */
const HOME = "203.0.113.7";
/** The client that Bea's account knows. */
const CAFE = "192.0.2.8";
const ELSEWHERE = "198.51.100.1";

/** The same service, where no write and no hash of a stranger has room. */
function crowded(target: TestApp): Pick<TestApp, "request"> {
  const { database } = target;
  const passwords = {
    ...createSpyHasher(),
    requireRoom(): void {
      if (isStrangerAsking()) throw FULL;
    },
  };
  const write: typeof database.write = (statements) =>
    isStrangerAsking() ? Promise.reject(FULL) : database.write(statements);
  const request = requestsTo(createApp({ ...target.deps, passwords, database: { ...database, write } }));
  return { request: (path, init) => request(path, { from: ELSEWHERE, ...init }) };
}

async function createAda(target: TestApp): Promise<{ refreshToken: string; accessToken: string }> {
  await signIn(target, ADA, PASSWORD);
  assert.equal((await login(target, ADA, PASSWORD, { from: HOME })).status, 200);
  return await logInFully(target, ADA, PASSWORD);
}

testApp("in a crowd of strangers, known clients and tokens get through", async (target) => {
  const { refreshToken, accessToken } = await createAda(target);
  const full = crowded(target);
  const reset = (from: string): Promise<Answer> =>
    send(full, "POST", "/user/password/reset/email", { body: { email: ADA }, from });
  assert.equal((await login(full, ADA, PASSWORD, { from: HOME })).status, 200);
  assert.equal((await login(full, ADA, PASSWORD)).status, 503);
  assert.equal((await reset(HOME)).status, 204);
  assert.equal((await reset(ELSEWHERE)).status, 503);
  assert.equal((await send(full, "GET", "/auth/accesstoken", { token: refreshToken })).status, 200);
  const renamed: Sent = { token: accessToken, body: { language: "nl" } };
  assert.equal((await send(full, "PUT", "/user", renamed)).status, 200);
});

testApp("a sign-in whose client cannot be looked up goes on as a stranger's", async (target) => {
  await createAda(target);
  const { database } = target;
  let lost = 0;
  const read: typeof database.read = (statement) =>
    statement.sql.includes("known_address") && lost++ === 0 ? Promise.reject(FULL) : database.read(statement);
  const request = requestsTo(createApp({ ...target.deps, database: { ...database, read } }));
  assert.equal((await login({ request }, ADA, PASSWORD, { from: HOME })).status, 200);
  assert.equal(lost, 1);
});

testApp("in a crowd of strangers, a client that another account knows is a stranger", async (target) => {
  await createAda(target);
  await signIn(target, BEA, PASSWORD);
  assert.equal((await login(target, BEA, PASSWORD, { from: CAFE })).status, 200);
  const full = crowded(target);
  for (const [email, from] of [[ADA, CAFE], [BEA, HOME], ["unknown@example.com", HOME]] as const) {
    assert.equal((await login(full, email, PASSWORD, { from })).status, 503, `${email} from ${from}`);
    const asked = await send(full, "POST", "/user/password/reset/email", { body: { email }, from });
    assert.equal(asked.status, 503, `a mail for ${email} from ${from}`);
  }
  assert.equal((await login(full, BEA, PASSWORD, { from: CAFE })).status, 200);
});

testApp("in a crowd of strangers, mailed links work, and invented ones write nothing", async (target) => {
  await signIn(target, ADA, PASSWORD);
  const full = crowded(target);
  const set = (token: string): Promise<Answer> =>
    send(full, "PUT", "/user/password/link", { body: { token, newPassword: "ten quiet lighthouses" } });
  const undo = (token: string): Promise<Answer> =>
    send(full, "POST", "/user/email/undo", { body: { token } });
  const asked = await send(target, "POST", "/user/password/reset/email", { body: { email: ADA } });
  assert.equal(asked.status, 204);
  assert.equal((await set("A".repeat(43))).status, 401);
  assert.equal((await set(await lastLinkToken(target, "password_reset_link"))).status, 200);
  assert.equal((await undo("A".repeat(43))).status, 401);
});

testApp("refused strangers leave a short log line each, and one a second with a count", async (target) => {
  const full = crowded(target);
  const requests = 500;
  const startedAt = performance.now();
  for (let i = 0; i < requests; i++) {
    assert.equal((await login(full, ADA, PASSWORD, { from: `10.0.${i % 250}.1` })).status, 503);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const failed = target.logLines.filter((line) => line.includes("request.failed"));
  assert.ok(failed.length >= 1 && failed.length <= seconds + 2, `${failed.length} lines in ${seconds} s`);
  assert.ok(target.logLines.join("").length < requests * 400);
  assert.doesNotMatch(target.logLines.join(), /stack/);
});
