/** Secrets of keys: their form, their proof, and that only a genuine one is read. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createSecrets, type SecretKey } from "../../src/core/secrets.ts";
import {
  claimsToBeRoleKey,
  drawRoleKey,
  makeRoleKey,
  readRoleKey,
  rememberRoleKeys,
} from "../../src/identity/token/role_key.ts";

function key(id: string): SecretKey {
  return { id, bytes: new Uint8Array(Buffer.alloc(32, id)) };
}

const secrets = await createSecrets([key("a")]);
const drawn = await drawRoleKey(secrets);
const SECRET = await makeRoleKey(secrets, 2071, drawn.random);

/** The text with its checksum, which needs no secret. */
function withChecksum(text: string): string {
  return text + createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** The text with another character at a position. */
function altered(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === "0" ? "1" : "0") + text.slice(at + 1);
}

Deno.test("Reading a key's secret returns its id and its stored MAC", async () => {
  assert.deepEqual(await readRoleKey(secrets, SECRET), { keyId: 2071, mac: drawn.mac });
  assert.ok(claimsToBeRoleKey(SECRET));
});

Deno.test("A key's secret has a form that scanners recognize and a checksum that any program can verify", () => {
  assert.match(SECRET, /^rgk_2071_[A-Za-z0-9_-]{54}[0-9a-f]{8}$/);
  assert.equal(withChecksum(SECRET.slice(0, -8)), SECRET);
});

Deno.test("Each key has 24 random bytes, of which the first 4 characters are shown", async () => {
  const another = await drawRoleKey(secrets);
  assert.notEqual(another.random, drawn.random);
  assert.notEqual(another.mac, drawn.mac);
  assert.equal(Buffer.from(drawn.random, "base64url").byteLength, 24);
  assert.equal(drawn.shown, drawn.random.slice(0, 4));
});

Deno.test("The stored MAC of a key covers its random part, for this use alone", async () => {
  assert.equal(drawn.mac, (await secrets.macs("role_key", drawn.random))[0]);
});

Deno.test("The proof in a secret is a MAC of the id and the random part, for this use alone", async () => {
  const [mac] = await secrets.macs("role_key.proof", "2071", drawn.random);
  assert.equal(SECRET.slice(0, -8), `rgk_2071_${drawn.random}${mac.slice(0, 22)}`);
});

Deno.test("A secret with one wrong character is refused", async () => {
  for (let at = 0; at < SECRET.length; at++) {
    assert.equal(await readRoleKey(secrets, altered(SECRET, at)), undefined, String(at));
  }
});

Deno.test("A secret without a genuine proof is refused, even with a right checksum", async () => {
  const text = SECRET.slice(0, -8);
  for (let at = "rgk_".length; at < text.length; at++) {
    if (text[at] === "_" && at === text.indexOf("_", 4)) continue;
    assert.equal(await readRoleKey(secrets, withChecksum(altered(text, at))), undefined, String(at));
  }
  const elsewhere = await createSecrets([key("b")]);
  assert.equal(await readRoleKey(secrets, await makeRoleKey(elsewhere, 2071, drawn.random)), undefined);
});

Deno.test("The secret of one key cannot be turned into that of another", async () => {
  const [, , rest = ""] = /^rgk_([0-9]+)_(.*)$/.exec(SECRET.slice(0, -8)) ?? [];
  for (const id of ["2072", "207", "20711", "9007199254740993", "02071", "0", "-2071"]) {
    assert.equal(await readRoleKey(secrets, withChecksum(`rgk_${id}_${rest}`)), undefined, id);
  }
});

Deno.test("Only one spelling of a secret is read", async () => {
  const texts = [` ${SECRET}`, `${SECRET} `, SECRET.toUpperCase(), `${SECRET}0`, `${SECRET}=`, "rgk_", ""];
  for (const text of texts) assert.equal(await readRoleKey(secrets, text), undefined, text);
});

Deno.test("A key works after a rotation of the secret keys, until its own secret key is removed", async () => {
  const rotated = await createSecrets([key("b"), key("a")]);
  assert.deepEqual(await readRoleKey(rotated, SECRET), { keyId: 2071, mac: drawn.mac });
  assert.equal(await readRoleKey(await createSecrets([key("b")]), SECRET), undefined);
});

Deno.test("A genuine secret is verified once while it is remembered, and a forged one is never remembered", async () => {
  let verified = 0;
  const counting = {
    ...secrets,
    macs: (...parts: Parameters<typeof secrets.macs>) => {
      if (parts[0] === "role_key.proof") verified++;
      return secrets.macs(...parts);
    },
  };
  const read = rememberRoleKeys(counting, 2);
  const others = await Promise.all([1, 2].map((id) => makeRoleKey(secrets, id, drawn.random)));
  const counts: number[] = [];
  for (const token of [SECRET, SECRET, others[0] ?? "", SECRET, others[1] ?? "", others[0] ?? "", SECRET]) {
    assert.equal((await read(token))?.mac, drawn.mac);
    counts.push(verified);
  }
  assert.deepEqual(counts, [1, 1, 2, 2, 3, 3, 4]);
  for (const at of [10, 11, 12]) {
    assert.equal(await read(withChecksum(altered(SECRET.slice(0, -8), at))), undefined);
  }
  await read(SECRET);
  assert.equal(verified, 7);
});
