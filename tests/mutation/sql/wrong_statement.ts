/** One condition of one statement, forgotten or weakened by hand, and the test that must notice. */
export interface WrongStatement {
  /** What goes wrong with it, as a sentence. */
  readonly name: string;
  /** Path from the project's root. */
  readonly file: string;
  /** A part of the file that occurs in it once. */
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

/** The file's text with the statement made wrong. Throws if the part to replace does not occur in it exactly once. */
export function makeWrong(text: string, { find, replace, file, name }: WrongStatement): string {
  const parts = text.split(find);
  if (parts.length !== 2) {
    throw new Error(
      `"${name}": the part to replace occurs ${
        parts.length - 1
      } times in ${file} instead of once; adapt the entry`,
    );
  }
  return parts.join(replace);
}

/**
 * The pattern of `deno test --filter` for tests whose names begin so, or are these. Of those that are there for each kind
 * of database the one on a file is meant: it is faster.
 */
export function filterFor(names: readonly string[]): string {
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return `/^(${escaped.join("|")})($|.* on file\\b|.*\\(file\\)$)/`;
}
