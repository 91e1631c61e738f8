import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { decodeJwt } from "jose";
import {
  type Answer,
  assertError,
  assertWait,
  execute,
  forEachApp,
  login,
  query,
  queryNumber,
  send,
  succeed,
  tokenFrom,
} from "../../helpers/http.ts";
import { ANY_KIND } from "../../helpers/databases.ts";
import {
  activateTotp,
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
  type Algorithm,
  AT,
  BE,
  BS,
  challengePasskey,
  type Changes,
  setUpPasskey,
  SoftwarePasskey,
  toCbor,
  toCose,
  UP,
  UV,
} from "../../helpers/software_passkey.ts";
import { openTestApp, TEST_URL, type TestApp } from "../../helpers/test_app.ts";

function prove(target: TestApp, token: string, response: unknown, from?: string): Promise<Answer> {
  const sent = { token, body: { response }, ...(from !== undefined && { from }) };
  return send(target, "POST", "/user/2fa/passkey/authenticate", sent);
}

function signIn(target: TestApp, response: unknown, from?: string): Promise<Answer> {
  const sent = { body: { response }, ...(from !== undefined && { from }) };
  return send(target, "POST", "/auth/passkey/login", sent);
}

async function signInWith(target: TestApp, passkey: SoftwarePasskey, changes?: Changes): Promise<Answer> {
  return await signIn(target, passkey.prove(await challengePasskey(target), changes));
}

/** Steps up, and returns the sudo token. */
async function sudoWith(target: TestApp, token: string, passkey: SoftwarePasskey): Promise<string> {
  const answer = await prove(target, token, passkey.prove(await challengePasskey(target, token)));
  return (answer.body as Tokens).sudoToken;
}

async function claimsAfter(target: TestApp, refreshToken: string): Promise<Record<string, unknown>> {
  return decodeJwt(await tokenFrom(target, "/auth/accesstoken", refreshToken));
}

const ALGORITHMS: readonly Algorithm[] = [-8, -7, -257];

for (const algorithm of ALGORITHMS) {
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

      const proven = await prove(target, token, passkey.prove(await challengePasskey(target, token)));
      assert.deepEqual(Object.keys(proven.body as object), ["sudoToken"], proven.text);

      const partial = await startLogin(target);
      const tokens = await prove(target, partial, passkey.prove(await challengePasskey(target, partial)));
      assert.equal(tokens.status, 200, tokens.text);
      const { accessToken } = tokens.body as Tokens;
      const { aal, amr } = decodeJwt(accessToken);
      assert.deepEqual({ aal, amr }, { aal: 2, amr: ["pwd", "pop", "user", "mfa"] });

      const signedIn = await signInWith(target, passkey);
      assert.equal(signedIn.status, 200, signedIn.text);
      const claims = await claimsAfter(target, signedIn.text);
      assert.deepEqual([claims["aal"], claims["amr"]], [2, ["pop", "user", "mfa"]]);
      assert.equal(claims["sub"], String(ada.userId));
      const { passkey: [listed] } = await succeed<{ passkey: Record<string, unknown>[] }>(
        target,
        "GET",
        "/user/2fa/passkey",
        { token },
      );
      assert.equal(listed?.["name"], "Laptop");
      assert.deepEqual(listed?.["transports"], ["internal"]);
      assert.notEqual(listed?.["lastUsedAt"], null);
    },
  );
}

testAdaAlone(
  "beside a password, a passkey need not name its account: null or empty, as some password managers send it",
  async ({ target, accessToken: token }) => {
    const { passkey } = await addPasskey(target, token);
    for (const userHandle of [null, ""]) {
      for (const proving of [token, await startLogin(target)]) {
        const response = passkey.prove(await challengePasskey(target, proving), { userHandle });
        const answer = await prove(target, proving, response);
        assert.equal(answer.status, 200, answer.text);
      }
    }
  },
);

/** The origins of Android apps, as their system names them (of two certificates). */
const APP = `android:apk-key-hash:${"Ab-_".repeat(10)}Abc`;
const OTHER_APP = `android:apk-key-hash:${"Ab-_".repeat(10)}abc`;

