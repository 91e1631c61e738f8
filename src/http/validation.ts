import type { Context, MiddlewareHandler } from "hono";
import { resolver, uniqueSymbol } from "hono-openapi";
import * as v from "valibot";
import { AppError } from "../core/errors.ts";
import { type JsonLimits, parseInSteps } from "../core/json.ts";
import { findLostNumbers, WRITE_AS_TEXT } from "../core/json_numbers.ts";
import type { AppEnv } from "./env.ts";
import { asBodyReader } from "./guard_order.ts";
import { readBody } from "./read_body.ts";
import type { AnySchema, InspectableSchema } from "./inspectable_schema.ts";
import { findLongList } from "./list_lengths.ts";
import { takesAnyNames } from "./open_schemas.ts";
import { findLooseField } from "./strict_fields.ts";
import { toDetail, toPath } from "./error_detail.ts";

/**
 * Lengths above which bodies and URLs are parsed in turn, in UTF-16 code units. Otherwise a burst of one user's
 * requests, whose tokens are verified at the same moment, would be validated in one go.
 */
const LONG_TEXT = 4096;
const LONG_URL = 2048;

/** Maximum number of values in a body: more than any operation's lists hold. Parsing them takes some 30 ms. */
const MAX_PARTS = 100_000;
/** Maximum number of different names with escapes, where users choose the names. Elsewhere none may have any. */
const MAX_ESCAPED_NAMES = 1000;

/** Maximum number of query parameters, and of elements of comma-separated lists: more than any operation takes. */
const MAX_PARAMETERS = 2000;
const MAX_ELEMENTS = 10_000;
const AMPERSAND = 38;
const COMMA = 44;

/** Maximum number of faults of a request; then validation ends. */
const MAX_FAULTS = 20;

type ObjectEntries = Record<string, AnySchema>;
type Target = "json" | "query" | "param";

interface Validated<T extends Target, S extends AnySchema> {
  /** A typed client may leave out a query without required parameters. */
  in: T extends "query" ? (Record<never, never> extends v.InferInput<S> ? { query?: v.InferInput<S> }
      : { query: v.InferInput<S> })
    : { [K in T]: v.InferInput<S> };
  out: { [K in T]: v.InferOutput<S> };
}

export interface JsonOptions {
  /** Treats an absent body as `{}`, for operations without required input. */
  readonly bodyOptional?: boolean;
  /** The schema for the document, if the handler validates the body itself. */
  readonly documentedBy?: AnySchema;
  /** Runs before a long body is parsed, and may refuse it. */
  readonly beforeLong?: (c: Context<AppEnv>) => Promise<void>;
  /** Responds to another content type with 400, where a standard says so. */
  readonly otherTypeIsMalformed?: boolean;
  /** Whether the operation stores numbers that clients choose. Those that a double does not hold are refused. */
  readonly keepsNumbers?: boolean;
}

/** The schema of a body that may also be a list, for errors that a union of both could not name. */
export interface ListOption<L extends AnySchema> {
  readonly orList?: L;
}

/** Validates a JSON body: 415 for another content type, 400 for malformed JSON or a schema mismatch. */
export function validJson<S extends AnySchema, L extends AnySchema = S>(
  schema: S,
  options: JsonOptions & ListOption<L> = {},
): MiddlewareHandler<AppEnv, string, Validated<"json", S | L>> {
  const { orList } = options;
  const limits = { parts: MAX_PARTS, escapedNames: takesAnyNames(schema) ? MAX_ESCAPED_NAMES : 0 };
  const described = options.documentedBy ?? (orList === undefined ? schema : v.union([schema, orList]));

  function* parseAndValidate(c: Context<AppEnv>, text: string): Generator<void, v.InferOutput<S | L>> {
    const value = text === "" && options.bodyOptional ? {} : yield* parseBody(c, text, limits, options);
    if (text.length > LONG_TEXT) yield;
    const valid = parseWith(orList !== undefined && Array.isArray(value) ? orList : schema, value, "body");
    if (options.keepsNumbers) requireKeptNumbers(text);
    return valid;
  }

  const middleware: MiddlewareHandler<AppEnv, string, Validated<"json", S | L>> = async function validateJson(
    c,
    next,
  ) {
    const text = await readBody(c);
    if (text.length > LONG_TEXT) await options.beforeLong?.(c);
    const steps = parseAndValidate(c, text);
    addValidated(
      c,
      "json",
      text.length > LONG_TEXT ? await c.get("bodyRoom").parseInTurn(steps) : finish(steps),
    );
    await next();
  };
  const content = { "application/json": { schema: resolver(described) } };
  const spec = { requestBody: { required: options.bodyOptional !== true, content } };
  return Object.assign(asBodyReader(middleware), { [uniqueSymbol]: { spec } });
}

