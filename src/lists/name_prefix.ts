import { foldText } from "../core/text.ts";
import { withPlainLetters } from "./plain_letters.ts";

/**
 * Searches compare texts as `foldText` writes them. SQLite cannot, and rows have their texts as they were written. So a
 * text is asked for in the spellings that rows have: composed, decomposed, with joined letters, and as it was sent; each
 * of these in all cases. Where a row may have one of several letters anywhere, both sides are written with plain ones.
 */

/** Maximum number of index ranges of a spelling. What follows is left to the pattern. */
const MAX_STARTS = 16;

/** Maximum number of texts that a spelling is in all cases. With more of them, a pattern decides. */
const MAX_PARTS = 16;

/**
 * Where the letters are that are one character and whose folding is not their small form, or is several letters. Those of
 * old Slavic prints are left out: with them, half of all words of Russian would be asked for many times.
 */
const ODD_LETTERS: readonly (readonly [first: number, last: number])[] = [
  [0xb5, 0xb5],
  [0x149, 0x149],
  [0x1c5, 0x1cb],
  [0x1f2, 0x1f2],
  [0x3c2, 0x3f5],
  [0x587, 0x587],
  [0x1e9a, 0x1e9b],
  [0x1f80, 0x1ffc],
  [0xfb00, 0xfb17],
];

/** Those letters by their folding. */
const BY_FOLDING: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  ODD_LETTERS.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i))
  ).filter((letter) => letter.normalize("NFC") === letter && foldText(letter) !== letter),
  foldText,
);

/** The foldings of those letters. */
const FOLDING_OF: ReadonlyMap<string, string> = new Map(
  Array.from(BY_FOLDING, ([folding, letters]) => letters.map((letter) => [letter, folding] as const)).flat(),
);

/** Finds the foldings of joined letters, the longest first. */
const JOINED = new RegExp(
  [...BY_FOLDING.keys()].filter((folding) => [...folding].length > 1).toSorted((a, b) => b.length - a.length)
    .join("|"),
  "g",
);

/** A spelling: of each letter the cases that are one character. */
type Letters = readonly (readonly string[])[];

/** Returns the spellings that rows may have of a text, each once. The first is the folded text. */
function spellingsFor(text: string): Letters[] {
  const folded = foldText(text);
  const joined = folded.replaceAll(JOINED, (folding) => BY_FOLDING.get(folding)?.[0] ?? folding);
  const all = [folded, folded.normalize("NFD"), joined, withPlainLetters(text)];
  const small = new Set(all.map((each) => Array.from(each, smallOf).join("")));
  return Array.from(small, (each) => Array.from(each, casesOf));
}

/** Returns the letter in the case that stands for all of its cases. */
function smallOf(letter: string): string {
  const small = FOLDING_OF.get(letter) ?? letter.toLowerCase();
  return [...small].length === 1 ? small : BY_FOLDING.get(small)?.[0] ?? letter;
}

/** Returns a letter in all cases that are one character: the capital of "ŉ" is two. */
function casesOf(letter: string): string[] {
  const odd = BY_FOLDING.get(FOLDING_OF.get(letter) ?? letter) ?? [];
  const cases = [letter, letter.toLowerCase(), letter.toUpperCase(), ...odd];
  return [...new Set(cases)].filter((each) => [...each].length === 1);
}

function isAscii(letter: string): boolean {
  return /^\p{ASCII}$/u.test(letter);
}

/** Arguments that find names by their beginning in any case. */
export interface NamePrefix {
  /** Every match begins with one of these. They find it in the index, which ignores case only for ASCII letters. */
  readonly starts: readonly string[];
  /** GLOB patterns. All matches, written with plain letters, fit one of them, and no other name does. */
  readonly patterns: readonly string[];
}

/** For a prefix that no name has: one with control characters, or half a surrogate pair. */
const NOTHING: NamePrefix = { starts: [], patterns: [] };

/** Returns the search for names that begin with `prefix`. */
export function namePrefix(prefix: string): NamePrefix {
  if (!isPossible(prefix)) return NOTHING;
  const spellings = spellingsFor(prefix);
  return { starts: [...new Set(spellings.flatMap(startsOf))], patterns: spellings.map(patternOf) };
}

function isPossible(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed();
}

function patternOf(letters: Letters): string {
  return `${letters.map(matchAny).join("")}*`;
}

/** Returns a pattern for these cases. In brackets, special characters of patterns stand for themselves. */
function matchAny(cases: readonly string[]): string {
  const all = cases.join("");
  return cases.length > 1 || "*?[".includes(all) ? `[${all}]` : all;
}

/** A way to write the letters of a spelling up to a place. */
interface Way {
  readonly text: string;
  readonly next: number;
}

/** Where the text that is written may begin and end: within a name, half of a letter may stand before it or after it. */
type Place = "at the beginning" | "anywhere";

/**
 * Returns the ways to write one letter more. An index knows the letters as they were written: it has an "ß" for two
 * letters, or for one at an end of the text, and dots above an i. The index of beginnings also tells apart what that of
 * trigrams takes for the same.
 */
function* writeNext(letters: Letters, { text, next }: Way, place: Place): Generator<Way> {
  const cases = letters[next] ?? [];
  const [letter = ""] = cases;
  const isBeginning = place === "at the beginning";
  for (const each of isAscii(letter) ? [letter] : isBeginning ? cases : cases.filter(isPlainCase)) {
    yield { text: text + each, next: next + 1 };
  }
  const others: (readonly [written: string, count: number])[] = [];
  if (letter === "i") others.push(["İ", 1], ["i\u0307", 1]);
  if (letter === "k" && isBeginning) others.push(["\u212a", 1]);
  if (letter === "s") {
    const isHalf = next === letters.length - 1 || (next === 0 && !isBeginning);
    const counts = [...isHalf ? [1] : [], ...letters[next + 1]?.[0] === "s" ? [2] : []];
    if (isBeginning) others.push(["ſ", 1]);
    for (const count of counts) others.push(["ß", count], ...isBeginning ? [["ẞ", count] as const] : []);
  }
  for (const [written, count] of others) yield { text: text + written, next: next + count };
}

