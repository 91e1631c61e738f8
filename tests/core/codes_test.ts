/** Random codes use each character equally often, and typed ones are read leniently. */
import assert from "node:assert/strict";
import { randomCrockford, randomDigits, readCrockford } from "../../src/core/codes.ts";

const SAMPLES = 2000;

function countCharacters(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return counts;
}

/** Runs a function while the system's generator gives these bytes, over and over. */
function withBytes<T>(bytes: readonly number[], run: () => T): T {
  const original = crypto.getRandomValues;
  let next = 0;
  crypto.getRandomValues = (array) => {
    const filled = array as unknown as Uint8Array;
    for (let i = 0; i < filled.length; i++) filled[i] = bytes[next++ % bytes.length] as number;
    return array;
  };
  try {
    return run();
  } finally {
    crypto.getRandomValues = original;
  }
}

Deno.test("a Crockford code has the given length and uses each of the 32 characters equally often", () => {
  assert.deepEqual([0, 1, 16].map((length) => randomCrockford(length).length), [0, 1, 16]);
  const counts = countCharacters(randomCrockford(32 * SAMPLES));
  assert.equal([...counts.keys()].sort().join(""), "0123456789ABCDEFGHJKMNPQRSTVWXYZ");
  // Six standard deviations to either side.
  for (const count of counts.values()) assert.ok(Math.abs(count - SAMPLES) < 6 * Math.sqrt(SAMPLES));
});

Deno.test("each value of five bits gives a character of its own", () => {
  const bytes = Array.from({ length: 32 }, (_, i) => 224 + i);
  assert.equal(withBytes(bytes, () => randomCrockford(32)), "0123456789ABCDEFGHJKMNPQRSTVWXYZ");
});

Deno.test("reading a code ignores case, width, spaces and hyphens, and corrects look-alikes", () => {
  const spellings = {
    "abcd-efgh": "ABCDEFGH",
    " 0oO 1iIlL ": "00011111",
    "ＡＢ－１２": "AB12",
    "A\tB\n--C": "ABC",
    "U!": "U!",
  };
  for (const [typed, meant] of Object.entries(spellings)) assert.equal(readCrockford(typed), meant);
});

Deno.test("a code of digits has the given length and uses each digit equally often", () => {
  assert.deepEqual([0, 1, 6].map((length) => randomDigits(length).length), [0, 1, 6]);
  const counts = countCharacters(randomDigits(10 * SAMPLES));
  assert.equal([...counts.keys()].sort().join(""), "0123456789");
  for (const count of counts.values()) assert.ok(Math.abs(count - SAMPLES) < 6 * Math.sqrt(SAMPLES));
});

Deno.test("bytes that would make some digits likelier are skipped", () => {
  assert.equal(withBytes([250, 7, 255, 249, 251, 20], () => randomDigits(6)), "790790");
});