Deno.test("a passkey proves itself in a configured Android app, and in no other", async () => {
  const relyingParty = { id: new URL(TEST_URL).hostname, name: "Rolegrid", origins: [TEST_URL, APP] };
  await using target = await openTestApp(ANY_KIND, { relyingParty });
  const { accessToken: token } = await createAda(target);
  const { passkey } = await addPasskey(target, token);
  assert.equal((await signInWith(target, passkey, { origin: APP })).status, 200);
  assertError(await signInWith(target, passkey, { origin: OTHER_APP }), 401, "PASSKEY_INVALID");
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

testAda(
  "a proof with any part broken is refused, counts to the login, and changes nothing else",
  async (ada) => {
    const { target, accessToken: token } = ada;
    const { passkey } = await addPasskey(target, token);
    for (
      const [what, changes] of Object.entries<Changes>({
        ...BROKEN_PROOFS,
        "no verified user": { flags: UP },
      })
    ) {
      const answer = await signInWith(target, passkey, changes);
      assertError(answer, 401, changes.id === undefined ? "PASSKEY_INVALID" : "PASSKEY_UNKNOWN", what);
    }
    for (const [what, changes] of Object.entries(BROKEN_PROOFS)) {
      const answer = await prove(
        target,
        token,
        passkey.prove(await challengePasskey(target, token), changes),
      );
      assertError(answer, 401, "PASSKEY_INVALID", what);
    }
    assertError(await signInWith(target, new SoftwarePasskey()), 401, "PASSKEY_UNKNOWN", "never added");
    for (const userHandle of [null, ""]) {
      const answer = await signInWith(target, passkey, { userHandle });
      assertError(answer, 401, "PASSKEY_INVALID", "no account named");
    }
    const partial = await startLogin(target);
    for (let i = 0; i < 5; i++) {
      const wrong = passkey.prove(await challengePasskey(target, partial), { signs: "nothing" });
      assertError(await prove(target, partial, wrong), 401, "PASSKEY_INVALID");
    }
    assertError(
      await send(target, "POST", "/user/2fa/passkey/challenge", { token: partial }),
      401,
      "Failed to verify token",
    );
    assert.equal(
      await queryNumber(target, `SELECT sum(failures) FROM second_factor WHERE user_id = ${ada.userId}`),
      0,
    );
    assert.equal(await queryNumber(target, "SELECT count(*) FROM used_challenge"), 1, "that of the setup");
    assert.equal((await signInWith(target, passkey)).status, 200, "the owner is not locked out");
  },
);

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
    const answer = await send(target, "POST", "/user/2fa/passkey/enable", { token, body: { response } });
    assertError(answer, 401, "PASSKEY_INVALID", what);
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM passkey"), 0);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM used_challenge"), 0);
});

testAda("a challenge works once, for 5 minutes, for its own purpose and session", async (ada) => {
  const { target, accessToken: token } = ada;
  const options = await setUpPasskey(target, token);
  const enable = (response: unknown) =>
    send(target, "POST", "/user/2fa/passkey/enable", { token, body: { response } });
  const passkey = new SoftwarePasskey();
  assert.equal((await enable(passkey.create(options))).status, 200);
  await execute(target, "UPDATE passkey SET meets = 2 WHERE credential_id = :id", { id: passkey.id });
  const again = new SoftwarePasskey();
  const { sudoToken } = await succeed<Tokens>(target, "POST", "/user/2fa/passkey/authenticate", {
    token,
    body: { response: passkey.prove(await challengePasskey(target, token)) },
  });
  const repeated = await send(target, "POST", "/user/2fa/passkey/enable", {
    token: sudoToken,
    body: { response: again.create(options) },
  });
  assertError(repeated, 401, "PASSKEY_INVALID", "the challenge of the first");

  const forLogin = await challengePasskey(target);
  const forSession = await challengePasskey(target, token);
  const partial = await startLogin(target);
  assertError(await prove(target, token, passkey.prove(forLogin)), 401, "PASSKEY_INVALID");
  assertError(await prove(target, partial, passkey.prove(forSession)), 401, "PASSKEY_INVALID");
  assertError(await signIn(target, passkey.prove(forSession)), 401, "PASSKEY_INVALID");
  const used = passkey.prove(forLogin);
  assert.equal((await signIn(target, used)).status, 200);
  assertError(await signIn(target, used), 401, "PASSKEY_INVALID", "replayed");
  const late = passkey.prove(await challengePasskey(target));
  target.clock.advance(300);
  assertError(await signIn(target, late), 401, "PASSKEY_INVALID", "late");
});

