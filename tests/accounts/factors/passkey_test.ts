/** Passkeys: adding, proving, signing in and removing, and every broken or repeated response is refused. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { decodeJwt } from "jose";
import { ANY_KIND } from "../../helpers/databases.ts";
import {
  type Answer,
  assertError,
  assertWait,
  DENIED,
  execute,
  forEachApp,
  login,
  logInFully,
  MALFORMED,
  queryNumber,
  send,
  succeed,
  tokenFrom,
  UNVERIFIED,
} from "../../helpers/http.ts";
import {
  createAda,
  EMAIL,
  eventsOf,
  isLive,
  mailsTo,
  PASSWORD,
  startLogin,
  testAda,
  testAdaAlone,
  type Tokens,
} from "../../helpers/second_factors.ts";
import {
  addPasskey,
  AT,
  BE,
  BS,
  challengePasskey,
  type Changes,
  listPasskeys,
  provePasskey,
  setUpPasskey,
  signInWithPasskey,
  SoftwarePasskey,
  toCbor,
  toCose,
  UP,
  UV,
} from "../../helpers/software_passkey.ts";
import { openTestApp, TEST_URL, type TestApp } from "../../helpers/test_app.ts";
import { statusesOf } from "../../flows/concurrency_services.ts";

const INVALID = "PASSKEY_INVALID";
const TOO_MANY = "TOO_MANY_PASSKEY_CHECKS";

function enable(target: TestApp, token: string, response: unknown): Promise<Answer> {
  return send(target, "POST", "/user/2fa/passkey/enable", { token, body: { response } });
}

function prove(target: TestApp, token: string, response: unknown): Promise<Answer> {
  return send(target, "POST", "/user/2fa/passkey/authenticate", { token, body: { response } });
}

function signIn(target: TestApp, response: unknown): Promise<Answer> {
  return send(target, "POST", "/auth/passkey/login", { body: { response } });
}

/** Steps up, and returns the sudo token. */
async function sudoWith(target: TestApp, token: string, passkey: SoftwarePasskey): Promise<string> {
  return ((await provePasskey(target, token, passkey)).body as Tokens).sudoToken;
}

for (const algorithm of [-8, -7, -257] as const) {
  testAda(
    `a passkey with algorithm ${algorithm} is added, steps up, completes a login and signs in`,
    async (ada) => {
      const { target, accessToken: token } = ada;
      const { passkey, recoveryCodes } = await addPasskey(target, token, { algorithm, name: "Laptop" });
      assert.equal(new Set(recoveryCodes).size, 10);
      assert.deepEqual(await mailsTo(target, EMAIL), [
        ["factor_activated", "passkey"],
        ["factor_confirmation", "passkey"],
      ]);
      const factors = await succeed<Record<string, unknown>>(target, "GET", "/user/2fa", { token });
      assert.deepEqual(Object.keys(factors), ["enabled", "passkey", "recoveryCodes"]);

      const proven = await provePasskey(target, token, passkey);
      assert.deepEqual(Object.keys(proven.body as object), ["sudoToken"], proven.text);

      const tokens = await provePasskey(target, await startLogin(target), passkey);
      assert.equal(tokens.status, 200, tokens.text);
      const { accessToken } = tokens.body as Tokens;
      const { aal, amr } = decodeJwt(accessToken);
      assert.deepEqual({ aal, amr }, { aal: 2, amr: ["pwd", "pop", "user", "mfa"] });

      const signedIn = await signInWithPasskey(target, passkey);
      assert.equal(signedIn.status, 200, signedIn.text);
      const claims = decodeJwt(await tokenFrom(target, "/auth/accesstoken", signedIn.text));
      assert.deepEqual([claims["aal"], claims["amr"]], [2, ["pop", "user", "mfa"]]);
      assert.equal(claims.sub, String(ada.userId));
      const { body } = await send(target, "GET", "/user/2fa/passkey", { token });
      const [{ name, transports, lastUsedAt } = {}] =
        (body as { passkey: Record<string, unknown>[] }).passkey;
      assert.deepEqual([name, transports], ["Laptop", ["internal"]]);
      assert.notEqual(lastUsedAt, null);
    },
  );
}

