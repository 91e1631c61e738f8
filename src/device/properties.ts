/**
 * Rules for a device's properties: returned as submitted, within `JSON.parse` and `JSON.stringify`. Numbers become
 * doubles, exact for integers up to 2^53 and about 15 digits of others, in shortest form (`1.50` as `1.5`, `-0` as
 * `0`). Of duplicate keys the last value counts. Integer keys below 2^32 - 1 (`"10"`) come first, ascending.
 */

/** Maximum size of properties, in bytes of their JSON text in UTF-8. */
export const MAX_PROPERTIES_BYTES = 16 * 1024;

/** Maximum levels of nested objects and lists. The properties themselves are level 1. */
export const MAX_PROPERTIES_DEPTH = 8;

/** Maximum number of values: each takes a character, and one that separates it from the next. */
const MAX_VALUES = MAX_PROPERTIES_BYTES / 2;

/** Whether properties can be stored and returned: an object that is not too deep or too large. */
export function isStorable(properties: object): boolean {
  if (Array.isArray(properties) || !isPlain(properties)) return false;
  return new TextEncoder().encode(JSON.stringify(properties)).length <= MAX_PROPERTIES_BYTES;
}

/** Whether there are not too many values, and not too deep. Ends early. */
function isPlain(properties: object): boolean {
  let values = 0;

  function isPlainValue(value: unknown, depth: number): boolean {
    if (++values > MAX_VALUES) return false;
    if (typeof value !== "object" || value === null) return true;
    return depth > 0 && Object.values(value).every((inner) => isPlainValue(inner, depth - 1));
  }

  return isPlainValue(properties, MAX_PROPERTIES_DEPTH);
}

/**
 * Returns the holders and names that lead to a number beyond a double's range, which `JSON.parse` reads as infinity;
 * undefined without one. For properties that can be stored.
 */
export function findInfinity(holder: object): readonly (readonly [object, string])[] | undefined {
  for (const [name, value] of Object.entries(holder)) {
    if (typeof value === "number" && !Number.isFinite(value)) return [[holder, name]];
    const inner = typeof value === "object" && value !== null ? findInfinity(value) : undefined;
    if (inner !== undefined) return [[holder, name], ...inner];
  }
  return undefined;
}
