/** Key sets for tokens: generated, imported, published, and refused with the place of the fault. */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import {
  generateTokenKeys,
  importTokenKeys,
  parseTokenKeys,
  publicJwks,
} from "../../src/identity/token/token_keys.ts";

interface KeySet {
  keys: Record<string, unknown>[];
}

async function generated(): Promise<Record<string, unknown>> {
  const set: KeySet = JSON.parse(await generateTokenKeys());
  return set.keys[0] ?? {};
}

Deno.test("Generated keys can be imported, each with its own key id", async () => {
  const [one, two] = [await generated(), await generated()];
  assert.equal((await importTokenKeys(JSON.stringify({ keys: [one] }))).signingKeyId, one["kid"]);
  assert.notEqual(one["kid"], two["kid"]);
});

Deno.test("The first key signs and every key verifies", async () => {
  const [newest, older] = [await generated(), await generated()];
  const keys = await importTokenKeys(JSON.stringify({ keys: [newest, older] }));
  assert.equal(keys.signingKeyId, newest["kid"]);
  assert.deepEqual([...keys.verificationKeys.keys()], [newest["kid"], older["kid"]]);
  const message = new Uint8Array([1, 2, 3]);
  const signature = await crypto.subtle.sign("Ed25519", keys.signingKey, message);
  const publicKey = keys.verificationKeys.get(String(newest["kid"]));
  assert(publicKey !== undefined);
  assert.equal(await crypto.subtle.verify("Ed25519", publicKey, signature, message), true);
});

Deno.test("The published keys hold only the public members", async () => {
  const key = { ...await generated(), note: "private", key_ops: ["sign"], ext: true };
  const published = publicJwks(await importTokenKeys(JSON.stringify({ keys: [key] })));
  const { x, kid } = key as Record<string, unknown>;
  assert.deepEqual(published, { keys: [{ kty: "OKP", crv: "Ed25519", x, kid, alg: "EdDSA", use: "sig" }] });
});

Deno.test("The imported private key cannot be exported", async () => {
  const { signingKey } = await importTokenKeys(await generateTokenKeys());
  await assert.rejects(crypto.subtle.exportKey("jwk", signingKey));
});

Deno.test("Two keys under one id are refused", async () => {
  const [one, two] = [await generated(), await generated()];
  const text = JSON.stringify({ keys: [one, { ...two, kid: one["kid"] }] });
  assert.throws(() => parseTokenKeys(text), /two keys the same "kid"/);
});

const BYTES_OF = (member: string): string => `key 2 must have 32 bytes of base64url as "${member}"`;
const KEY_ID_FORM = 'key 2 must have a "kid" of 1 to 64 letters, digits, "_" or "-"';

const REFUSALS: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ kty: "EC" }, 'key 2 must have "kty" OKP'],
  [{ crv: "X25519" }, 'key 2 must have "crv" Ed25519'],
  [{ kid: 5 }, 'key 2 must have a "kid"'],
  [{ kid: undefined }, 'key 2 must have "kid"'],
  [{ kid: "" }, KEY_ID_FORM],
  [{ kid: "a b" }, KEY_ID_FORM],
  [{ kid: " a" }, KEY_ID_FORM],
  [{ kid: "a " }, KEY_ID_FORM],
  [{ kid: "x".repeat(65) }, KEY_ID_FORM],
  [{ alg: "ES256" }, 'key 2 must have "alg" EdDSA or none'],
  [{ use: "enc" }, 'key 2 must have "use" sig or none'],
  [{ x: 5 }, BYTES_OF("x")],
  [{ x: undefined }, 'key 2 must have "x"'],
  [{ x: "c2hvcnQ" }, BYTES_OF("x")],
  [{ x: `${"A".repeat(43)}=` }, BYTES_OF("x")],
  [{ d: undefined }, 'key 2 must have "d"'],
  [{ d: "c2hvcnQ" }, BYTES_OF("d")],
];

for (const [change, message] of REFUSALS) {
  Deno.test(`A key with ${inspect(change)} is refused: ${message.slice(6)}`, async () => {
    const text = JSON.stringify({ keys: [await generated(), { ...await generated(), ...change }] });
    assert.throws(() => parseTokenKeys(text), { name: "RangeError", message });
  });
}

Deno.test("A key that is not an object is refused with its position", () => {
  for (const key of ["5", "null"]) {
    assert.throws(() => parseTokenKeys(`{"keys":[${key}]}`), {
      name: "RangeError",
      message: "key 1 must be an object",
    });
  }
});

Deno.test("A text that is not a list of keys is refused with the expected form", () => {
  const message = 'must be a JSON object with a list "keys" of one or more';
  for (const text of ["", "{", "null", "5", "[]", "{}", '{"keys":5}', '{"keys":{}}', '{"keys":[]}']) {
    assert.throws(() => parseTokenKeys(text), { name: "RangeError", message });
  }
});

Deno.test("A key may lack algorithm and use, and its id may have 64 characters", async () => {
  const kid = "x".repeat(64);
  const key = { ...await generated(), alg: undefined, use: undefined, kid };
  const { signingKeyId, publicJwks: [published] } = await importTokenKeys(JSON.stringify({ keys: [key] }));
  assert.deepEqual([signingKeyId, published?.alg, published?.use], [kid, "EdDSA", "sig"]);
});

Deno.test("A public member that belongs to another key is refused with the position of its key", async () => {
  const [one, two, three] = [await generated(), await generated(), await generated()];
  const text = JSON.stringify({ keys: [one, { ...two, x: three["x"] }] });
  await assert.rejects(importTokenKeys(text), {
    name: "RangeError",
    message: 'key 2 has an "x" that does not belong to its "d"',
  });
});