/** Whether the index of trigrams may not know that the letter is a case of another. */
function isPlainCase(letter: string): boolean {
  const folding = FOLDING_OF.get(letter);
  return folding === undefined || [...folding].length > 1;
}

/** Returns the beginnings of all ways to write the letters, as far as there are few enough. */
function startsOf(letters: Letters): string[] {
  let ways: Way[] = [{ text: "", next: 0 }];
  while (ways.some(({ next }) => next < letters.length)) {
    const longer = ways.flatMap((way) =>
      way.next < letters.length ? [...writeNext(letters, way, "at the beginning")] : [way]
    );
    if (longer.length > MAX_STARTS) break;
    ways = longer;
  }
  return ways.map(({ text }) => text);
}

/** Maximum number of trigrams that an index is asked for. All rows that it finds are compared with the pattern. */
const MAX_TRIGRAMS = 16;

/**
 * Maximum number of letters of a text that a pattern decides. A longer one is only looked for at the beginning: a pattern
 * that may begin anywhere takes time by the product of both lengths.
 */
const MAX_PATTERN = 32;

/** Arguments that find texts by any part of them in any case. */
export interface TextPart {
  /** A query of an index of trigrams that finds every match, and maybe other texts. Null: only beginnings match. */
  readonly trigrams: string | null;
  /**
   * A match, written with plain letters, contains one of these once its ASCII letters are small. Null: the patterns decide
   * alone. To look for a text takes time by the length of the row, whatever both are.
   */
  readonly parts: readonly string[] | null;
  /** GLOB patterns: all matches, written with plain letters, fit one of them. Null: the parts decide alone. */
  readonly patterns: readonly string[] | null;
}

/** Returns the search for texts that contain `part`, or begin with it if it is too short or too hard to find. */
export function textPart(part: string): TextPart {
  const spellings = isPossible(part) ? spellingsFor(part) : [];
  const patterns = spellings.map(patternOf);
  const shortest = Math.min([...part].length, spellings[0]?.length ?? 0);
  const isExact = spellings.every((letters) => countTexts(letters) <= MAX_PARTS);
  if (shortest < 3 || (!isExact && shortest > MAX_PATTERN)) return { trigrams: null, parts: null, patterns };
  const trigrams = spellings.flatMap(trigramsOf);
  return {
    trigrams: trigrams.length === 1 ? trigrams.join("") : trigrams.map((each) => `(${each})`).join(" OR "),
    parts: isExact ? [...new Set(spellings.flatMap(inAllCases))] : null,
    patterns: isExact ? null : patterns.map((pattern) => `*${pattern}`),
  };
}

/** The cases of a letter in which a comparison that ignores case only of ASCII letters needs it. */
function neededCases(cases: readonly string[]): readonly string[] {
  return cases.every(isAscii) ? cases.slice(0, 1) : cases;
}

function countTexts(letters: Letters): number {
  return letters.reduce((count, cases) => count * neededCases(cases).length, 1);
}

function inAllCases(letters: Letters): string[] {
  return letters.reduce<string[]>(
    (texts, cases) => texts.flatMap((text) => neededCases(cases).map((each) => text + each)),
    [""],
  );
}

/** Returns trigrams of the whole text, all of which a match has. None for a spelling that is too short. */
function trigramsOf(letters: Letters): string[] {
  const places = [...letters.keys()].filter((place) => {
    // An "ß" may have the second of two letters within it.
    return place <= letters.length - 3 && !(place > 0 && isS(letters[place]) && isS(letters[place - 1]));
  });
  const all = places.map((place) => headsAt(letters, place));
  // Of three letters, those that are two as they are written have no trigram.
  const whole = all.filter(({ areAll }) => areAll);
  const asked = spread(whole.length > 0 ? whole : all);
  if (asked.length === 0) return [];
  return [
    asked.map(({ heads }) => `(${heads.map((text) => `"${text.replaceAll('"', '""')}"`).join(" OR ")})`).join(
      " AND ",
    ),
  ];
}

function isS(cases: readonly string[] | undefined): boolean {
  return cases?.[0] === "s";
}

/** Returns the first three letters of all ways to write the letters from a place on; some may be shorter. */
function headsAt(
  letters: Letters,
  place: number,
): { readonly heads: readonly string[]; readonly areAll: boolean } {
  const heads = new Set<string>();
  let areAll = true;
  let ways: Way[] = [{ text: "", next: place }];
  while (ways.length > 0) {
    ways = ways.flatMap((way) => way.next < letters.length ? [...writeNext(letters, way, "anywhere")] : [])
      .flatMap((way) => {
        const text = [...way.text];
        if (text.length < 3) {
          if (way.next === letters.length) areAll = false;
          return [way];
        }
        heads.add(text.slice(0, 3).join(""));
        return [];
      });
  }
  return { heads: [...heads], areAll };
}

/** Returns some elements of a list, spread over all of it. */
function spread<T>(list: readonly T[]): T[] {
  const count = Math.min(MAX_TRIGRAMS, list.length);
  const last = list.length - 1;
  return Array.from(
    { length: count },
    (_, i) => list[count === 1 ? 0 : Math.round(i * last / (count - 1))] as T,
  );
}
