/** Text is trimmed, normalized and folded by Unicode's rules, in linear time. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalText, foldText, spellingsOf, trimBlanks } from "../../src/core/text.ts";

/** Unicode's White_Space, and the byte order mark. */
const BLANKS =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
  "\u2028\u2029\u202f\u205f\u3000\ufeff";
const texts = fc.string({
  unit: fc.oneof(fc.string({ unit: "binary", maxLength: 1 }), fc.constantFrom(...BLANKS)),
});

Deno.test("text: all blanks of Unicode are trimmed at both ends, and nothing else", () => {
  assert.equal(trimBlanks(`${BLANKS}a${BLANKS}b${BLANKS}`), `a${BLANKS}b`);
  assert.equal(trimBlanks(BLANKS), "");
  for (const kept of ["\u180e", "\u200b", "\u2060", "\0"]) assert.equal(trimBlanks(kept), kept);
});

Deno.test("text: blanks are trimmed in linear time", () => {
  const long = `x${" ".repeat(2_000_000)}\u0085x`;
  assert.equal(trimBlanks(long), long);
});

Deno.test("text: the canonical form is its own, and is among the spellings of each spelling", () => {
  fc.assert(fc.property(texts, (text) => {
    const canonical = canonicalText(text);
    assert.equal(canonicalText(canonical), canonical);
    const spellings = spellingsOf(text);
    assert.equal(spellings[0], text);
    assert.ok(spellings.includes(canonical));
    assert.equal(new Set(spellings).size, spellings.length);
    assert.ok(spellings.every((each) => canonicalText(each) === canonical));
  }));
});

Deno.test("text: folding takes for the same what differs in case, in composition or in the dot of an i", () => {
  for (
    const [one, ...others] of [
      ["straße", "STRASSE", "Straẞe", "straſſe"],
      ["istanbul", "İstanbul", "ISTANBUL", "i\u0307stanbul", "I\u0307STANBUL"],
      ["zähler", "ZÄHLER", "Za\u0308hler"],
      ["οδοσ", "ΟΔΟΣ", "οδος"],
      ["fine", "ﬁne", "FINE"],
      ["\u03bcm", "\u00b5M"],
      ["ệ", "Ệ", "e\u0302\u0323", "E\u0323\u0302"],
    ] as const
  ) for (const other of others) assert.equal(foldText(other), foldText(one), other);
  // The dotless i is another letter, and so is an accent.
  for (const [one, other] of [["ı", "i"], ["é", "e"], ["ż", "z"]] as const) {
    assert.notEqual(foldText(one), foldText(other));
  }
  assert.equal(foldText("ı"), "ı");
});

Deno.test("text: folding is idempotent, and the same for each case and composition", () => {
  fc.assert(fc.property(texts, (text) => {
    const folded = foldText(text);
    assert.equal(foldText(folded), folded);
    for (const form of ["NFC", "NFD"]) assert.equal(foldText(text.normalize(form)), folded);
    // Neither the capital of a dotless i, nor what capitals make of marks within, is that of its letter.
    if (!/[ı\u0345]/.test(text.normalize("NFD"))) assert.equal(foldText(text.toUpperCase()), folded);
  }));
});
