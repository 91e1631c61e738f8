/** Base64url and base32 match other implementations, and only the canonical spelling is decoded. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { fromBase64Url, randomToken, toBase32, toBase64Url } from "../../src/core/encoding.ts";

Deno.test("base64url decodes to the bytes that were encoded, also those of a part of a buffer", () => {
  fc.assert(fc.property(fc.uint8Array(), fc.nat({ max: 5 }), (bytes, start) => {
    const part = bytes.subarray(start);
    const text = toBase64Url(part);
    assert.equal(text, Buffer.from([...part]).toString("base64url"));
    assert.deepEqual([...fromBase64Url(text) ?? []], [...part]);
  }));
});

Deno.test("base64url decoding accepts only the canonical spelling", () => {
  assert.deepEqual([...fromBase64Url("_-8") ?? []], [255, 239]);
  for (const text of ["_-9", "_-8=", "/+8", " _-8", "_-8\n", "_-\n8", "_-8_-", "A", "_-8.", "ä"]) {
    assert.equal(fromBase64Url(text), undefined, JSON.stringify(text));
  }
  assert.deepEqual(fromBase64Url(""), new Uint8Array());
});

Deno.test("a random token has the given number of bytes, and no two are equal", () => {
  assert.equal(fromBase64Url(randomToken(16))?.byteLength, 16);
  assert.notEqual(randomToken(16), randomToken(16));
});

Deno.test("base32 follows RFC 4648, section 10, without padding", () => {
  const vectors = {
    "": "",
    f: "MY",
    fo: "MZXQ",
    foo: "MZXW6",
    foob: "MZXW6YQ",
    fooba: "MZXW6YTB",
    foobar: "MZXW6YTBOI",
  };
  for (const [text, expected] of Object.entries(vectors)) {
    assert.equal(toBase32(new TextEncoder().encode(text)), expected);
  }
  assert.equal(toBase32(new Uint8Array([0, 1, 254])), "AAA74");
});
