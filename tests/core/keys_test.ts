/** Secret keys are read in their order, wrong ones are refused by position, and generated ones are random. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { generateSecretKeys, parseSecretKeys } from "../../src/core/keys.ts";

const BYTES = Buffer.alloc(32, 7);
const GOOD = BYTES.toString("base64");

Deno.test("keys are read in their order, and space around each is ignored", () => {
  const longer = Buffer.alloc(48, 255).toString("base64");
  const keys = parseSecretKeys(` new-1_A:${GOOD} ,${"x".repeat(32)}:${longer}\n`);
  assert.deepEqual(keys.map(({ id, bytes }) => [id, bytes.byteLength, bytes[0]]), [
    ["new-1_A", 32, 7],
    ["x".repeat(32), 48, 255],
  ]);
});

const FORM = "must be an id, a colon and base64";
const ID = 'must have an id of 1 to 32 letters, digits, "_" or "-"';
const BASE64 = "must be base64 with its padding";

const WRONG: readonly (readonly [string, string])[] = [
  ["", `key 1 ${FORM}`],
  ["id", `key 1 ${FORM}`],
  [`a:${GOOD}:`, `key 1 ${FORM}`],
  [`a:${GOOD},b`, `key 2 ${FORM}`],
  [`a:${GOOD},b:${GOOD},`, `key 3 ${FORM}`],
  [`:${GOOD}`, `key 1 ${ID}`],
  [`${"x".repeat(33)}:${GOOD}`, `key 1 ${ID}`],
  [`ä:${GOOD}`, `key 1 ${ID}`],
  [`a b:${GOOD}`, `key 1 ${ID}`],
  [`!a:${GOOD}`, `key 1 ${ID}`],
  [`a!:${GOOD}`, `key 1 ${ID}`],
  [`a:${GOOD.slice(0, -1)}`, `key 1 ${BASE64}`],
  [`a:${GOOD}=`, `key 1 ${BASE64}`],
  [`a:${GOOD}====`, `key 1 ${BASE64}`],
  [`a:!!!!${GOOD}`, `key 1 ${BASE64}`],
  [`a:${GOOD.slice(0, 4)} ${GOOD.slice(5)}`, `key 1 ${BASE64}`],
  [`a:${GOOD.slice(0, -2)}d=`, `key 1 ${BASE64}`],
  [`a:${GOOD.slice(0, -2)}A==`, `key 1 ${BASE64}`],
  ["a:", "key 1 must have at least 32 bytes"],
  [`a:${BYTES.subarray(1).toString("base64")}`, "key 1 must have at least 32 bytes"],
  [`a:${GOOD},b:AAAA`, "key 2 must have at least 32 bytes"],
  [`a:${GOOD},b:${GOOD},a:${GOOD}`, "has two keys with the same id: each id must be unique"],
];

for (const [text, message] of WRONG) {
  Deno.test(`the keys ${JSON.stringify(text)} are refused: ${message}`, () => {
    assert.throws(() => parseSecretKeys(text), { name: "RangeError", message });
  });
}

Deno.test("a generated key has 32 random bytes and an id of its own", () => {
  const [one] = parseSecretKeys(generateSecretKeys());
  const [two] = parseSecretKeys(generateSecretKeys());
  assert.deepEqual([one.bytes.byteLength, one.id.length], [32, 8]);
  assert.notEqual(one.id, two.id);
  assert.notDeepEqual(one.bytes, two.bytes);
});
