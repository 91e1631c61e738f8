import { type FieldValue, findKnown, type KnownSeries, type Point, type SeriesKey } from "../points/point.ts";
import {
  FALSE_VALUE,
  findFieldsFault,
  findSeriesFault,
  MAX_FIELDS,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  MAX_TEXT_BYTES,
  PointError,
  TEXT_RULE,
  toNumberValue,
  toTextValue,
  TRUE_VALUE,
  withinMaxValues,
} from "../points/point_rules.ts";
import { MAX_TIME, MIN_TIME } from "../points/time.ts";
import { findEndOfFault } from "./line_end.ts";

/** Units of timestamps, in nanoseconds. */
const UNIT_NS = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
} as const;
export type Precision = keyof typeof UNIT_NS;

export interface LineProtocolOptions {
  /** Unit of the timestamps. */
  readonly precision: Precision;
  /** Time of points without a timestamp, in nanoseconds since 1970. */
  readonly now: bigint;
  /** Returns what is known of the series of a measurement and tags, whose text was valid then. */
  readonly recall?: ((text: string) => KnownSeries | undefined) | undefined;
}

const MAX_INTEGER = 9_223_372_036_854_775_807n;
const MAX_INTEGER_DIGITS = 19;
/** Integers of up to this many digits always fit into 64 bits. */
const SURE_INTEGER_DIGITS = 18;
/** More characters than any double needs. Longer texts are refused unconverted. */
const MAX_NUMBER_LENGTH = 400;

/** No two parts can match the same digits, so that matching takes linear time. */
const FLOAT = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?\d+$/;
const INTEGER_VALUE = /^-?\d{1,400}[iu]$/;
const FIELDS_MESSAGE = "Expected fields after the measurement and tags";
/** Decimals that are the shortest texts of their doubles, so that they need no conversion. */
const SHORT_DECIMAL = /^-?(?:0|[1-9]\d{0,8})\.\d{0,5}[1-9]$/;

const TRUE_TEXTS: ReadonlySet<string> = new Set(["t", "T", "true", "True", "TRUE"]);
const FALSE_TEXTS: ReadonlySet<string> = new Set(["f", "F", "false", "False", "FALSE"]);

const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const HASH = 35;
const COMMA = 44;
const EQUALS = 61;
const BACKSLASH = 92;

/**
 * Parses InfluxDB 1.x line protocol. Points of the same text of measurement and tags share one `key`. Throws `PointError`
 * with the physical line at which the bad point begins. Stricter than InfluxDB: refuses repeated tags and unescaped
 * separators.
 */
export function parseLineProtocol(text: string, options: LineProtocolOptions): Generator<Point, void> {
  const reader = new LineReader(text, options);
  return withinMaxValues(() => reader.next());
}

/** Like `parseLineProtocol`, but yields the error of a malformed point, and goes on with the next line. */
export function parseEachLine(
  text: string,
  options: LineProtocolOptions,
): Generator<Point | PointError, void> {
  const reader = new LineReader(text, options);
  return withinMaxValues(() => reader.nextOrFault());
}

/** A key that is parsed only if more than its known series is needed. */
class RecalledKey implements SeriesKey {
  #parsed: SeriesKey | undefined;

  constructor(readonly text: string, readonly known: KnownSeries) {}

  get measurement(): string {
    return this.#parse().measurement;
  }

  get tags(): ReadonlyMap<string, string> {
    return this.#parse().tags;
  }

  #parse(): SeriesKey {
    const [point] = this.#parsed === undefined
      ? parseLineProtocol(`${this.text} f=1`, { precision: "ns", now: 0n })
      : [];
    return this.#parsed ??= (point as Point).key;
  }
}

/** Whether all fields are those of known series, so that their names are valid. */
function areKnown(fields: ReadonlyMap<string, FieldValue>, { known }: SeriesKey): boolean {
  if (known === undefined) return false;
  for (const name of fields.keys()) if (findKnown(known, name) === undefined) return false;
  return true;
}

