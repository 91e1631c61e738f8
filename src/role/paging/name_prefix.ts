/** How many letters beyond ASCII a search tries in both cases. Each doubles the ranges of the index that it reads. */
const FREE_LETTERS = 4;

/** What a statement needs to find names by their beginning, whatever its case. */
export interface NamePrefix {
  /**
   * Beginnings of which every match has one: they lead to it over the index, which compares only the letters of ASCII
   * without case.
   */
  readonly starts: readonly string[];
  /** The pattern (GLOB) that all matches have, and nothing else. */
  readonly pattern: string;
}

/** No name is like this: one of control characters, or of half a character. */
const NOTHING: NamePrefix = { starts: [], pattern: "" };

/** The search for names that begin with `prefix`. */
export function namePrefix(prefix: string): NamePrefix {
  if (/\p{Cc}/u.test(prefix) || !prefix.isWellFormed()) return NOTHING;
  const letters = [...prefix].map(casesOf);
  return { starts: startsOf(letters), pattern: letters.map(matchAny).join("") + "*" };
}

/** A character in all its cases. Only those that are one character: the capital of "ß" is two. */
function casesOf(letter: string): string[] {
  const cases = [letter, letter.toLowerCase(), letter.toUpperCase()];
  return [...new Set(cases)].filter((each) => [...each].length === 1);
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

/** In brackets, characters that mean something else in a pattern stand for themselves. */
function matchAny(cases: readonly string[]): string {
  const all = cases.join("");
  return cases.length > 1 || "*?[".includes(all) ? `[${all}]` : all;
}
