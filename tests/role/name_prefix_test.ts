import assert from "node:assert/strict";
import { namePrefix, textPart } from "../../src/role/paging/name_prefix.ts";

Deno.test("a prefix of ASCII has one start and a pattern with both cases of each letter", () => {
  assert.deepEqual(namePrefix("Ab 1"), { starts: ["Ab 1"], pattern: "[Aa][bB] 1*" });
});

Deno.test("the first four letters beyond ASCII start in both cases, and the pattern covers the rest", () => {
  assert.deepEqual(namePrefix("éa"), { starts: ["éa", "Éa"], pattern: "[éÉ][aA]*" });
  const { starts, pattern } = namePrefix("при-вет-a");
  assert.equal(starts.length, 16);
  assert.equal(new Set(starts).size, 16);
  assert.ok(starts.includes("ПрИ-в"), String(starts));
  assert.ok(starts.every((start) => start.toLowerCase() === "при-в"));
  assert.equal(pattern, "[пП][рР][иИ]-[вВ][еЕ][тТ]-[aA]*");
});

Deno.test("a start continues after the fourth such letter with characters that have no case or are ASCII", () => {
  assert.deepEqual(namePrefix("éééé日a").starts.at(0), "éééé日a");
  assert.deepEqual(namePrefix("ééééaéa").starts.at(0), "éééée".slice(0, 4) + "a");
});

Deno.test("special characters of patterns stand for themselves", () => {
  assert.deepEqual(namePrefix("*?[]^-\\%_'"), { starts: ["*?[]^-\\%_'"], pattern: "[*][?][[]]^-\\%_'*" });
});

Deno.test("a letter varies in case only if the other case is a single character", () => {
  assert.deepEqual(namePrefix("ß"), { starts: ["ß"], pattern: "ß*" });
  assert.deepEqual(namePrefix("\u212a"), { starts: ["\u212a", "k"], pattern: "[\u212ak]*" });
  assert.deepEqual(namePrefix("𐐀"), { starts: ["𐐀", "𐐨"], pattern: "[𐐀𐐨]*" });
});

Deno.test("a prefix with which no name can begin has no starts", () => {
  for (const prefix of ["\0", "a\0", "\ud800", "a\udc00b", "\n", "\x7f", "\x85"]) {
    assert.deepEqual(namePrefix(prefix), { starts: [], pattern: "" }, JSON.stringify(prefix));
  }
});

Deno.test("a part of a text is found by its trigrams, in all cases that an index may not know", () => {
  assert.deepEqual(textPart("Rot"), {
    trigrams: '("Rot")',
    parts: ["rot"],
    pattern: null,
  });
  assert.deepEqual(textPart("süD").parts, ["süd", "sÜd"]);
  assert.deepEqual(
    textPart("бвгде").pattern,
    "*[бБ][вВ][гГ][дД][еЕ]*",
    "more letters than are tried in both cases",
  );
  assert.equal(textPart('a"bc').trigrams, '("a""b") AND ("""bc")');
  assert.equal(textPart("süd").trigrams, '("süd" OR "sÜd")');
  assert.deepEqual(textPart("ro"), { trigrams: null, parts: null, pattern: namePrefix("ro").pattern });
  assert.deepEqual(textPart("rot\n"), { trigrams: null, parts: null, pattern: "" });
});

Deno.test("the trigrams of a long part are spread over all of it", () => {
  const text = Array.from({ length: 256 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
  const asked = textPart(text).trigrams?.split(" AND ") ?? [];
  assert.equal(asked.length, 16);
  assert.deepEqual([asked[0], asked.at(-1)], [text.slice(0, 3), text.slice(-3)].map((part) => `("${part}")`));
  assert.equal(textPart("abcd").trigrams, '("abc") AND ("bcd")');
});

Deno.test("no pattern that may begin anywhere is long, since that takes time by the product of two lengths", () => {
  assert.equal(textPart("a".repeat(255) + "b").pattern, null);
  assert.equal(textPart("б".repeat(32)).pattern?.startsWith("*"), true);
  assert.deepEqual(textPart("б".repeat(33)), {
    trigrams: null,
    parts: null,
    pattern: namePrefix("б".repeat(33)).pattern,
  });
});
