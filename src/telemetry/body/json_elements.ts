import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import { findClosingQuote, skipBlanks } from "../../core/json_scan.ts";
import { findLostNumbers, WRITE_AS_TEXT } from "../../core/json_numbers.ts";
import { PointError } from "../points/point_rules.ts";

const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Nesting of a point with its tags and fields. */
const MAX_DEPTH = 2;

/** Maximum number of commas in a point: more than its tags and fields need. */
const MAX_COMMAS = 300;

/**
 * Parses the elements of a JSON list one by one, so that other requests get turns: `JSON.parse` takes more than a
 * second for some texts of 10 MiB. Refuses oversized elements before parsing. Throws `PointError`, or yields it in
 * place of the element, and throws `MALFORMED_REQUEST` unless the text is a JSON list.
 */
export function* parseElements(text: string, yieldsFaults = false): Generator<unknown, void> {
  let at = skipBlanks(text, 0);
  if (text.charCodeAt(at) !== OPENING_BRACKET) throw malformed("Expected a list of points");
  at = skipBlanks(text, at + 1);
  if (text.charCodeAt(at) !== CLOSING_BRACKET) {
    for (let line = 1;; line++) {
      const { end, fault } = findEnd(text, at);
      const element = fault === undefined
        ? parseElement(text.slice(at, end), line)
        : new PointError(line, fault);
      if (element instanceof PointError && !yieldsFaults) throw element;
      yield element;
      at = end;
      if (text.charCodeAt(at) === CLOSING_BRACKET) break;
      if (text.charCodeAt(at) !== COMMA) throw malformed("Expected valid JSON");
      at++;
    }
  }
  if (skipBlanks(text, at + 1) < text.length) throw malformed("Expected valid JSON");
}

/** Returns the index of the comma or bracket after the element at `start`, and what makes it too large to parse. */
function findEnd(text: string, start: number): { end: number; fault: string | undefined } {
  let depth = 0;
  let commas = 0;
  let fault: string | undefined;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findClosingQuote(text, at);
      if (at === -1) break;
    } else if (code === COMMA) {
      if (depth === 0) return { end: at, fault };
      if (++commas > MAX_COMMAS) fault ??= "Expected a point to have fewer tags and fields";
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      if (++depth > MAX_DEPTH) fault ??= "Expected tags and fields without nested values";
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (depth === 0) return { end: at, fault };
      depth--;
    }
  }
  throw malformed("Expected valid JSON");
}

/** Returns the element, or what is wrong with a number of it. */
function parseElement(json: string, line: number): unknown {
  const point = parseValid(json);
  const lost = findLostNumbers(json).find(({ path: [part] }) => part === "fields");
  if (lost === undefined) return point;
  const name = JSON.stringify(lost.path.at(-1)?.slice(0, 64));
  return new PointError(line, `Expected the field ${name} to be an integer up to 2^53: ${WRITE_AS_TEXT}`);
}

function parseValid(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    throw malformed("Expected valid JSON");
  }
}

function malformed(message: string): AppError {
  return new AppError("MALFORMED_REQUEST", { details: [{ path: "body", message }] });
}
