/** MACs and sealed texts match another implementation, bind their context, and outlive a change of keys. */
import assert from "node:assert/strict";
import { createHmac, hkdfSync } from "node:crypto";
import { fromBase64Url, toBase64Url } from "../../src/core/encoding.ts";
import { createSecrets, type SecretKey } from "../../src/core/secrets.ts";

function key(id: string): SecretKey {
  return { id, bytes: new Uint8Array(32).fill(id.charCodeAt(0)) };
}

const secrets = await createSecrets([key("b"), key("a")]);
const older = await createSecrets([key("a")]);
const newer = await createSecrets([key("b")]);

/** Computed by another library, from the same definition. */
function expectedMac({ bytes }: SecretKey, message: string): string {
  const derived = hkdfSync("sha256", bytes, "", "rolegrid mac", 32);
  return createHmac("sha256", new Uint8Array(derived)).update(message).digest("base64url");
}

Deno.test("a MAC is HMAC-SHA-256 under a derived key, of the purpose and the parts with their lengths", async () => {
  assert.deepEqual(await secrets.macs("link", "é", ""), [
    expectedMac(key("b"), "4:link2:é0:"),
    expectedMac(key("a"), "4:link2:é0:"),
  ]);
});

Deno.test("another purpose, or another split of the same text, gives another MAC", async () => {
  const all = await Promise.all([
    secrets.macs("p", "ab", "c"),
    secrets.macs("p", "a", "bc"),
    secrets.macs("p", "abc"),
    secrets.macs("p", "abc", ""),
    secrets.macs("pa", "b", "c"),
    secrets.macs("p", "a1:b", "c"),
  ]);
  assert.equal(new Set(all.map(([first]) => first)).size, all.length);
});

Deno.test("a sealed text opens with its context, differs each time and hides its content", async () => {
  const [one, two] = await Promise.all([secrets.seal("héllo", "row 1"), secrets.seal("héllo", "row 1")]);
  assert.notEqual(one, two);
  assert.match(one, /^b\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{30}$/);
  for (const sealed of [one, two]) assert.equal(await secrets.open(sealed, "row 1"), "héllo");
});

Deno.test("a sealed text does not open with another context or an altered byte", async () => {
  const sealed = await secrets.seal("text", "row 1");
  await assert.rejects(secrets.open(sealed, "row 2"));
  await assert.rejects(secrets.open(sealed, ""));
  const [id, iv = "", box = ""] = sealed.split(".");
  for (const [i, text] of [iv, box].entries()) {
    const bytes = fromBase64Url(text) ?? new Uint8Array();
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    const altered = [id, i === 0 ? toBase64Url(bytes) : iv, i === 1 ? toBase64Url(bytes) : box].join(".");
    await assert.rejects(secrets.open(altered, "row 1"));
  }
});

Deno.test("a text sealed by an older key opens while that key is configured, and is recognized as older", async () => {
  const sealed = await older.seal("text", "c");
  assert.equal(await secrets.open(sealed, "c"), "text");
  assert.deepEqual([secrets.isSealedByNewest(sealed), older.isSealedByNewest(sealed)], [false, true]);
  assert.equal(secrets.isSealedByNewest("bb.x.y"), false);
  await assert.rejects(newer.open(sealed, "c"), {
    name: "MissingKeyError",
    message: 'Cannot open a sealed value: no key "a" in SECRET_KEYS',
  });
});

Deno.test("a malformed sealed value is refused", async () => {
  const malformed = { name: "RangeError", message: "Cannot open a sealed value: malformed" };
  for (const sealed of ["b.!.AAAA", "b.AAAA.!"]) await assert.rejects(secrets.open(sealed, "c"), malformed);
  await assert.rejects(secrets.open("", "c"), {
    message: 'Cannot open a sealed value: no key "" in SECRET_KEYS',
  });
  await assert.rejects(secrets.open("b", "c"));
});

Deno.test("sealing uses a key that is derived from the secret for this purpose", async () => {
  const sealed = await newer.seal("text", "c");
  const [, iv = "", box = ""] = sealed.split(".").map((part) => fromBase64Url(part) ?? new Uint8Array());
  const derived = hkdfSync("sha256", key("b").bytes, "", "rolegrid seal", 32);
  const aes = await crypto.subtle.importKey("raw", derived, "AES-GCM", false, ["decrypt"]);
  const algorithm = {
    name: "AES-GCM",
    iv: iv as BufferSource,
    additionalData: new TextEncoder().encode("c"),
  };
  const text = await crypto.subtle.decrypt(algorithm, aes, box as BufferSource);
  assert.equal(new TextDecoder().decode(text), "text");
});

Deno.test("creating secrets without a key throws", async () => {
  await assert.rejects(createSecrets([]), { message: "Cannot create secrets: no key is configured" });
});