/** Refuses numbers whose digits would be lost, in a body that fits its schema. */
function requireKeptNumbers(text: string): void {
  const message = `Expected an integer that a double holds, up to 2^53: ${WRITE_AS_TEXT}`;
  const details = findLostNumbers(text).map(({ path }) => ({ path: toPath("body", path), message }));
  if (details.length > 0) throw new AppError("MALFORMED_REQUEST", { details });
}

/**
 * Validates the query string against a schema of decoded values: numbers and booleans are decoded from text, arrays
 * from repeated or comma-separated parameters. Unknown, malformed and wrongly repeated parameters cause a 400.
 */
export function validQuery<E extends ObjectEntries>(
  schema: v.StrictObjectSchema<E, undefined>,
): MiddlewareHandler<AppEnv, string, Validated<"query", v.StrictObjectSchema<E, undefined>>> {
  type S = v.StrictObjectSchema<E, undefined>;
  const middleware: MiddlewareHandler<AppEnv, string, Validated<"query", S>> = async function validateQuery(
    c,
    next,
  ) {
    const { url } = c.req;
    const validate = () => parseWith(schema, decodeQuery(schema, url), "query");
    addValidated(
      c,
      "query",
      url.length > LONG_URL ? await c.get("bodyRoom").parseInTurn(inOneStep(validate)) : validate(),
    );
    await next();
  };
  takingQuery.add(middleware);
  return described(middleware, "query", schema);
}

/** Validates path parameters, like `validQuery`. */
export function validParam<E extends ObjectEntries>(
  schema: v.StrictObjectSchema<E, undefined>,
): MiddlewareHandler<AppEnv, string, Validated<"param", v.StrictObjectSchema<E, undefined>>> {
  type S = v.StrictObjectSchema<E, undefined>;
  const middleware: MiddlewareHandler<AppEnv, string, Validated<"param", S>> = async function validateParam(
    c,
    next,
  ) {
    const decoded: Record<string, unknown> = {};
    for (const [name, text] of Object.entries(c.req.param() as Record<string, string>)) {
      const entry = schema.entries[name];
      decoded[name] = entry === undefined ? text : decodePathText(entry, text);
    }
    addValidated(c, "param", parseWith(schema, decoded, "path"));
    await next();
  };
  return described(middleware, "param", schema);
}

/** Returns the parameters of a URL, decoded for their schemas. */
function decodeQuery(
  schema: v.StrictObjectSchema<ObjectEntries, undefined>,
  url: string,
): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  for (const [name, pairs] of readQuery(url)) {
    const texts = pairs.map(([, text]) => text);
    const entry = Object.hasOwn(schema.entries, name) ? schema.entries[name] : undefined;
    defineOwn(decoded, name, entry === undefined ? texts : decodeTexts(entry, texts));
  }
  return decoded;
}

/**
 * Returns the parameters of a URL by name. Unlike `c.req.queries()` it keeps `__proto__`, which must be refused like
 * any unknown parameter. Throws `MALFORMED_REQUEST` for too many.
 */