testAdaAlone("beside a password, a passkey may name no account", async ({ target, accessToken: token }) => {
  const { passkey } = await addPasskey(target, token);
  // As some password managers send it.
  for (const userHandle of [null, ""]) {
    for (const proving of [token, await startLogin(target)]) {
      const answer = await provePasskey(target, proving, passkey, { userHandle });
      assert.equal(answer.status, 200, answer.text);
    }
  }
});

/** The origins of Android apps, as their system names them (of two certificates). */
const APP = `android:apk-key-hash:${"Ab-_".repeat(10)}Abc`;
const OTHER_APP = `android:apk-key-hash:${"Ab-_".repeat(10)}abc`;

Deno.test("a passkey proves itself in a configured Android app, and in no other", async () => {
  const relyingParty = { id: new URL(TEST_URL).hostname, name: "Rolegrid", origins: [TEST_URL, APP] };
  await using target = await openTestApp(ANY_KIND, { relyingParty });
  const { accessToken: token } = await createAda(target);
  const { passkey } = await addPasskey(target, token);
  assert.equal((await signInWithPasskey(target, passkey, { changes: { origin: APP } })).status, 200);
  assertError(await signInWithPasskey(target, passkey, { changes: { origin: OTHER_APP } }), 401, INVALID);
});

/** Each part of a proof, broken once. */
const BROKEN_PROOFS: Readonly<Record<string, Changes>> = {
  "another type": { type: "webauthn.create" },
  "another challenge": { challenge: "AAAA" },
  "another origin": { origin: "https://rolegrid.test.example" },
  "a subdomain as origin": { origin: "https://a.rolegrid.test" },
  "a frame": { crossOrigin: true },
  "a frame that is named": { crossOrigin: true, topOrigin: "https://example.com" },
  "a frame of no other origin": { topOrigin: "https://example.com" },
  "another domain": { rpId: "example.com" },
  "no presence": { flags: UV },
  "a backup without eligibility": { flags: UP | UV | BS },
  "another eligibility": { flags: UP | UV | BE | BS },
  "another account": { userHandle: "AAAA" },
  "an unknown passkey": { id: "AAAA" },
  "a signature of something else": { signs: "nothing" },
};

testAda("a proof with any part broken is refused, counts to the login and changes nothing", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token);
  const unverified: Changes = { flags: UP };
  for (const [what, changes] of Object.entries({ ...BROKEN_PROOFS, "no verified user": unverified })) {
    const answer = await signInWithPasskey(target, passkey, { changes });
    assertError(answer, 401, changes.id === undefined ? INVALID : "PASSKEY_UNKNOWN", what);
  }
  for (const [what, changes] of Object.entries(BROKEN_PROOFS)) {
    assertError(await provePasskey(target, token, passkey, changes), 401, INVALID, what);
  }
  assertError(
    await signInWithPasskey(target, new SoftwarePasskey()),
    401,
    "PASSKEY_UNKNOWN",
    "never added",
  );
  for (const userHandle of [null, ""]) {
    const answer = await signInWithPasskey(target, passkey, { changes: { userHandle } });
    assertError(answer, 401, INVALID, "no account named");
  }
  const partial = await startLogin(target);
  for (let i = 0; i < 5; i++) {
    assertError(await provePasskey(target, partial, passkey, { signs: "nothing" }), 401, INVALID);
  }
  const ended = await send(target, "POST", "/user/2fa/passkey/challenge", { token: partial });
  assertError(ended, 401, UNVERIFIED);
  const failures = `SELECT sum(failures) FROM second_factor WHERE user_id = ${ada.userId}`;
  assert.equal(await queryNumber(target, failures), 0);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM used_challenge"), 1, "that of the setup");
  assert.equal((await signInWithPasskey(target, passkey)).status, 200, "the owner is not locked out");
});

