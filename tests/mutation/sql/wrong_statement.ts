/** One condition of one statement, forgotten or weakened by hand, and the test that must notice. */
export interface WrongStatement {
  /** What goes wrong with it, as a sentence. */
  readonly name: string;
  /** Path from the project's root. */
  readonly file: string;
  /** A part of the file that occurs in it once; white space does not count. */
  readonly find: string;
  readonly replace: string;
  readonly test: CatchingTest;
}

export interface CatchingTest {
  /** Path from the project's root. */
  readonly file: string;
  /** What its name begins with. */
  readonly name: string;
}

interface Forgotten {
  readonly name: string;
  readonly find: string;
  readonly replace: string;
  /** What the name of the test begins with. */
  readonly by: string;
  /** The file of the test, where it is not the group's. */
  readonly in?: string;
}

/** Wrong statements of one file, most of which are caught by tests of one file. */
export function wrongIn(
  file: string,
  testFile: string,
  forgotten: readonly Forgotten[],
): readonly WrongStatement[] {
  return forgotten.map(({ name, find, replace, by, in: own = testFile }) => {
    return { name, file, find, replace, test: { file: own, name: by } };
  });
}

/**
 * Returns the file's text with the statement made wrong. White space does not count when the part to replace is looked
 * for, so an entry outlives a change of line breaks or indentation. Throws if the part does not occur exactly once.
 */
export function makeWrong(text: string, { find, replace, file, name }: WrongStatement): string {
  const places = findIgnoringSpace(text, find);
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(
      `"${name}": the part to replace occurs ${places.length} times in ${file} instead of once; adapt the entry`,
    );
  }
  return text.slice(0, place.start) + replace + text.slice(place.end);
}

/** The places in `text` that are equal to `part` but for white space; each begins and ends with what is no space. */
function findIgnoringSpace(text: string, part: string): { start: number; end: number }[] {
  const offsets = Array.from(text.matchAll(/\S/g), ({ index }) => index);
  const [dense, wanted] = [text, part].map((each) => each.replaceAll(/\s+/g, "")) as [string, string];
  const places = [];
  for (let at = dense.indexOf(wanted); at !== -1; at = dense.indexOf(wanted, at + 1)) {
    const last = offsets[at + wanted.length - 1];
    places.push({ start: offsets[at] ?? 0, end: (last ?? 0) + 1 });
  }
  return places;
}

/**
 * The pattern of `deno test --filter` for tests whose names begin so, or are these. Of those that are there for each kind
 * of database the one on a file is meant: it is faster.
 */
export function filterFor(names: readonly string[]): string {
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return `/^(${escaped.join("|")})($|.*\\(file\\)$)/`;
}