function readQuery(url: string): Map<string, [name: string, text: string][]> {
  const start = url.indexOf("?");
  if (start === -1) return new Map();
  requireShortQuery(url, start);
  return Map.groupBy(new URLSearchParams(url.slice(start + 1)), ([name]) => name);
}

/** Refuses long queries before parsing: 64 KiB of parameters would take some 20 ms, without any token. */
function requireShortQuery(url: string, start: number): void {
  let [parameters, elements] = [1, 1];
  for (let at = start; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === AMPERSAND) parameters++;
    else if (code === COMMA) elements++;
  }
  if (parameters <= MAX_PARAMETERS && elements <= MAX_ELEMENTS) return;
  const message = `Expected at most ${MAX_PARAMETERS} parameters, and ${MAX_ELEMENTS} elements of lists`;
  throw new AppError("MALFORMED_REQUEST", { details: [{ path: "query", message }] });
}

/** Documents a query that the handler reads itself. */
export function documentedQuery(schema: AnySchema): MiddlewareHandler<AppEnv> {
  return described<MiddlewareHandler<AppEnv>>((_c, next) => next(), "query", schema);
}

/** Handlers of operations and pages whose URL may have a query. */
const takingQuery = new WeakSet<object>();

/** Accepts any query, for pages: mail programs append parameters to the links that they open. */
export function allowAnyQuery(): MiddlewareHandler<AppEnv> {
  const middleware: MiddlewareHandler<AppEnv> = (_c, next) => next();
  takingQuery.add(middleware);
  return middleware;
}

/** Matches a query with at least one parameter, even an empty one. Parsing would take longer. */
const SOME_PARAMETER = /\?&*[^&]/;

/**
 * Refuses query parameters where an operation takes none. Otherwise a parameter of another operation, such as
 * `dryRun`, would be ignored, and the change made.
 */
export function refuseStrayQuery(c: Context<AppEnv>): void {
  if (SOME_PARAMETER.test(c.req.url) && isWithoutQuery(c)) {
    throw new AppError("MALFORMED_REQUEST", { details: [{ path: "query", message: "Unknown field" }] });
  }
}

/** Whether the request is for an operation, and none of its handlers takes a query. */
function isWithoutQuery(c: Context<AppEnv>): boolean {
  const { handlers } = c.get("operation");
  return handlers.length > 0 && !handlers.some((handler) => takingQuery.has(handler));
}

/** Documents a body of up to `maxBytes` that the handler reads itself, with its schemas by media type. */
export function documentedBody(
  schemas: Readonly<Record<string, AnySchema>>,
  maxBytes: number,
): MiddlewareHandler<AppEnv> {
  const middleware = asBodyReader<MiddlewareHandler<AppEnv>>((_c, next) => next(), maxBytes);
  const content = Object.fromEntries(
    Object.entries(schemas).map(([mediaType, schema]) => [mediaType, { schema: resolver(schema) }]),
  );
  return Object.assign(middleware, {
    [uniqueSymbol]: { spec: { requestBody: { required: true, content } } },
  });
}

function* parseBody(
  c: Context<AppEnv>,
  text: string,
  limits: JsonLimits,
  { otherTypeIsMalformed = false }: JsonOptions,
): Generator<void, unknown> {
  // An absent body is malformed, whatever its content type.
  if (text !== "" && !isJson(c.req.header("Content-Type"))) {
    if (!otherTypeIsMalformed) throw new AppError("UNSUPPORTED_MEDIA_TYPE");
    const details = [{ path: "header.Content-Type", message: "Expected application/json" }];
    throw new AppError("MALFORMED_REQUEST", { details });
  }
  try {
    return yield* parseInSteps(text, limits);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The parser's own message quotes the body, which may hold a password.
    throw new AppError("MALFORMED_REQUEST", { details: [{ path: "body", message: "Expected valid JSON" }] });
  }
}

// deno-lint-ignore require-yield -- There is nothing to interrupt: URLs are bounded.
function* inOneStep<T>(task: () => T): Generator<void, T> {
  return task();
}