testAdaAlone("a new passkey with any part broken is refused", async ({ target, accessToken: token }) => {
  const broken: Readonly<Record<string, Changes>> = {
    "another type": { type: "webauthn.get" },
    "another challenge": { challenge: "AAAA" },
    "another origin": { origin: "http://rolegrid.test" },
    "a frame": { crossOrigin: true },
    "another domain": { rpId: "example.com" },
    "no presence": { flags: UV | AT },
    "no key": { flags: UP | UV },
    "a backup without eligibility": { flags: UP | UV | AT | BS },
    "an id that is not the key's": { id: "AAAA" },
  };
  for (const [what, changes] of Object.entries(broken)) {
    const response = new SoftwarePasskey().create(await setUpPasskey(target, token), changes);
    assertError(await enable(target, token, response), 401, INVALID, what);
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM passkey"), 0);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM used_challenge"), 0);
});

testAda("a challenge works once, for 5 minutes, for its own purpose and session", async (ada) => {
  const { target, accessToken: token } = ada;
  const options = await setUpPasskey(target, token);
  const passkey = new SoftwarePasskey();
  assert.equal((await enable(target, token, passkey.create(options))).status, 200);
  await execute(target, "UPDATE passkey SET meets = 2 WHERE credential_id = :id", { id: passkey.id });
  const sudoToken = await sudoWith(target, token, passkey);
  const repeated = await enable(target, sudoToken, new SoftwarePasskey().create(options));
  assertError(repeated, 401, INVALID, "the challenge of the first");

  const forLogin = await challengePasskey(target);
  const forSession = await challengePasskey(target, token);
  const partial = await startLogin(target);
  assertError(await prove(target, token, passkey.prove(forLogin)), 401, INVALID);
  assertError(await prove(target, partial, passkey.prove(forSession)), 401, INVALID);
  assertError(await signIn(target, passkey.prove(forSession)), 401, INVALID);
  const used = passkey.prove(forLogin);
  assert.equal((await signIn(target, used)).status, 200);
  assertError(await signIn(target, used), 401, INVALID, "replayed");
  const late = passkey.prove(await challengePasskey(target));
  target.clock.advance(300);
  assertError(await signIn(target, late), 401, INVALID, "late");
});

testAda(
  "a response that is not one of a passkey is malformed, and an unknown field is ignored",
  async ({ target, accessToken: token }) => {
    const { passkey } = await addPasskey(target, token);
    const good = passkey.prove(await challengePasskey(target));
    const { response: inner } = good as { response: Record<string, unknown> };
    const bad: readonly unknown[] = [
      ...Object.keys(good).map((field) => ({ ...good, [field]: undefined })),
      ...["clientDataJSON", "authenticatorData", "signature"].flatMap((field) =>
        [undefined, 1, null, "", "with space", "=", "A".repeat(4097)].map((value) => ({
          ...good,
          response: { ...inner, [field]: value },
        }))
      ),
      { ...good, type: "password" },
      { ...good, id: 1 },
      null,
      [],
    ];
    for (const response of bad) {
      const answer = await signIn(target, response);
      assertError(answer, 400, MALFORMED, JSON.stringify(response));
    }
    const more = { ...good, authenticatorAttachment: "platform", response: { ...inner, future: {} } };
    assert.equal((await signIn(target, more)).status, 200);
  },
);

testAda("of equal responses at the same time, one wins", async ({ target, accessToken: token }) => {
  const { passkey } = await addPasskey(target, token);
  const response = passkey.prove(await challengePasskey(target));
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(target, response)));
  assert.deepEqual(statusesOf(answers), { 200: 1, 401: 7 });
}, forEachApp);