testAda(
  "a response that is not one of a passkey is malformed, and an unknown field is ignored",
  async (ada) => {
    const { target, accessToken: token } = ada;
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
      assertError(answer, 400, "Missing or misformatted query parameter or body", JSON.stringify(response));
    }
    const more = { ...good, authenticatorAttachment: "platform", response: { ...inner, future: {} } };
    assert.equal((await signIn(target, more)).status, 200);
  },
);

testAda("of equal responses at the same time, one wins", async ({ target, accessToken: token }) => {
  const { passkey } = await addPasskey(target, token);
  const response = passkey.prove(await challengePasskey(target));
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(target, response)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)]);
}, forEachApp);

testAdaAlone("a counter that does not increase is refused and mailed, and the passkey stays", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token, { changes: { counter: 5 } });
  for (const counter of [0, 4, 5]) {
    assertError(await signInWith(target, passkey, { counter }), 401, "PASSKEY_INVALID", String(counter));
  }
  assert.deepEqual(await eventsOf(target, "passkey.login"), ["copied", "copied", "copied"]);
  assert.equal(
    (await mailsTo(target, EMAIL)).filter(([template]) => template === "passkey_copied").length,
    3,
  );
  assert.equal((await signInWith(target, passkey, { counter: 6 })).status, 200);
  const same = passkey.prove(await challengePasskey(target, token), { counter: 6 });
  assertError(await prove(target, token, same), 401, "PASSKEY_INVALID");
});

testAda(
  "a passkey made without a verified user is one factor, also after a first verification",
  async (ada) => {
    const { target, accessToken: token } = ada;
    const { passkey } = await addPasskey(target, token, { changes: { flags: UP | AT } });
    assertError(await signInWith(target, passkey), 401, "PASSKEY_INVALID");
    const partial = await startLogin(target);
    const tokens = await prove(target, partial, passkey.prove(await challengePasskey(target, partial)));
    assert.deepEqual(decodeJwt((tokens.body as Tokens).accessToken)["amr"], ["pwd", "pop"]);
    assertError(await signInWith(target, passkey), 401, "PASSKEY_INVALID", "still");
  },
);

testAda(
  "another user's passkey proves nothing, and is as unknown as one that does not exist",
  async (ada) => {
    const { target, accessToken: token } = ada;
    const { passkey } = await addPasskey(target, token);
    const { userId } = await target.createUser("eve@example.com");
    await target.setPassword(userId, PASSWORD);
    const eve = await tokenFrom(
      target,
      "/auth/accesstoken",
      (await login(target, "eve@example.com", PASSWORD)).text,
    );
    const own = (await addPasskey(target, eve)).passkey;
    const stolen = passkey.prove(await challengePasskey(target, eve));
    assertError(await prove(target, eve, stolen), 401, "PASSKEY_INVALID");
    const { sudoToken } = (await prove(target, eve, own.prove(await challengePasskey(target, eve))))
      .body as Tokens;
    const [row] = await query<{ id: number }>(target, "SELECT id FROM passkey WHERE credential_id = :id", {
      id: passkey.id,
    });
    for (const id of [row?.id, 999_999]) {
      const path = `/user/2fa/passkey/${id}`;
      const renamed = await send(target, "PUT", path, { token: eve, body: { name: "mine" } });
      assertError(renamed, 403, "User does not have sufficient rights");
      assertError(
        await send(target, "DELETE", path, { token: sudoToken }),
        403,
        "User does not have sufficient rights",
      );
    }
    const options = await setUpPasskey(target, sudoToken);
    const taken = await send(target, "POST", "/user/2fa/passkey/enable", {
      token: sudoToken,
      body: { response: passkey.create(options) },
    });
    assertError(taken, 409, "PASSKEY_ALREADY_ACTIVE");
  },
);