function finish<T>(steps: Iterator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function isJson(contentType = ""): boolean {
  return contentType === "application/json" || /^\s*application\/json\s*(;|$)/i.test(contentType);
}

function parseWith<S extends AnySchema>(schema: S, value: unknown, root: string): v.InferOutput<S> {
  const longList = findLongList(schema, value, root);
  if (longList !== undefined) throw new AppError("MALFORMED_REQUEST", { details: [longList] });
  const { issues, value: output } = schema["~run"]({ value }, new Run());
  if (issues !== undefined) {
    throw new AppError("MALFORMED_REQUEST", { details: issues.map((issue) => toDetail(issue, root)) });
  }
  const loose = findLooseField(schema, value, root);
  if (loose !== undefined) throw new AppError("MALFORMED_REQUEST", { details: [loose] });
  return output as v.InferOutput<S>;
}

/**
 * The configuration of one run of valibot, which ends after `MAX_FAULTS`: a fault costs more than a valid value. For
 * each fault, valibot reads `lang` and then `abortEarly`.
 */
class Run implements v.Config<v.BaseIssue<unknown>> {
  readonly abortPipeEarly = true;
  /** Empty, because valibot's own messages repeat the submitted value. Those of our schemas remain. */
  readonly message = "";
  #faults = 0;

  get lang(): undefined {
    this.#faults++;
    return undefined;
  }

  get abortEarly(): boolean {
    return this.#faults >= MAX_FAULTS;
  }
}

function addValidated<T extends Target, S extends AnySchema>(
  c: Context<AppEnv, string, Validated<T, S>>,
  target: T,
  value: v.InferOutput<S>,
): void {
  c.req.addValidatedData(target, value as Record<string, unknown>);
}

/** Attaches the schema where hono-openapi looks for it. */
function described<M extends (...args: never[]) => unknown>(
  middleware: M,
  target: "query" | "param",
  schema: AnySchema,
): M {
  return Object.assign(middleware, { [uniqueSymbol]: { target, ...resolver(schema) } });
}

/** Assigns without calling a setter of a prototype: `__proto__` is a legal parameter name. */
function defineOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Decodes a path parameter like a query parameter. A list may also have the form that generated clients use. */
function decodePathText(schema: AnySchema, text: string): unknown {
  // `[1,2]`, `[1, 2]` (Java, Python) or `[1 2]` (Go).
  const ids = findList(schema) && /^\[([0-9, ]*)\]$/.exec(text)?.[1];
  return decodeTexts(schema, [ids?.replaceAll(/,? /g, ",") ?? text]);
}

function decodeTexts(schema: AnySchema, texts: readonly string[]): unknown {
  const inner = innermost(schema);
  const list = findList(schema);
  // In a union of a list and `*`, the latter means all.
  if (list !== undefined && (list === inner || texts[0] !== "*")) return decodeList(list, texts);
  return texts.length === 1 ? decodeText(inner, texts[0] as string) : texts;
}

/** Returns the schema of a list, also inside a union. */
function findList(schema: AnySchema): InspectableSchema | undefined {
  const inner = innermost(schema);
  return [inner, ...inner.options?.map(innermost) ?? []].find(({ type }) => type === "array");
}

function decodeList(list: InspectableSchema, texts: readonly string[]): unknown[] {
  const item = list.item === undefined ? list : innermost(list.item);
  return texts.flatMap((text) => text === "" ? [] : text.split(",")).map((text) => decodeText(item, text));
}

/** Unwraps `optional`. */
function innermost(schema: AnySchema): InspectableSchema {
  const inspectable: InspectableSchema = schema;
  return inspectable.wrapped === undefined ? inspectable : innermost(inspectable.wrapped);
}

/** Decodes the canonical text of a number or boolean. Any other text stays as it is, and fails its schema. */
function decodeText(schema: InspectableSchema, text: string): unknown {
  if (schema.type === "number" && /^(0|[1-9][0-9]{0,15})$/.test(text)) return Number(text);
  if (schema.type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
