/**
 * Rewrites the schemas of an OpenAPI document into forms that code generators read without loss:
 *
 * - Integers that may exceed 32 bits get the format `int64`, other numbers `double`. Otherwise generators use 32
 *   bits, and Go's client does not compile.
 * - A nullable value has a list of types. OpenAPI Generator merges `anyOf` with `null` into one schema shared by
 *   equal schemas elsewhere, which become nullable, too.
 * - A union of exclusive options is a `oneOf`. OpenAPI Generator's TypeScript client merges the options of an `anyOf`
 *   into one class. References stay in an `anyOf`: in a `oneOf` that client imports them twice.
 * - A boolean that is always the same has its type in place of its value. Without a type, openapi-python-client makes
 *   code of it that does not parse; with both, OpenAPI Generator's Python client expects a text.
 * - A text beside a number has no format. OpenAPI Generator's Python client also parses numbers as times, and refuses
 *   a value that fits two options.
 */
export function makePortable<D extends object>(document: D): D {
  return rewrite(document) as D;
}

type JsonObject = Readonly<Record<string, unknown>>;

const MAX_INT32 = 2 ** 31 - 1;

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, rewriteEntry(key, child)]);
  return withFormat(withOneOf(withTypeList(withAnyBoolean(Object.fromEntries(entries)))));
}

function rewriteEntry(key: string, value: unknown): unknown {
  if (key === "example") return value;
  if (key !== "properties" || !isObject(value)) return rewrite(value);
  // The names of properties are not keywords.
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, rewrite(schema)]));
}

function withAnyBoolean(schema: JsonObject): JsonObject {
  const { const: value, ...others } = schema;
  return typeof value === "boolean" ? { type: "boolean", ...others } : schema;
}

function withFormat(schema: JsonObject): JsonObject {
  if (schema["type"] === "number") return { format: "double", ...schema };
  const { maximum = Infinity } = schema;
  return schema["type"] === "integer" && Number(maximum) > MAX_INT32
    ? { format: "int64", ...schema }
    : schema;
}

/** `{ anyOf: [A, { type: "null" }] }` becomes A with a list of types, if A has a type and no list of values. */
function withTypeList(schema: JsonObject): JsonObject {
  const { anyOf, ...others } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [first, second] = anyOf as [JsonObject, JsonObject];
  if (second["type"] !== "null" || typeof first["type"] !== "string") return schema;
  if ("enum" in first || "const" in first) return schema;
  return { ...first, type: [first["type"], "null"], ...others };
}

function withOneOf(schema: JsonObject): JsonObject {
  const { anyOf, ...others } = schema;
  return Array.isArray(anyOf) && excludeEachOther(anyOf) ? { oneOf: withoutTimes(anyOf), ...others } : schema;
}

function withoutTimes(options: readonly JsonObject[]): readonly JsonObject[] {
  if (!options.some((option) => jsonType(option) === "number")) return options;
  return options.map(({ format, ...option }) => option["type"] === "string" ? option : { format, ...option });
}

/** Whether all options have a type other than null, and no value fits two of them. */
function excludeEachOther(options: readonly JsonObject[]): boolean {
  return options.every((first, index) =>
    typeof first["type"] === "string" && first["type"] !== "null" &&
    options.slice(index + 1).every((second) =>
      jsonType(first) !== jsonType(second) || requiresMore(first, second)
    )
  );
}

function jsonType({ type }: JsonObject): unknown {
  return type === "integer" ? "number" : type;
}

/** Whether an object requires a property that the other does not allow. */
function requiresMore(object: JsonObject, other: JsonObject): boolean {
  const { required = [] } = object;
  const { properties = {}, additionalProperties } = other;
  return additionalProperties === false &&
    (required as string[]).some((name) => !Object.hasOwn(properties as JsonObject, name));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null;
}
