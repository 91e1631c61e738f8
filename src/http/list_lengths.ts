import type { ErrorDetail } from "../core/errors.ts";
import type { AnySchema, InspectableSchema } from "./inspectable_schema.ts";

/**
 * Returns the first list that is longer than its schema allows. Valibot itself validates all items before it checks
 * the length. `path` is the path of `value`.
 */
export function findLongList(schema: AnySchema, value: unknown, path: string): ErrorDetail | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { wrapped, options = [], item, entries = {} }: InspectableSchema = schema;
  for (const inner of wrapped === undefined ? options : [wrapped]) {
    const found = findLongList(inner, value, path);
    if (found !== undefined) return found;
  }
  if (item !== undefined && Array.isArray(value)) {
    const most = findMaxLength(schema);
    return value.length > most ? { path, message: `Expected at most ${most} elements` } : undefined;
  }
  for (const key in entries) {
    const inner: unknown = Reflect.get(value, key);
    const entry = typeof inner === "object" ? entries[key] : undefined;
    const found = entry && findLongList(entry, inner, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findMaxLength(schema: AnySchema): number {
  const { pipe = [] }: InspectableSchema = schema;
  let most = Infinity;
  for (const { type, requirement } of pipe) {
    if (type === "max_length") most = Math.min(most, Number(requirement));
  }
  return most;
}
