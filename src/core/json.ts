import { AppError } from "./errors.ts";
import { findClosingQuote, skipBlanks } from "./json_scan.ts";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPENING_BRACKET = 91;
const OPENING_BRACE = 123;

/** Characters that JSON names can only contain as escapes (RFC 8259, section 7). */
// deno-lint-ignore no-control-regex -- These are the characters.
const NEEDS_ESCAPE = /["\\\x00-\x1f]/;

/** Objects and lists visited before other requests get a turn: some milliseconds. */
const TURN_VISITS = 10_000;

/** Limits of the cost of a text. A text without limits is trusted. */
export interface JsonLimits {
  /** Maximum number of commas and opening brackets, which is about the number of values. */
  readonly parts?: number;
  /** Maximum number of different names with escapes, each of which costs several times as much as a plain name. */
  readonly escapedNames?: number;
}

/**
 * Parses JSON like `JSON.parse`, also where names come from users. Throws a `SyntaxError`.
 *
 * V8 confuses names with escapes: after a text with the name `"\\"`, it may read the name `"
 * "` of the next one as `\` (https://github.com/nodejs/node/issues/63785, since 13.6). So such names are replaced
 * before parsing, by their plain spelling or else by placeholders that are put back afterwards. Of duplicates the
 * last one counts.
 */
export function parseJson(text: string): unknown {
  const steps = parseInSteps(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Parses in steps, between which other requests may be served. Throws `MALFORMED_REQUEST` for a text beyond the
 * limits, before parsing it.
 */
export function* parseInSteps(text: string, limits: JsonLimits = {}): Generator<void, unknown> {
  const { parts = Infinity } = limits;
  // A text has no more parts than characters.
  if (text.length <= parts && !text.includes("\\")) return JSON.parse(text);
  const { replaced, names } = replaceNames(text, limits);
  if (text.length >= TURN_VISITS) yield;
  const parsed: unknown = JSON.parse(replaced);
  return names.size === 0 ? parsed : yield* putBack(parsed, names);
}

interface Replaced {
  readonly replaced: string;
  /** The names by placeholder. */
  readonly names: ReadonlyMap<string, string>;
}

/** Replaces the names with escapes, in linear time, even for invalid JSON. */
function replaceNames(text: string, { parts = Infinity, escapedNames = Infinity }: JsonLimits): Replaced {
  const mark = findMark(text);
  /** By name: all spellings share one placeholder. */
  const placeholders = new Map<string, string>();
  const replacements = new Map<string, string>();
  const pieces: string[] = [];
  let copied = 0;
  let found = 0;
  let escape = indexFrom(text, "\\", 0);

  function replacementOf(json: string): string {
    const known = replacements.get(json);
    if (known !== undefined) return known;
    if (replacements.size >= escapedNames) throw tooManyNames(escapedNames);
    const name: string = JSON.parse(json);
    const replacement = NEEDS_ESCAPE.test(name) ? placeholderOf(name) : name;
    replacements.set(json, replacement);
    return replacement;
  }

  function placeholderOf(name: string): string {
    const placeholder = placeholders.get(name) ?? `${mark}${placeholders.size}`;
    placeholders.set(name, placeholder);
    return placeholder;
  }

  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === OPENING_BRACE || code === OPENING_BRACKET) {
      if (++found > parts) throw beyond(`Expected JSON with at most ${parts} values`);
    } else if (code === QUOTE) {
      const end = findClosingQuote(text, at);
      if (end === -1) throw new SyntaxError("Unterminated string in JSON");
      if (escape < at) escape = indexFrom(text, "\\", at);
      if (escape < end && text.charCodeAt(skipBlanks(text, end + 1)) === COLON) {
        pieces.push(text.slice(copied, at), `"${replacementOf(text.slice(at, end + 1))}"`);
        copied = end + 1;
      }
      at = end;
    }
  }
  const names = new Map(Array.from(placeholders, ([name, placeholder]) => [placeholder, name]));
  return { replaced: pieces.length === 0 ? text : pieces.join("") + text.slice(copied), names };
}

/** Returns the prefix of all placeholders, which the text does not contain. Not a digit: objects list numbers first. */
function findMark(text: string): string {
  for (;;) {
    const mark = `x${crypto.randomUUID().slice(0, 8)}`;
    if (!text.includes(mark)) return mark;
  }
}

function indexFrom(text: string, searched: string, start: number): number {
  const index = text.indexOf(searched, start);
  return index === -1 ? Infinity : index;
}

/** Replaces placeholders with their names, at any depth, and keeps the order of the names. */
function* putBack(root: unknown, names: ReadonlyMap<string, string>): Generator<void, unknown> {
  const holder = { root };
  const unvisited: object[] = [holder];
  let visits = 0;
  for (let parent = unvisited.pop(); parent !== undefined; parent = unvisited.pop()) {
    for (const [key, value] of Array.isArray(parent) ? parent.entries() : Object.entries(parent)) {
      if (typeof value !== "object" || value === null) continue;
      const child = Array.isArray(value) ? value : rename(value, names);
      Reflect.set(parent, key, child);
      unvisited.push(child);
      if (++visits % TURN_VISITS === 0) yield;
    }
  }
  return holder.root;
}

/** Renames the placeholders of one object. `Object.fromEntries`, unlike an assignment, also defines `__proto__`. */
function rename(object: object, names: ReadonlyMap<string, string>): object {
  const entries = Object.entries(object);
  if (!entries.some(([name]) => names.has(name))) return object;
  return Object.fromEntries(entries.map(([name, value]) => [names.get(name) ?? name, value]));
}

function tooManyNames(most: number): AppError {
  return beyond(
    most === 0 ? "Expected names without escapes" : `Expected at most ${most} different names with escapes`,
  );
}

function beyond(message: string): AppError {
  return new AppError("MALFORMED_REQUEST", { details: [{ path: "body", message }] });
}