testAda(
  "removing a passkey ends other sessions; the last one takes the recovery codes along",
  async (ada) => {
    const { target, accessToken: token } = ada;
    const { passkey } = await addPasskey(target, token);
    const other = await tokenFrom(target, "/auth/accesstoken", (await signInWith(target, passkey)).text);
    const proven = await prove(target, token, passkey.prove(await challengePasskey(target, token)));
    const { passkey: [listed] } = await succeed<{ passkey: { id: number }[] }>(
      target,
      "GET",
      "/user/2fa/passkey",
      {
        token,
      },
    );
    const path = `/user/2fa/passkey/${listed?.id}`;
    assertError(await send(target, "DELETE", path, { token }), 401, "SUDO_TOKEN_REQUIRED");
    await succeed(target, "PUT", path, { token, body: { name: "Old" } });
    await succeed(target, "DELETE", path, { token: (proven.body as Tokens).sudoToken });
    assert.deepEqual([await isLive(target, token), await isLive(target, other)], [true, false]);
    assert.deepEqual(await succeed(target, "GET", "/user/2fa", { token }), { enabled: false });
    assertError(await signInWith(target, passkey), 401, "PASSKEY_UNKNOWN", "removed");
    assert.equal((await login(target, EMAIL, PASSWORD)).status, 200, "no second factor is left");
    assert.equal(
      await queryNumber(target, `SELECT count(*) FROM recovery_code WHERE user_id = ${ada.userId}`),
      0,
    );
  },
);

testAda("a stolen session cannot add a passkey to an account with a factor", async (ada) => {
  const { target, accessToken: token } = ada;
  await activateTotp(target, token);
  for (const path of ["/user/2fa/passkey/setup", "/user/2fa/passkey/enable"]) {
    const body = path.endsWith("setup")
      ? {}
      : { response: new SoftwarePasskey().create({ challenge: "AAAA" }) };
    assertError(await send(target, "POST", path, { token, body }), 401, "SUDO_TOKEN_REQUIRED");
  }
});

testAda(
  "a thief of a session gets no further with a passkey of their own",
  async ({ target, accessToken: token }) => {
    const { passkey } = await addPasskey(target, token, { isConfirmed: false });
    assertError(await signInWith(target, passkey), 409, "PASSKEY_UNCONFIRMED");
    const sudoToken = await sudoWith(target, token, passkey);
    const answer = await send(target, "PUT", "/v1/role/1/password", {
      token,
      headers: { "X-Sudo-Token": sudoToken },
      body: { password: "a password of a role" },
    });
    assertError(answer, 401, "SUDO_TOKEN_REQUIRED");
  },
);

testAda(
  "a key on another curve, or of a weak or costly size, is refused",
  async ({ target, accessToken: token }) => {
    const [ec, rsa] = [new SoftwarePasskey(-7), new SoftwarePasskey(-257)];
    const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
    // Not of two primes, which take up to a minute to find.
    const moduli = [1024, 8192].map((bits) => new Uint8Array(bits / 8).fill(0xff));
    const made = [
      [
        ec,
        toCbor([[1, 2], [3, -7], [-1, 1], [-2, new Uint8Array(32).fill(1)], [
          -3,
          new Uint8Array(32).fill(2),
        ]]),
      ],
      [ec, toCose(-7, p384)],
      ...moduli.map((modulus) =>
        [rsa, toCbor([[1, 3], [3, -257], [-1, modulus], [-2, new Uint8Array([1, 0, 1])]])] as const
      ),
    ] as const;
    for (const [passkey, publicKey] of made) {
      const response = passkey.create(await setUpPasskey(target, token), { publicKey });
      const answer = await send(target, "POST", "/user/2fa/passkey/enable", { token, body: { response } });
      assertError(answer, 401, "PASSKEY_INVALID");
    }
  },
);

