/** Keys and passwords of roles outlast a session, so they need a sudo token beside the access token. */
import assert from "node:assert/strict";
import { rights } from "../every_operation/request_catalogue.ts";
import {
  type Answer,
  assertError,
  assertUnchanged,
  DENIED,
  forEachApp,
  query,
  send,
  succeed,
  testApp,
  UNVERIFIED,
} from "../helpers/http.ts";
import { activateFactor, makeSudoToken, type SignedIn, signIn } from "../helpers/security_scene.ts";
import { SUDO_HEADER } from "../helpers/sudo.ts";
import type { TestApp } from "../helpers/test_app.ts";
import {
  activateTotp,
  CODES_AT,
  createAda,
  mailedCode,
  PASSWORD,
  setUpTotp,
  startLogin,
  stepUp,
  type Tokens,
} from "../helpers/second_factors.ts";

const REQUIRED = "SUDO_TOKEN_REQUIRED";
const NO_RETRY =
  "A secret cannot be returned again: send no Idempotency-Key, and if a response is lost, delete the key and make another";

/** Each kind of change that outlasts a session. */
function changesOf(roleId: number): readonly (readonly [method: string, path: string, body: unknown])[] {
  return [
    ["POST", `/v1/role/${roleId}/key`, { name: "Gateway", rights: rights("viewManagement") }],
    ["PUT", `/v1/role/${roleId}/password`, { password: "a password of a role" }],
    ["PUT", `/v1/role/${roleId}/password`, { password: null }],
  ];
}

/** Sends a request with this access token, and with this sudo token or none. */
type Ask = (method: string, path: string, body: unknown, sudo?: string) => Promise<Answer>;

interface Scene {
  readonly target: TestApp;
  readonly ada: SignedIn;
  readonly roleId: number;
  readonly ask: Ask;
}

function askAs(target: TestApp, token: string): Ask {
  return (method, path, body, sudo = "") =>
    send(target, method, path, { token, body, headers: { [SUDO_HEADER]: sudo } });
}

function lastingScene(name: string, body: (scene: Scene) => Promise<void>): void {
  forEachApp(name, async (target) => {
    const { userId, roleId } = await target.bootstrapRoot("ada@example.com", "Plant");
    await target.setPassword(userId, PASSWORD);
    const ada = { userId, ...await target.openSession(userId) };
    await body({ target, ada, roleId, ask: askAs(target, ada.accessToken) });
  });
}

/** Asserts that each change needs a proof, which this sudo token is not. */
async function assertAllRefused(
  { ask, roleId }: Pick<Scene, "ask" | "roleId">,
  context: string,
  sudo?: string,
): Promise<void> {
  for (const [method, path, body] of changesOf(roleId)) {
    assertProofRequired(await ask(method, path, body, sudo), `${method} ${path}: ${context}`);
  }
}

async function assertAllDone({ ask, roleId }: Pick<Scene, "ask" | "roleId">, sudo: string): Promise<void> {
  for (const [method, path, body] of changesOf(roleId)) {
    assert.equal((await ask(method, path, body, sudo)).status, 200, `${method} ${path}`);
  }
}

function assertProofRequired(answer: Answer, context: string): void {
  assertError(answer, 401, REQUIRED, context);
  assert.equal(
    answer.headers.get("WWW-Authenticate"),
    'Bearer error="insufficient_user_authentication", max_age=300',
    context,
  );
}

lastingScene("keys and passwords of roles need a current sudo token of the same session", async (scene) => {
  const { target, ada, roleId } = scene;
  const old = await makeSudoToken(target, ada);
  target.clock.advance(300);
  const { sessionId } = await target.openSession(ada.userId);
  const eve = await signIn(target, "eve@example.com", PASSWORD);
  const outdated = await target.deps.sudoTokens.sign({ ...ada, securityVersion: 7 });
  const useless = {
    none: "",
    garbled: "no token",
    "an access token": ada.accessToken,
    "one that is 5 minutes old": old,
    "one of another session": await makeSudoToken(target, { ...ada, sessionId }),
    "one of another user": await makeSudoToken(target, eve),
    "one from before a change of the account's security": outdated,
  };
  await assertUnchanged(target, "without proof", async () => {
    for (const [kind, sudo] of Object.entries(useless)) await assertAllRefused(scene, kind, sudo);
    for (const [method, path, body] of changesOf(roleId)) {
      const headless = await target.app.request(path, {
        method,
        body: JSON.stringify(body),
        headers: { Authorization: `Bearer ${ada.accessToken}`, "Content-Type": "application/json" },
      }, { remoteAddr: { hostname: "192.0.2.1" } });
      assert.equal(headless.status, 401);
    }
  });
  await assertAllDone(scene, await makeSudoToken(target, ada));
});

