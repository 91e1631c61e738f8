/** Finds its way through the text of JSON. */

const BACKSLASH = 92;

/**
 * Returns the index of the quote that ends the JSON string at `opening`, or -1. Takes linear time over a whole text.
 */
export function findClosingQuote(text: string, opening: number): number {
  for (let at = opening;;) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return -1;
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    // An even number of backslashes are escaped backslashes.
    if ((at - first) % 2 === 0) return at;
  }
}

/** Skips the white space of JSON (RFC 8259, section 2). */
export function skipBlanks(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) break;
  }
  return at;
}
