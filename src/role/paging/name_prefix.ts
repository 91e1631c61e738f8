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

/** Arguments that find texts by any part of them in any case. */
export interface TextPart {
  /** A query of an index of trigrams that finds every match, and maybe other texts. Null if it cannot find a match. */
  readonly trigrams: string | null;
  /** A GLOB pattern that all matches fit, and no other text. */
  readonly pattern: string;
}

/** Returns the search for texts that contain `part`, or begin with it if it is too short for an index. */
export function textPart(part: string): TextPart {
  const { pattern } = namePrefix(part);
  const letters = [...part].map(casesOf);
  if (letters.length < 3 || pattern === "") return { trigrams: null, pattern };
  return { trigrams: trigramsOf(letters), pattern: `*${pattern}` };
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
    const isAscii = cases.every((each) => /\p{ASCII}/u.test(each));
    if (!isAscii && cases.length > 1 && free-- === 0) break;
    const tried = isAscii ? cases.slice(0, 1) : cases;
    starts = starts.flatMap((start) => tried.map((each) => start + each));
  }
  return starts;
}

/** Returns a pattern for these cases. In brackets, special characters of patterns stand for themselves. */
function matchAny(cases: readonly string[]): string {
  const all = cases.join("");
  return cases.length > 1 || "*?[".includes(all) ? `[${all}]` : all;
}