lastingScene("a recent sign-in or a second factor does not replace the sudo token", async (scene) => {
  const { target, ada, ask } = scene;
  await assertAllRefused(scene, "just signed in");
  const proof = await ask("POST", "/user/password/authenticate", { password: PASSWORD });
  await assertAllDone(scene, (proof.body as { sudoToken: string }).sudoToken);
  await activateFactor(target, ada.userId);
  await assertAllRefused(scene, "with a factor");
});

testApp("a factor proves nothing in the session that enrolled it as the first", async (target) => {
  const { accessToken, renew } = await createAda(target);
  const { roleId } = await target.bootstrapRoot("ada@example.com", "Plant");
  const assertRefused = async (context: string): Promise<void> => {
    for (const [method, path, body] of changesOf(roleId)) {
      const ask = askAs(target, await renew());
      assertProofRequired(await ask(method, path, body, await stepUp(target, await renew(), app)), context);
    }
  };
  // An access token of a user who has just signed in is enough for all of this.
  const { app } = await activateTotp(target, accessToken);
  await assertRefused("the first factor");
  const sent = { token: await stepUp(target, await renew(), app), body: { email: CODES_AT } };
  await succeed(target, "POST", "/user/2fa/email-otp/setup", sent);
  const otp = await mailedCode(target);
  await succeed(target, "POST", "/user/2fa/email-otp/enable", { token: await renew(), body: { otp } });
  await assertRefused("beside a second one");

  const login = { token: await startLogin(target), body: { totp: app.code() } };
  const again = await succeed<Tokens>(target, "POST", "/user/2fa/totp/authenticate", login);
  await assertAllDone({ ask: askAs(target, again.accessToken), roleId }, again.sudoToken);
});

testApp("the first factor proves nothing in an older session that activated it", async (target) => {
  const { accessToken, userId } = await createAda(target);
  const { roleId } = await target.bootstrapRoot("ada@example.com", "Plant");
  const older = await target.openSession(userId);
  target.clock.advance(1);
  const app = await setUpTotp(target, accessToken);
  const body = { totp: app.code() };
  await succeed(target, "POST", "/user/2fa/totp/enable", { token: older.accessToken, body });
  for (const token of [accessToken, older.accessToken]) {
    // Each code is accepted once.
    target.clock.advance(30);
    const [ask, sudo] = [askAs(target, token), await stepUp(target, token, app)];
    const answer = await ask("POST", `/v1/role/${roleId}/key`, { name: "Gateway" }, sudo);
    assertProofRequired(answer, "an older session");
  }
});

lastingScene("another session's factor remains a proof after this session enrols one", async (scene) => {
  const { target, ada, ask } = scene;
  await activateFactor(target, ada.userId);
  const app = await setUpTotp(target, await makeSudoToken(target, ada));
  assert.equal((await ask("POST", "/user/2fa/totp/enable", { totp: app.code() })).status, 200);
  await assertAllDone(scene, await makeSudoToken(target, ada));
});

lastingScene("a password change voids the proof at once", async (scene) => {
  const sudo = await makeSudoToken(scene.target, scene.ada);
  const body = { oldPassword: PASSWORD, newPassword: "four words nobody guesses" };
  const changed = await scene.ask("PUT", "/user/password/old-password", body);
  assert.equal(changed.status, 200, changed.text);
  await assertAllRefused(scene, "an earlier proof", sudo);
});

lastingScene("a refused token precedes a missing proof, and that precedes missing rights", async (scene) => {
  const { target, ada, ask } = scene;
  const { roleId } = await target.bootstrapRoot("grace@example.com", "Foreign");
  const sudo = await makeSudoToken(target, ada);
  await assertAllRefused({ ask, roleId }, "no rights either");
  for (const [method, path, body] of changesOf(roleId)) {
    assertError(await ask(method, path, body, sudo), 403, DENIED);
  }
  await send(target, "DELETE", `/user/session/${ada.sessionId}`, { token: ada.accessToken });
  for (const [method, path, body] of changesOf(scene.roleId)) {
    assertError(await ask(method, path, body), 401, UNVERIFIED);
    assertError(await ask(method, path, body, sudo), 401, UNVERIFIED);
  }
});

