/** Ways to make a JSON body wrong in one place. */

type Json = unknown;

export interface BadBody {
  readonly name: string;
  /** The body as it is sent. */
  readonly text: string;
}

/** Text that no response and no log line may repeat. */
export const MARKER = "MARKER-5b1f";

/** Wrong replacements for each kind of value. */
const WRONG: Readonly<Record<string, readonly Json[]>> = {
  boolean: [null, MARKER, "true", 0, 1, [], {}, [true]],
  number: [null, MARKER, "1", true, -1, 1.5, 1e300, Number.MAX_SAFE_INTEGER + 1, [], {}, [1]],
  string: [null, 1, true, [], {}, [MARKER], { [MARKER]: MARKER }],
  array: [null, MARKER, 1, true, {}, { 0: MARKER, length: 1 }],
  object: [null, MARKER, 1, true, [], [{}]],
};

/**
 * Every wrong variant of a good body: other types, missing fields (unless all are optional), unknown fields, and values
 * that are nested `depth` times.
 */
export function badBodies(
  good: Json,
  { allOptional, depth }: { allOptional: boolean; depth: number },
): BadBody[] {
  const bad: BadBody[] = [];
  const add = (name: string, value: Json): void => void bad.push({ name, text: JSON.stringify(value) });
  visit(good, [], (path, value) => {
    const where = path.length === 0 ? "the body" : path.join(".");
    for (const wrong of WRONG[kindOf(value)] ?? []) {
      add(`${where} = ${JSON.stringify(wrong)}`, replaced(good, path, wrong));
    }
    if (kindOf(value) !== "object") return;
    const fields = Object.entries(value as object);
    for (const [key] of allOptional ? [] : fields) {
      add(
        `${where} without ${key}`,
        replaced(good, path, Object.fromEntries(fields.filter(([k]) => k !== key))),
      );
    }
    for (const key of [MARKER, "__proto__", "constructor", "toString", ""]) {
      const known = Object.fromEntries(fields);
      Object.defineProperty(known, key, { value: MARKER, enumerable: true });
      add(`${where} with the unknown field ${JSON.stringify(key)}`, replaced(good, path, known));
    }
  });
  return [...bad, ...brokenTexts(JSON.stringify(good), depth)];
}

/** Texts that are not JSON, or nested so deeply that a naive parser fails. */
function brokenTexts(good: string, depth: number): BadBody[] {
  return [
    { name: "half the JSON", text: good.slice(0, -1) },
    { name: "JSON and more", text: `${good}${MARKER}` },
    { name: "text", text: MARKER },
    { name: "white space", text: " \n" },
    { name: "a NUL byte in the JSON", text: `\u0000${good}` },
    { name: "a raw control character in a text", text: '{"a":"\u0001"}' },
    { name: "comments", text: `/* ${MARKER} */ ${good}` },
    { name: "lists nested deeply", text: "[".repeat(depth) + "]".repeat(depth) },
    { name: "objects nested deeply", text: '{"a":'.repeat(depth) + "1" + "}".repeat(depth) },
    {
      name: "an unknown field nested deeply",
      text: `{"${MARKER}":${"[".repeat(depth)}${"]".repeat(depth)}}`,
    },
    { name: "lists opened and never closed", text: "[".repeat(depth) },
  ];
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}

function visit(
  value: Json,
  path: readonly string[],
  report: (path: readonly string[], value: Json) => void,
): void {
  report(path, value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key], report);
}

/** A copy of `value` with the part at `path` replaced, or added. */
export function replaced(value: Json, path: readonly string[], by: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((inner, i) => String(i) === key ? replaced(inner, rest, by) : inner);
  }
  const fields = new Map(Object.entries(value ?? {}));
  return Object.fromEntries(fields.set(key, replaced(fields.get(key), rest, by)));
}
