import type * as v from "valibot";
import type { ErrorDetail } from "../core/errors.ts";

interface InspectableSchema {
  readonly type: string;
  readonly wrapped?: v.GenericSchema<unknown, unknown>;
  readonly item?: v.GenericSchema<unknown, unknown>;
  readonly entries?: Readonly<Record<string, v.GenericSchema<unknown, unknown>>>;
}

/**
 * Finds what valibot's `strictObject` lets through: a list in place of an object whose fields are all optional, and
 * fields with the name of what every object inherits, such as `constructor`. Either would be a mistyped filter that
 * widens an answer unnoticed. `path` is where `value` stands.
 */
export function findLooseField(
  schema: v.GenericSchema<unknown, unknown>,
  value: unknown,
  path: string,
): ErrorDetail | undefined {
  const { type, wrapped, item, entries }: InspectableSchema = schema;
  if (wrapped !== undefined) return value === undefined ? undefined : findLooseField(wrapped, value, path);
  if (type === "array" && item !== undefined && Array.isArray(value)) {
    for (const [i, inner] of value.entries()) {
      const found = findLooseField(item, inner, `${path}.${i}`);
      if (found !== undefined) return found;
    }
  }
  if (type !== "strict_object" || entries === undefined || typeof value !== "object" || value === null) {
    return undefined;
  }
  if (Array.isArray(value)) return { path, message: "Expected Object" };
  for (const [key, inner] of Object.entries(value)) {
    const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
    // The key is the client's own text: the field is named by its parent.
    if (entry === undefined) return { path, message: "Unknown field" };
    const found = findLooseField(entry, inner, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
