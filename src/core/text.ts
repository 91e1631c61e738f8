/** Rules for texts that people write: names and ids. */

/** Unicode's `White_Space` and the byte order mark. JavaScript's `trim` keeps U+0085. */
const BLANK = /[\p{White_Space}\ufeff]/u;

/** Texts that are in their canonical form, as most are: a test without normalizing. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** Returns a text without the blanks at its ends. Takes linear time, unlike a pattern that ends with them. */
export function trimBlanks(text: string): string {
  if (PLAIN.test(text)) return text;
  let [start, end] = [0, text.length];
  while (start < end && BLANK.test(text.charAt(start))) start++;
  while (start < end && BLANK.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Returns the form in which names and ids are stored: without blanks at the ends, in NFC. Idempotent. */
export function canonicalText(text: string): string {
  return PLAIN.test(text) ? text : trimBlanks(text).normalize("NFC");
}

/**
 * Returns the spellings under which a row may have an id or a name, the likeliest first: as it was sent, canonical, and
 * decomposed. Rows from before there was a canonical form keep theirs. No duplicates.
 */
export function spellingsOf(text: string): string[] {
  if (PLAIN.test(text)) return [text];
  const canonical = canonicalText(text);
  return [...new Set([text, canonical, canonical.normalize("NFD")])];
}

/** Returns spellings as an element of a JSON list: the only one, or a list of several. */
export function spellingsElement(spellings: readonly string[]): string | readonly string[] {
  const [only] = spellings;
  return spellings.length === 1 && only !== undefined ? only : spellings;
}

/** A mark that stands above many letters; lower case puts it after the i of "İ". */
const DOT_ABOVE = "\u0307";

/**
 * Returns a text as searches compare it: full case folding of its decomposed form, composed again (Unicode, 3.13). "ß" is
 * "ss". Unlike Unicode's, it also drops the dot that the folding of "İ" leaves after the i.
 */
export function foldText(text: string): string {
  // deno-lint-ignore no-control-regex -- ASCII needs no more than lower case.
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  // The dotless i has itself as its folding, although its capital is I.
  const folded = text.normalize("NFD").split("ı").map(foldCase).join("ı");
  return folded.replaceAll(`i${DOT_ABOVE}`, "i").normalize("NFC");
}

/** JavaScript has no folding, but the small form of the capital is the same: of all letters but those that are named. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}
