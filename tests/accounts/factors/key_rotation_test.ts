/** Secrets of apps under a new secret key: resealed by a right code, and out of reach without their own key. */
import assert from "node:assert/strict";
import { createApp } from "../../../src/app.ts";
import { createSecrets, type SecretKey } from "../../../src/core/secrets.ts";
import { type Answer, assertError, query, send } from "../../helpers/http.ts";
import { UNAVAILABLE } from "../../every_operation/random_faults.ts";
import { activateTotp, type Ada, eventsOf, testAda, testAdaAlone } from "../../helpers/second_factors.ts";

/** The key of the test app, and a newer one. */
const OLD: SecretKey = { id: "test", bytes: new Uint8Array(32).fill(7) };
const NEW: SecretKey = { id: "next", bytes: new Uint8Array(32).fill(8) };

/** Verifies a code with a service that has these keys, newest first. */
async function proveWith(
  { target, accessToken: token }: Ada,
  keys: readonly SecretKey[],
  totp: string,
): Promise<Answer> {
  const app = createApp({ ...target.deps, secrets: await createSecrets(keys) });
  const request: typeof target.request = async (path, init) => await app.request(path, init);
  return await send({ request }, "POST", "/user/2fa/totp/authenticate", { token, body: { totp } });
}

async function sealedSecret({ target }: Ada): Promise<string> {
  const sql = "SELECT sealed_secret AS sealed FROM second_factor WHERE kind = 'totp'";
  return (await query<{ sealed: string }>(target, sql))[0]?.sealed ?? "";
}

async function sealingKey(ada: Ada): Promise<string | undefined> {
  return (await sealedSecret(ada)).split(".")[0];
}

testAdaAlone("a right code reseals the secret with the newest key, and the old one may go", async (ada) => {
  const { app } = await activateTotp(ada.target, ada.accessToken);
  assert.equal(await sealingKey(ada), OLD.id);
  assertError(await proveWith(ada, [NEW, OLD], app.wrongCode()), 401, "TOTP_INVALID");
  assert.equal(await sealingKey(ada), OLD.id, "a wrong code changes nothing");
  const code = app.code();
  assert.equal((await proveWith(ada, [NEW, OLD], code)).status, 200);
  assert.equal(await sealingKey(ada), NEW.id);
  assertError(await proveWith(ada, [NEW, OLD], code), 401, "TOTP_INVALID", "its step is used up");
  ada.target.clock.advance(30);
  assert.equal((await proveWith(ada, [NEW], app.code())).status, 200);
});

testAda("a secret already sealed with the newest key stays unchanged", async (ada) => {
  const { app } = await activateTotp(ada.target, ada.accessToken);
  const before = await sealedSecret(ada);
  assert.equal((await proveWith(ada, [OLD, NEW], app.code())).status, 200);
  assert.equal(await sealedSecret(ada), before);
});

testAda("without a secret's key, a code gets a 503, no guess counts, and the key is logged", async (ada) => {
  const { app } = await activateTotp(ada.target, ada.accessToken);
  for (const code of [app.code(), app.wrongCode()]) {
    assertError(await proveWith(ada, [NEW], code), 503, UNAVAILABLE);
    const line = ada.target.logLines.find((each) => each.includes('"request.failed"')) ?? "";
    assert.match(line, /"code":"UNAVAILABLE".*no key \\"test\\" in SECRET_KEYS/);
  }
  assert.deepEqual(await eventsOf(ada.target, "totp.authenticate"), [], "nothing counts as a guess");
  assert.equal((await proveWith(ada, [NEW, OLD], app.code())).status, 200, "the key is back");
});