lastingScene("a key can do none of this, even with its maker's sudo token", async (scene) => {
  const { target, ada, roleId, ask } = scene;
  const sudo = await makeSudoToken(target, ada);
  const made = await ask("POST", `/v1/role/${roleId}/key`, { name: "All rights" }, sudo);
  const { secret } = made.body as { secret: string };
  for (const [method, path, body] of changesOf(roleId)) {
    for (const token of ["", sudo]) {
      assertError(await askAs(target, secret)(method, path, body, token), 403, DENIED, `${method} ${path}`);
    }
  }
});

lastingScene("a key is previewed without a proof and made only with one", async (scene) => {
  const { target, ada, roleId, ask } = scene;
  const [path, body] = [`/v1/role/${roleId}/key`, { name: "Gateway" }];
  const preview = await ask("POST", `${path}?dryRun=true`, body);
  assert.equal(preview.status, 200, preview.text);
  const { effect: { tag } } = preview.body as { effect: { tag: string } };
  const apply = (sudo: string): Promise<Answer> =>
    send(target, "POST", path, {
      token: ada.accessToken,
      body,
      headers: { "If-Effect": tag, [SUDO_HEADER]: sudo },
    });
  assertProofRequired(await apply(""), "If-Effect");
  assert.equal((await apply(await makeSudoToken(target, ada))).status, 200);
});

lastingScene("requests without a proof share one row of the log, which managers see", async (scene) => {
  const { target, roleId, ask } = scene;
  for (let i = 0; i < 5; i++) await ask("POST", `/v1/role/${roleId}/key`, { name: "Gateway" });
  const log = await ask("POST", "/v1/change/query", { filter: { roleId, decision: "proof_required" } });
  const { change } = log.body as { change: { kind: string }[] };
  assert.deepEqual(change.map(({ kind }) => kind), ["key.create"]);
  const rows = await query(target, "SELECT attempts FROM change_log WHERE decision = 'proof_required'");
  assert.deepEqual(rows, [{ attempts: 5 }]);
});

lastingScene("an Idempotency-Key is refused, since a secret cannot be returned again", async (scene) => {
  const { target, ada, roleId } = scene;
  await assertUnchanged(target, "with an Idempotency-Key", async () => {
    for (const suffix of ["", "?dryRun=true"]) {
      const answer = await send(target, "POST", `/v1/role/${roleId}/key${suffix}`, {
        token: ada.accessToken,
        body: { name: "Gateway" },
        headers: { "Idempotency-Key": "one" },
      });
      assertError(answer, 400, NO_RETRY);
    }
  });
});

async function notices(target: TestApp): Promise<unknown[][]> {
  const rows = await query(
    target,
    `SELECT template, recipient, role_name, detail FROM outbox
     WHERE template IN ('key_created', 'role_password_set') ORDER BY created_at, rowid`,
  );
  return rows.map(Object.values);
}

lastingScene("the maker of a key and the setter of a role's password get a mail", async (scene) => {
  const { target, ada, roleId, ask } = scene;
  const sudo = await makeSudoToken(target, ada);
  for (const [method, path, body] of changesOf(roleId)) await ask(method, path, body);
  assert.deepEqual(await notices(target), []);
  for (const [method, path, body] of changesOf(roleId)) {
    target.clock.advance(1);
    await ask(method, path, body, sudo);
  }
  assert.deepEqual(await notices(target), [
    ["key_created", "ada@example.com", "Plant", "Gateway"],
    ["role_password_set", "ada@example.com", "Plant", null],
  ]);
});

lastingScene("an account gets twenty such mails a day", async ({ target, ada, roleId, ask }) => {
  const sudo = await makeSudoToken(target, ada);
  for (let i = 0; i < 25; i++) {
    await ask("POST", `/v1/role/${roleId}/key`, { name: `Key ${i}`, rights: rights() }, sudo);
  }
  assert.equal((await notices(target)).length, 20);
  target.clock.advance(86_400);
  const token = await target.accessToken(ada.userId);
  await succeed(target, "POST", `/v1/role/${roleId}/key`, { token, body: { name: "Key" } });
  assert.equal((await notices(target)).length, 21);
});
