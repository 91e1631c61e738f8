/** A statement with one condition missing or weakened, and the test that must notice. */
export interface WrongStatement {
  /** Its effect, as a sentence. */
  readonly name: string;
  /** Path from the project's root. */
  readonly file: string;
  /** A part of the file that occurs in it exactly once, ignoring white space. */
  readonly find: string;
  readonly replace: string;
  readonly test: CatchingTest;
}

export interface CatchingTest {
  /** Path from the project's root. */
  readonly file: string;
  /** The beginning of its name; for a test that runs on a server alone, the whole name with its label. */
  readonly name: string;
}

interface Forgotten {
  readonly name: string;
  readonly find: string;
  readonly replace: string;
  /** The beginning of the test's name. */
  readonly by: string;
  /** The test's file, by default that of the group. */
  readonly in?: string;
}

/** Wrong statements of one file, most of them caught by the tests of one file. */
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
 * Returns the file's text with the wrong statement. White space is ignored when searching, so an entry survives
 * a change of line breaks or indentation. Throws if the part does not occur exactly once.
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

/** The places in `text` that equal `part` up to white space, without white space at their ends. */
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
 * The pattern for `deno test --filter` that matches tests by their names or the beginnings of these. Of tests
 * registered per kind of database it matches the one on a file, which is faster.
 */
export function filterFor(names: readonly string[]): string {
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return `/^(${escaped.join("|")})($|.*\\(file\\)$)/`;
}
