import { quoted, type SQL, sql, type Value } from "../db/sql.ts";

/**
 * Letters that any text may have anywhere and that searches compare as others: those whose folding (`foldText`) is in
 * ASCII. Both sides of a comparison are written without them.
 */
const PLAIN_LETTERS = [
  ["ß", "ss"],
  ["ẞ", "ss"],
  ["i\u0307", "i"],
  ["I\u0307", "i"],
  ["İ", "i"],
  ["ſ", "s"],
  ["\u212a", "k"],
] as const;

/** Returns a text with plain letters. */
export function withPlainLetters(text: string): string {
  return PLAIN_LETTERS.reduce((replaced, [letter, plain]) => replaced.replaceAll(letter, plain), text);
}

/** Whether a text with plain letters fits one of the patterns, a JSON list, or that is null. */
export function fitsPatterns(plain: Value, patterns: Value): SQL {
  return sql`(${patterns} IS NULL OR EXISTS (
      SELECT 1 FROM json_each(${patterns}) pattern WHERE ${plain} GLOB pattern.value))`;
}

/** Returns a column's text with plain letters. Most texts are of ASCII, and not searched for others. */
export function plainly(value: Value): SQL {
  const replaced = PLAIN_LETTERS.reduce(
    (inner, [letter, plain]) => sql`replace(${inner}, ${quoted(letter)}, ${quoted(plain)})`,
    sql`${value}`,
  );
  return sql`iif(octet_length(${value}) = length(${value}), ${value}, ${replaced})`;
}
