/** Maximum number of non-ASCII letters that a search tries in both cases. Each doubles the index ranges to read. */
const FREE_LETTERS = 4;

/** Arguments that find names by their beginning in any case. */
export interface NamePrefix {
  /** Every match begins with one of these. They find it in the index, which ignores case only for ASCII letters. */
  readonly starts: readonly string[];
  /** A GLOB pattern that all matches fit, and no other name. */
  readonly pattern: string;
}

/** For a prefix that no name has: one with control characters, or half a surrogate pair. */
const NOTHING: NamePrefix = { starts: [], pattern: "" };

/** Returns the search for names that begin with `prefix`. */
export function namePrefix(prefix: string): NamePrefix {
  if (/\p{Cc}/u.test(prefix) || !prefix.isWellFormed()) return NOTHING;
  const letters = [...prefix].map(casesOf);
  return { starts: startsOf(letters), pattern: letters.map(matchAny).join("") + "*" };
}

/** Returns a character in all cases that are one character: the capital of "ß" is two. */
function casesOf(letter: string): string[] {
  const cases = [letter, letter.toLowerCase(), letter.toUpperCase()];
  return [...new Set(cases)].filter((each) => [...each].length === 1);
}

/** Maximum number of trigrams that an index is asked for. All rows that it finds are compared with the pattern. */
const MAX_TRIGRAMS = 16;

/**
 * Maximum number of letters of a text with more than `FREE_LETTERS` letters to try in both cases. A longer one is only
 * looked for at the beginning: a pattern that may begin anywhere takes time by the product of both lengths.
 */
const MAX_PATTERN = 32;

/** Arguments that find texts by any part of them in any case. */
export interface TextPart {
  /** A query of an index of trigrams that finds every match, and maybe other texts. Null: only beginnings match. */
  readonly trigrams: string | null;
  /**
   * A match contains one of these once its ASCII letters are small. Null: the pattern decides alone. To look for a text
   * takes time by the length of the row, whatever both are.
   */
  readonly parts: readonly string[] | null;
  /** A GLOB pattern that all matches fit, and no other text. Null: the parts decide alone. */
  readonly pattern: string | null;
}

/** Returns the search for texts that contain `part`, or begin with it if it is too short or too hard to find. */
export function textPart(part: string): TextPart {
  const { starts, pattern } = namePrefix(part);
  const letters = [...part].map(casesOf);
  const free = letters.filter((cases) => cases.length > 1 && !cases.every(isAscii)).length;
  const isExact = free <= FREE_LETTERS;
  if (letters.length < 3 || pattern === "" || (!isExact && letters.length > MAX_PATTERN)) {
    return { trigrams: null, parts: null, pattern };
  }
  return {
    trigrams: trigramsOf(letters),
    parts: [...new Set(starts.map(lowerAscii))],
    pattern: isExact ? null : `*${pattern}`,
  };
}

function isAscii(letter: string): boolean {
  return /^\p{ASCII}$/u.test(letter);
}

/** As `lower()` of SQLite does. */
function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns trigrams of the whole text, all of which a match has. The index ignores case, but not of all letters. */
function trigramsOf(letters: readonly string[][]): string {
  const last = letters.length - 3;
  const count = Math.min(MAX_TRIGRAMS, last + 1);
  const places = Array.from(
    { length: count },
    (_, i) => count === 1 ? 0 : Math.round(i * last / (count - 1)),
  );
  return places.map((place) => {
    const texts = startsOf(letters.slice(place, place + 3)).map((text) => `"${text.replaceAll('"', '""')}"`);
    return `(${texts.join(" OR ")})`;
  }).join(" AND ");
}

function startsOf(letters: readonly string[][]): string[] {
  let starts = [""];
  let free = FREE_LETTERS;
  for (const cases of letters) {
    const areAscii = cases.every(isAscii);
    if (!areAscii && cases.length > 1 && free-- === 0) break;
    const tried = areAscii ? cases.slice(0, 1) : cases;
    starts = starts.flatMap((start) => tried.map((each) => start + each));
  }
  return starts;
}

/** Returns a pattern for these cases. In brackets, special characters of patterns stand for themselves. */
function matchAny(cases: readonly string[]): string {
  const all = cases.join("");
  return cases.length > 1 || "*?[".includes(all) ? `[${all}]` : all;
}
