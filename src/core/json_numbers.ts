import { findClosingQuote, skipBlanks } from "./json_scan.ts";

/**
 * Numbers of JSON that no double holds as they are written. `JSON.parse` rounds large integers, and reads 1e400 as
 * infinity; a text keeps them.
 */

/** What to do about such a number. */
export const WRITE_AS_TEXT = "write it as a text";

/** Maximum number of them that are named. */
const MAX_NAMED = 20;

/** No value that is kept lies deeper. */
const MAX_DEPTH = 16;

/** Finds texts that may have such a number, and few others: within strings, digits seldom follow one of these signs. */
const MAY_LOSE = /[[:,\s]-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3}|\d[\d.]{16,}[eE])/;
const NUMBER = /-?\d[\d.eE+-]*/y;

/** A number that would not be kept. */
export interface LostNumber {
  /** The names and indexes that lead to it. */
  readonly path: readonly string[];
  /** As it is written. */
  readonly source: string;
}

/** Whether a number is another one than its text says: an integer without all its digits, in any form, or infinity. */
export function isLost(source: string): boolean {
  const value = Number(source);
  if (Math.abs(value) === Infinity) return true;
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return false;
  const written = digitsOf(source);
  const shortest = digitsOf(value.toExponential());
  if (written.startsWith(shortest) && /^0*$/.test(written.slice(shortest.length))) return false;
  // Some programs write each double with an exponent and 17 digits, more than the shortest text has.
  return !/e/i.test(source) || written !== digitsOf(value.toExponential(16));
}

/** The digits of a number without zeros before them. */
function digitsOf(text: string): string {
  return text.replace(/e.*/i, "").replaceAll(/\D/g, "").replace(/^0+/, "");
}

/** Returns the first numbers of valid JSON that are not kept. Most texts are only searched, the others scanned. */
export function findLostNumbers(text: string): LostNumber[] {
  if (!MAY_LOSE.test(text)) return [];
  const lost: LostNumber[] = [];
  /** Where the scan is: for each object around it the latest name, for each list an index. */
  const path: (string | number)[] = [];
  for (let at = 0; at < text.length && lost.length < MAX_NAMED; at++) {
    const sign = text.charAt(at);
    const last = path.length - 1;
    if (sign === '"') {
      const end = findClosingQuote(text, at);
      if (end === -1) break;
      if (last < MAX_DEPTH && text.charAt(skipBlanks(text, end + 1)) === ":") {
        path[last] = String(JSON.parse(text.slice(at, end + 1)));
      }
      at = end;
    } else if (sign === "{" || sign === "[") path.push(sign === "{" ? "" : 0);
    else if (sign === "}" || sign === "]") path.pop();
    else if (sign === "," && typeof path[last] === "number") path[last]++;
    else if (sign === "-" || (sign >= "0" && sign <= "9")) {
      NUMBER.lastIndex = at;
      const [source = sign] = NUMBER.exec(text) ?? [];
      if (path.length <= MAX_DEPTH && isLost(source)) lost.push({ path: path.map(String), source });
      at += source.length - 1;
    }
  }
  return lost;
}