/** Reads the text once, from left to right. */
class LineReader {
  #at = 0;
  /** The line of `#at`, and that of the current point's beginning; from 1. */
  #line = 1;
  #pointLine = 1;
  #pointStart = 0;
  /** The first space that no backslash escapes, from a former point on. */
  #space = -1;
  readonly #unit: bigint;
  /** By raw text: most points of a request repeat an earlier measurement and tags. */
  readonly #seriesKeys = new Map<string, SeriesKey>();

  constructor(readonly text: string, readonly options: LineProtocolOptions) {
    this.#unit = UNIT_NS[options.precision];
  }

  /** Reads the next point; undefined at the end. */
  next(): Point | undefined {
    if (!this.#findPoint()) return undefined;
    this.#beginPoint();
    const line = this.#pointLine;
    const key = this.#readSeriesKey();
    this.#skipSpaces();
    const fields = this.#readFields();
    const fault = areKnown(fields, key) ? undefined : findFieldsFault(fields, key.tags);
    if (fault !== undefined) this.#fail(fault);
    this.#skipSpaces();
    const time = this.#isAtEndOfLine() ? this.options.now : this.#readTime();
    this.#skipSpaces();
    if (!this.#isAtEndOfLine()) this.#fail("Expected the end of the line after the timestamp");
    return { line, key, time, fields };
  }

  /** Like `next`, but returns the error of a malformed point. The next point begins after its end (`findEndOfFault`). */
  nextOrFault(): Point | PointError | undefined {
    try {
      if (this.#findPoint()) this.#requireFields();
      return this.next();
    } catch (error) {
      if (!(error instanceof PointError)) throw error;
      this.#skipFaulty(error);
      return error;
    }
  }

  /** Fails unless a space follows on the line. Without one, each line would search the rest of the text for it. */
  #requireFields(): void {
    const { text } = this;
    const start = this.#beginPoint();
    if (this.#space < start) {
      let space = text.indexOf(" ", start);
      while (space > start && text.charCodeAt(space - 1) === BACKSLASH) space = text.indexOf(" ", space + 1);
      this.#space = space === -1 ? text.length : space;
    }
    const end = text.indexOf("\n", start);
    if (this.#space >= (end === -1 ? text.length : end)) this.#fail(FIELDS_MESSAGE);
  }

  #beginPoint(): number {
    this.#pointLine = this.#line;
    return this.#pointStart = this.#at;
  }

  /** Goes to the end of a malformed point: later than its first line if a text has line breaks. */
  #skipFaulty(error: PointError): void {
    const { text } = this;
    this.#at = findEndOfFault(text, this.#pointStart);
    this.#line = this.#pointLine;
    error.values = 0;
    let isAmongFields = false;
    for (let at = this.#pointStart; at < this.#at; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) this.#line += 1;
      else if (code === SPACE) isAmongFields = true;
      else if (code === EQUALS && isAmongFields) error.values += 1;
    }
    error.values = Math.min(Math.max(1, error.values), MAX_FIELDS);
  }

  /** Skips blank lines and comments. Returns false at the end of the text. */
  #findPoint(): boolean {
    while (this.#at < this.text.length) {
      this.#skipSpaces();
      if (this.text.charCodeAt(this.#at) === HASH) {
        const end = this.text.indexOf("\n", this.#at);
        this.#at = end === -1 ? this.text.length : end;
      }
      if (!this.#isAtEndOfLine()) return true;
      if (this.text.charCodeAt(this.#at) === RETURN) this.#at += 1;
      if (this.#at < this.text.length) this.#line += 1;
      this.#at += 1;
    }
    return false;
  }

  #readSeriesKey(): SeriesKey {
    const { text } = this;
    const start = this.#at;
    let end = text.indexOf(" ", start);
    while (end > start && text.charCodeAt(end - 1) === BACKSLASH) end = text.indexOf(" ", end + 1);
    if (end === -1) this.#fail(FIELDS_MESSAGE);
    const raw = text.slice(start, end);
    const earlier = this.#seriesKeys.get(raw);
    if (earlier !== undefined) {
      this.#at = end;
      return earlier;
    }
    const known = this.options.recall?.(raw);
    const key = known === undefined ? this.#parseSeriesKey(raw, end) : new RecalledKey(raw, known);
    this.#at = end;
    this.#seriesKeys.set(raw, key);
    return key;
  }

  /** Parses a measurement and tags, up to the space at `end`. */
  #parseSeriesKey(raw: string, end: number): SeriesKey {
    const { text } = this;
    if (raw.includes("\n")) this.#fail(FIELDS_MESSAGE);
    const measurement = this.#readName(isMeasurementSeparator);
    const tags = new Map<string, string>();
    while (this.#at < end) {
      if (tags.size === MAX_TAGS) this.#fail(`Expected at most ${MAX_TAGS} tags`);
      this.#at += 1;
      const key = this.#readName(isTagSeparator);
      if (text.charCodeAt(this.#at) !== EQUALS) this.#fail("Expected tags as key=value");
      this.#at += 1;
      const value = this.#readName(isTagSeparator);
      if (text.charCodeAt(this.#at) === EQUALS) this.#fail("Expected equals signs in a tag to be escaped");
      if (tags.has(key)) this.#fail("Expected each tag only once");
      tags.set(key, value);
    }
    const fault = findSeriesFault({ measurement, tags });
    if (fault !== undefined) this.#fail(fault);
    return { text: raw, measurement, tags };
  }

  #readFields(): Map<string, FieldValue> {
    const fields = new Map<string, FieldValue>();
    // Repeated ones count, too: a line is read in one turn.
    for (let count = 1;; count++) {
      if (count > MAX_FIELDS) this.#fail(`Expected at most ${MAX_FIELDS} fields`);
      const name = this.#readName(isTagSeparator);
      if (this.text.charCodeAt(this.#at) !== EQUALS) this.#fail("Expected fields as name=value");
      this.#at += 1;
      fields.set(name, this.#readValue());
      if (this.text.charCodeAt(this.#at) !== COMMA) return fields;
      this.#at += 1;
    }
  }

  /** Reads up to a separator or the end of the line. A backslash escapes a separator; elsewhere it is literal. */
  #readName(isSeparator: (code: number) => boolean): string {
    const { text } = this;
    let start = this.#at;
    let name = "";
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH && isSeparator(text.charCodeAt(at + 1))) {
        name += text.slice(start, at);
        if (name.length > 2 * MAX_TAG_LENGTH) this.#fail("Expected shorter names and tag values");
        at += 1;
        start = at;
      } else if (code === NEWLINE || isSeparator(code)) {
        break;
      }
    }
    this.#at = at;
    return name + text.slice(start, at);
  }

  #readValue(): FieldValue {
    if (this.text.charCodeAt(this.#at) === QUOTE) return this.#readText();
    const raw = this.#readToken();
    const value = toValue(raw);
    if (value === undefined) this.#fail(ruleOf(raw));
    return value;
  }

  #readText(): FieldValue {
    const { text } = this;
    let at = this.#at + 1;
    let start = at;
    let content = "";
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === NEWLINE) this.#line += 1;
      if (code !== BACKSLASH) continue;
      const next = text.charCodeAt(at + 1);
      if (next !== QUOTE && next !== BACKSLASH) continue;
      content += text.slice(start, at);
      if (content.length > MAX_TEXT_BYTES) this.#fail(`Expected ${TEXT_RULE}`);
      at += 1;
      start = at;
    }
    if (at === text.length) this.#fail("Expected a closing quote");
    content += text.slice(start, at);
    this.#at = at + 1;
    const value = toTextValue(content);
    if (value === undefined) this.#fail(`Expected ${TEXT_RULE}`);
    const end = text.charCodeAt(this.#at);
    if (end !== COMMA && !isBlank(end) && !this.#isAtEndOfLine()) {
      this.#fail("Expected a comma, a space or the end of the line after a string");
    }
    return value;
  }

  #readTime(): bigint {
    const raw = this.#readToken();
    if (raw.length > MAX_INTEGER_DIGITS + 1 || !INTEGER.test(raw)) {
      this.#fail("Expected the timestamp to be an integer");
    }
    const time = BigInt(raw) * this.#unit;
    if (time < MIN_TIME || time > MAX_TIME) {
      this.#fail("Expected a timestamp between the years 1677 and 2262");
    }
    return time;
  }

  /** Reads up to a comma, blank or line end: a number or a boolean, if well-formed. */
  #readToken(): string {
    const { text } = this;
    const start = this.#at;
    let at = start;
    while (at < text.length && !isTokenEnd(text.charCodeAt(at))) at++;
    this.#at = at;
    return text.slice(start, at);
  }

  #skipSpaces(): void {
    while (isBlank(this.text.charCodeAt(this.#at))) this.#at += 1;
  }

  /** Whether the reader is at a line feed, at the carriage return before one, or at the end of the text. */
  #isAtEndOfLine(): boolean {
    const code = this.text.charCodeAt(this.#at);
    if (code !== RETURN) return code === NEWLINE || this.#at >= this.text.length;
    return this.#at + 1 >= this.text.length || this.text.charCodeAt(this.#at + 1) === NEWLINE;
  }

  #fail(message: string): never {
    throw new PointError(this.#pointLine, message);
  }
}

function isMeasurementSeparator(code: number): boolean {
  return code === COMMA || code === SPACE;
}

/** Ends the names and values of tags, and the names of fields. */
function isTagSeparator(code: number): boolean {
  return code === COMMA || code === SPACE || code === EQUALS;
}

function isTokenEnd(code: number): boolean {
  return code === COMMA || code === SPACE || code === TAB || code === NEWLINE || code === RETURN;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function toValue(raw: string): FieldValue | undefined {
  if (SHORT_DECIMAL.test(raw)) return { kind: "number", json: raw };
  const last = raw.at(-1);
  if (last === "i" || last === "u") return toIntegerValue(raw.slice(0, -1), last === "u");
  if (TRUE_TEXTS.has(raw)) return TRUE_VALUE;
  if (FALSE_TEXTS.has(raw)) return FALSE_VALUE;
  return raw.length <= MAX_NUMBER_LENGTH && FLOAT.test(raw) ? toNumberValue(Number(raw)) : undefined;
}

/** Returns what was expected in place of a text that is no value. */
function ruleOf(raw: string): string {
  if (!INTEGER_VALUE.test(raw)) {
    return "Expected the value of a field to be a number, boolean or quoted string";
  }
  const [what, least] = raw.endsWith("u") ? ["an unsigned integer", 0n] : ["an integer", -MAX_INTEGER - 1n];
  return `Expected ${what} from ${least} to ${MAX_INTEGER} (2^63-1): write other numbers as floats`;
}

/** Converts an integer. Unsigned ones have the maximum of signed ones, because neither store keeps larger ones. */
function toIntegerValue(raw: string, isUnsigned: boolean): FieldValue | undefined {
  if (raw.length > MAX_NUMBER_LENGTH || !INTEGER.test(raw) || isUnsigned && raw.startsWith("-")) {
    return undefined;
  }
  if (raw.length <= SURE_INTEGER_DIGITS && raw.charCodeAt(0) > 48) return { kind: "number", json: raw };
  const integer = BigInt(raw);
  if (integer > MAX_INTEGER || integer < -MAX_INTEGER - 1n) return undefined;
  return { kind: "number", json: String(integer) };
}
