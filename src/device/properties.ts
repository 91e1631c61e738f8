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

/** Whether properties can be stored and returned: not too deep or too large, and no number beyond a double's range. */
export function isStorable(properties: object): boolean {
  if (Array.isArray(properties) || !isPlain(properties)) return false;
  return new TextEncoder().encode(JSON.stringify(properties)).length <= MAX_PROPERTIES_BYTES;
}

/** Whether all values fit and are finite: `JSON.parse` reads 1e400 as infinity. Ends early at too many values. */
function isPlain(properties: object): boolean {
  let values = 0;

  function isPlainValue(value: unknown, depth: number): boolean {
    if (++values > MAX_VALUES) return false;
    if (typeof value === "number") return Number.isFinite(value);
    if (typeof value !== "object" || value === null) return true;
    return depth > 0 && Object.values(value).every((inner) => isPlainValue(inner, depth - 1));
  }

  return isPlainValue(properties, MAX_PROPERTIES_DEPTH);
}