testAdaAlone("a counter that does not increase is refused and mailed, and the passkey stays", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token, { changes: { counter: 5 } });
  for (const counter of [0, 4, 5]) {
    assertError(
      await signInWithPasskey(target, passkey, { changes: { counter } }),
      401,
      INVALID,
      String(counter),
    );
  }
  assert.deepEqual(await eventsOf(target, "passkey.login"), ["copied", "copied", "copied"]);
  const mails = (await mailsTo(target, EMAIL)).filter(([template]) => template === "passkey_copied");
  assert.equal(mails.length, 3);
  assert.equal((await signInWithPasskey(target, passkey, { changes: { counter: 6 } })).status, 200);
  assertError(await provePasskey(target, token, passkey, { counter: 6 }), 401, INVALID);
});

testAda("a passkey made without a verified user stays one factor after a verification", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token, { changes: { flags: UP | AT } });
  assertError(await signInWithPasskey(target, passkey), 401, INVALID);
  const tokens = await provePasskey(target, await startLogin(target), passkey);
  assert.deepEqual(decodeJwt((tokens.body as Tokens).accessToken)["amr"], ["pwd", "pop"]);
  assertError(await signInWithPasskey(target, passkey), 401, INVALID, "still");
});

testAda("another user's passkey proves nothing, and is as unknown as none", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token);
  const { userId } = await target.createUser("eve@example.com");
  await target.setPassword(userId, PASSWORD);
  const { accessToken: eve } = await logInFully(target, "eve@example.com", PASSWORD);
  const { passkey: own } = await addPasskey(target, eve);
  assertError(await provePasskey(target, eve, passkey), 401, INVALID);
  const sudoToken = await sudoWith(target, eve, own);
  for (const id of [(await listPasskeys(target, token))[0], 999_999]) {
    const path = `/user/2fa/passkey/${id}`;
    assertError(await send(target, "PUT", path, { token: eve, body: { name: "mine" } }), 403, DENIED);
    assertError(await send(target, "DELETE", path, { token: sudoToken }), 403, DENIED);
  }
  const taken = await enable(target, sudoToken, passkey.create(await setUpPasskey(target, sudoToken)));
  assertError(taken, 409, "PASSKEY_ALREADY_ACTIVE");
});

testAda("removing a passkey ends other sessions, and the last one the recovery codes, too", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token);
  const other = await tokenFrom(
    target,
    "/auth/accesstoken",
    (await signInWithPasskey(target, passkey)).text,
  );
  const sudoToken = await sudoWith(target, token, passkey);
  const path = `/user/2fa/passkey/${(await listPasskeys(target, token))[0]}`;
  assertError(await send(target, "DELETE", path, { token }), 401, "SUDO_TOKEN_REQUIRED");
  await succeed(target, "PUT", path, { token, body: { name: "Old" } });
  await succeed(target, "DELETE", path, { token: sudoToken });
  assert.deepEqual([await isLive(target, token), await isLive(target, other)], [true, false]);
  assert.deepEqual(await succeed(target, "GET", "/user/2fa", { token }), { enabled: false });
  assertError(await signInWithPasskey(target, passkey), 401, "PASSKEY_UNKNOWN", "removed");
  assert.equal((await login(target, EMAIL, PASSWORD)).status, 200, "no second factor is left");
  const codes = `SELECT count(*) FROM recovery_code WHERE user_id = ${ada.userId}`;
  assert.equal(await queryNumber(target, codes), 0);
});

testAda("a thief of a session gets no further with a passkey of their own", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token, { isConfirmed: false });
  assertError(await signInWithPasskey(target, passkey), 409, "PASSKEY_UNCONFIRMED");
  const answer = await send(target, "PUT", "/v1/role/1/password", {
    token,
    headers: { "X-Sudo-Token": await sudoWith(target, token, passkey) },
    body: { password: "a password of a role" },
  });
  assertError(answer, 401, "SUDO_TOKEN_REQUIRED");
});

