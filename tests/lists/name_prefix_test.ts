/** Prefixes and parts of names become starts, patterns and trigrams that no spelling escapes. */
import assert from "node:assert/strict";
import { namePrefix, textPart } from "../../src/lists/name_prefix.ts";

Deno.test("a prefix of ASCII has one start and a pattern with both cases of each letter", () => {
  assert.deepEqual(namePrefix("Ab 1"), { starts: ["ab 1"], patterns: ["[aA][bB] 1*"] });
});

Deno.test("the first four letters beyond ASCII start in both cases, and the pattern covers the rest", () => {
  assert.deepEqual(namePrefix("éa"), {
    starts: ["éa", "Éa", "e\u0301a"],
    patterns: ["[éÉ][aA]*", "[eE]\u0301[aA]*"],
  });
  const { starts, patterns } = namePrefix("при-вет-a");
  assert.equal(starts.length, 16);
  assert.equal(new Set(starts).size, 16);
  assert.ok(starts.includes("ПрИ-в"), String(starts));
  assert.ok(starts.every((start) => start.toLowerCase() === "при-в"));
  assert.equal(patterns.join(), "[пП][рР][иИ]-[вВ][еЕ][тТ]-[aA]*");
});

Deno.test("a start continues after the fourth such letter with characters that have no case or are ASCII", () => {
  assert.deepEqual(namePrefix("éééé日a").starts.at(0), "éééé日a");
  assert.deepEqual(namePrefix("ééééaéa").starts.at(0), "éééée".slice(0, 4) + "a");
});

Deno.test("special characters of patterns stand for themselves", () => {
  assert.deepEqual(namePrefix("*?[]^-\\%_'"), { starts: ["*?[]^-\\%_'"], patterns: ["[*][?][[]]^-\\%_'*"] });
});

Deno.test("a start is written as names have it, and a pattern with plain letters", () => {
  assert.deepEqual(namePrefix("aß"), {
    starts: ["ass", "asſ", "asß", "asẞ", "aſs", "aſſ", "aſß", "aſẞ", "aß", "aẞ"],
    patterns: ["[aA][sS][sS]*"],
  });
  assert.deepEqual(namePrefix("\u212a"), { starts: ["k", "\u212a"], patterns: ["[kK]*"] });
  assert.deepEqual(namePrefix("İ"), { starts: ["i", "İ", "i\u0307"], patterns: ["[iI]*"] });
  assert.deepEqual(namePrefix("ς"), { starts: ["σ", "Σ", "ς"], patterns: ["[σΣς]*"] });
  assert.deepEqual(namePrefix("ﬂo"), { starts: ["flo", "ﬂo"], patterns: ["[fF][lL][oO]*", "ﬂ[oO]*"] });
  assert.deepEqual(namePrefix("𐐀"), { starts: ["𐐨", "𐐀"], patterns: ["[𐐨𐐀]*"] });
  assert.ok(namePrefix("mississippi".repeat(20)).starts.length <= 16);
});

Deno.test("a prefix with which no name can begin has no starts", () => {
  for (const prefix of ["\0", "a\0", "\ud800", "a\udc00b", "\n", "\x7f", "\x85"]) {
    assert.deepEqual(namePrefix(prefix), { starts: [], patterns: [] }, JSON.stringify(prefix));
  }
});

Deno.test("a part of a text is found by its trigrams, in all cases that an index may not know", () => {
  assert.deepEqual(textPart("Rot"), { trigrams: '("rot")', parts: ["rot"], patterns: null });
  assert.deepEqual(textPart("süD").parts, ["süd", "sÜd", "su\u0308d"]);
  assert.deepEqual(
    textPart("бвгде").patterns?.join(),
    "*[бБ][вВ][гГ][дД][еЕ]*",
    "more letters than are tried in both cases",
  );
  assert.equal(textPart('a"bc').trigrams, '("a""b") AND ("""bc")');
  assert.equal(textPart("dün").trigrams, '(("dün" OR "dÜn")) OR (("du\u0308") AND ("u\u0308n"))');
  assert.deepEqual(textPart("ro"), { trigrams: null, parts: null, patterns: namePrefix("ro").patterns });
  assert.deepEqual(textPart("ßo"), { trigrams: null, parts: null, patterns: namePrefix("sso").patterns });
  assert.deepEqual(textPart("rot\n"), { trigrams: null, parts: null, patterns: [] });
});

Deno.test("trigrams are those of each way to write a text", () => {
  assert.equal(textPart("rasse").trigrams, '("ras" OR "raß") AND ("ass" OR "aße")');
  assert.equal(textPart("ino").trigrams, '("i\u0307n" OR "ino" OR "İno")');
  // The text may begin or end within a letter, and what has no three letters cannot be found.
  assert.equal(textPart("serös").trigrams?.startsWith('(("ser" OR "ßer")'), true);
  assert.equal(textPart("ass").trigrams, '("ass" OR "asß")');
});

Deno.test("the trigrams of a long part are spread over all of it", () => {
  const text = Array.from({ length: 256 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
  const asked = textPart(text).trigrams?.split(" AND ") ?? [];
  assert.equal(asked.length, 16);
  assert.deepEqual([asked[0], asked.at(-1)], [text.slice(0, 3), text.slice(-3)].map((part) => `("${part}")`));
  assert.equal(textPart("abcd").trigrams, '("abc") AND ("bcd")');
});

Deno.test("no pattern that may begin anywhere is long, since that takes time by the product of two lengths", () => {
  assert.equal(textPart("a".repeat(255) + "b").patterns, null);
  assert.equal(textPart("б".repeat(32)).patterns?.join().startsWith("*"), true);
  assert.deepEqual(textPart("б".repeat(33)), {
    trigrams: null,
    parts: null,
    patterns: namePrefix("б".repeat(33)).patterns,
  });
});
