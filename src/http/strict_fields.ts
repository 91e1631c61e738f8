import type { ErrorDetail } from "../core/errors.ts";
import type { AnySchema, InspectableSchema } from "./inspectable_schema.ts";

/** The types of object schemas. They accept a list if all their fields are optional. */
const OBJECTS: ReadonlySet<string> = new Set(["object", "loose_object", "strict_object"]);

/**
 * Returns the first value that valibot's object schemas accept by mistake: a list in place of an object with only
 * optional fields or, in a strict object, a field named like an inherited property, such as `constructor`. Either
 * could be a mistyped filter that silently widens a response. `path` is the path of `value`.
 */
export function findLooseField(
  schema: AnySchema,
  value: unknown,
  path: string,
): ErrorDetail | undefined {
  const { type, wrapped, item, entries, options }: InspectableSchema = schema;
  if (wrapped !== undefined) return value === undefined ? undefined : findLooseField(wrapped, value, path);
  if (type === "union" && options !== undefined) {
    const found = options.map((option) => findLooseField(option, value, path));
    return found.includes(undefined) ? undefined : found[0];
  }
  if (type === "array" && item !== undefined && Array.isArray(value)) {
    for (const [i, inner] of value.entries()) {
      const found = findLooseField(item, inner, `${path}.${i}`);
      if (found !== undefined) return found;
    }
  }
  if (!OBJECTS.has(type) || entries === undefined || typeof value !== "object" || value === null) {
    return undefined;
  }
  if (Array.isArray(value)) return { path, message: "Expected an object" };
  const names = type === "strict_object" ? Object.keys(value) : Object.keys(entries);
  for (const name of names) {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    // The name is submitted text, so only the parent is named.
    if (entry === undefined) return { path, message: "Unknown field" };
    const inner = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    const found = inner === undefined ? undefined : findLooseField(entry, inner, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