testAda("a key on another curve, or of a weak or costly size, is refused", async (ada) => {
  const { target, accessToken: token } = ada;
  const [ec, rsa] = [new SoftwarePasskey(-7), new SoftwarePasskey(-257)];
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
  const [x, y] = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
  assert.ok(x && y);
  const made: [SoftwarePasskey, Uint8Array][] = [
    [ec, toCbor([[1, 2], [3, -7], [-1, 1], [-2, x], [-3, y]])],
    [ec, toCose(-7, p384)],
    // Their moduli are not of two primes, which take up to a minute to find.
    ...[1024, 8192].map((bits): [SoftwarePasskey, Uint8Array] => {
      const modulus = new Uint8Array(bits / 8).fill(0xff);
      return [rsa, toCbor([[1, 3], [3, -257], [-1, modulus], [-2, new Uint8Array([1, 0, 1])]])];
    }),
  ];
  for (const [passkey, publicKey] of made) {
    const response = passkey.create(await setUpPasskey(target, token), { publicKey });
    assertError(await enable(target, token, response), 401, INVALID);
  }
});

testAda("two setups at once make passkeys of one handle only", async ({ target, accessToken: token }) => {
  const [first, second] = [await setUpPasskey(target, token), await setUpPasskey(target, token)];
  const passkey = new SoftwarePasskey();
  assert.equal((await enable(target, token, passkey.create(first))).status, 200);
  const sudoToken = await sudoWith(target, token, passkey);
  assertError(await enable(target, sudoToken, new SoftwarePasskey().create(second)), 401, INVALID);
});

testAda("an account has at most 20 passkeys, all under one handle", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token);
  const sudo = () => sudoWith(target, token, passkey);
  for (let i = 1; i < 20; i++) {
    const added = await addPasskey(target, await sudo());
    assert.equal(added.passkey.userHandle, passkey.userHandle);
  }
  const full = "The account has 20 passkeys already: remove one that is not needed";
  assertError(await send(target, "POST", "/user/2fa/passkey/setup", { token: await sudo() }), 409, full);
  const [, other] = await listPasskeys(target, token);
  await succeed(target, "DELETE", `/user/2fa/passkey/${other}`, { token: await sudo() });
  const response = new SoftwarePasskey().create(await setUpPasskey(target, await sudo()));
  assertWait(await enable(target, await sudo(), response), TOO_MANY, 86_400);
});

testAda("after 50 wrong responses a passkey waits in that network, and only there", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token);
  const { passkey: neighbours } = await addPasskey(target, await sudoWith(target, token, passkey));
  for (let i = 0; i < 50; i++) {
    assertError(await signInWithPasskey(target, passkey, { changes: { signs: "nothing" } }), 401, INVALID);
    assertError(await signInWithPasskey(target, new SoftwarePasskey(-8)), 401, "PASSKEY_UNKNOWN");
  }
  assertWait(await signInWithPasskey(target, new SoftwarePasskey(-8)), TOO_MANY, 3600);
  assert.equal((await signInWithPasskey(target, neighbours)).status, 200, "another passkey of the network");
  assertWait(await signInWithPasskey(target, passkey), TOO_MANY, 3600);
  assertWait(await provePasskey(target, token, passkey), TOO_MANY, 3600);
  assert.equal((await signInWithPasskey(target, passkey, { from: "203.0.113.77" })).status, 200);
});

testAda("a deleted account's passkey does not sign in, and options tell of no account", async (ada) => {
  const { target, accessToken: token } = ada;
  const before = await challengePasskey(target);
  const { passkey } = await addPasskey(target, token);
  await succeed(target, "DELETE", "/user", { token: await sudoWith(target, token, passkey) });
  assert.deepEqual({ ...await challengePasskey(target), challenge: "" }, { ...before, challenge: "" });
  assert.ok(!("allowCredentials" in before));
  assertError(await signInWithPasskey(target, passkey), 401, "PASSKEY_UNKNOWN");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM passkey"), 0);
});