testAda("two setups at once make passkeys of one handle only", async ({ target, accessToken: token }) => {
  const [first, second] = [await setUpPasskey(target, token), await setUpPasskey(target, token)];
  const enable = (options: typeof first, bearer: string, passkey = new SoftwarePasskey()) =>
    send(target, "POST", "/user/2fa/passkey/enable", {
      token: bearer,
      body: { response: passkey.create(options) },
    });
  const passkey = new SoftwarePasskey();
  assert.equal((await enable(first, token, passkey)).status, 200);
  assertError(await enable(second, await sudoWith(target, token, passkey)), 401, "PASSKEY_INVALID");
});

testAda("an account has at most 20 passkeys, all under one handle", async (ada) => {
  const { target, accessToken: token } = ada;
  const { passkey } = await addPasskey(target, token);
  const sudo = () => sudoWith(target, token, passkey);
  for (let i = 1; i < 20; i++) {
    const added = await addPasskey(target, await sudo());
    assert.equal(added.passkey.userHandle, passkey.userHandle);
  }
  assertError(
    await send(target, "POST", "/user/2fa/passkey/setup", { token: await sudo() }),
    409,
    "The account has 20 passkeys already: remove one that is not needed",
  );
  const { passkey: [, ...others] } = await succeed<{ passkey: { id: number }[] }>(
    target,
    "GET",
    "/user/2fa/passkey",
    { token },
  );
  await succeed(target, "DELETE", `/user/2fa/passkey/${others[0]?.id}`, { token: await sudo() });
  const response = new SoftwarePasskey().create(await setUpPasskey(target, await sudo()));
  const more = { token: await sudo(), body: { response } };
  assertWait(await send(target, "POST", "/user/2fa/passkey/enable", more), "TOO_MANY_PASSKEY_CHECKS", 86_400);
});

testAda(
  "after 50 wrong responses a passkey waits in that network, but no other passkey and no other network does",
  async (ada) => {
    const { target, accessToken: token } = ada;
    const { passkey } = await addPasskey(target, token);
    const { passkey: neighbours } = await addPasskey(target, await sudoWith(target, token, passkey));
    for (let i = 0; i < 50; i++) {
      assertError(await signInWith(target, passkey, { signs: "nothing" }), 401, "PASSKEY_INVALID");
      assertError(await signInWith(target, new SoftwarePasskey(-8)), 401, "PASSKEY_UNKNOWN");
    }
    assertWait(await signInWith(target, new SoftwarePasskey(-8)), "TOO_MANY_PASSKEY_CHECKS", 3600);
    assert.equal((await signInWith(target, neighbours)).status, 200, "another passkey of the network");
    assertWait(await signInWith(target, passkey), "TOO_MANY_PASSKEY_CHECKS", 3600);
    const proven = await prove(target, token, passkey.prove(await challengePasskey(target, token)));
    assertWait(proven, "TOO_MANY_PASSKEY_CHECKS", 3600);
    const response = passkey.prove(await challengePasskey(target));
    assert.equal((await signIn(target, response, "203.0.113.77")).status, 200);
  },
);

testAda(
  "a deleted account's passkey does not sign in, and options tell nothing about accounts",
  async (ada) => {
    const { target, accessToken: token } = ada;
    const before = await challengePasskey(target);
    const { passkey } = await addPasskey(target, token);
    const proven = await prove(target, token, passkey.prove(await challengePasskey(target, token)));
    await succeed(target, "DELETE", "/user", { token: (proven.body as Tokens).sudoToken });
    assert.deepEqual({ ...await challengePasskey(target), challenge: "" }, { ...before, challenge: "" });
    assert.ok(!("allowCredentials" in before));
    assertError(await signInWith(target, passkey), 401, "PASSKEY_UNKNOWN");
    assert.equal(await queryNumber(target, "SELECT count(*) FROM passkey"), 0);
  },
);
