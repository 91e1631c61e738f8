import * as v from "valibot";

/**
 * Rules for a device's properties. They are stored and returned as submitted, within the limits of `JSON.parse` and
 * `JSON.stringify`. Numbers become doubles, which are exact for integers up to 2^53 and for about 15 digits of others,
 * and are written in the shortest form (`1.50` as `1.5`, `-0` as `0`). Of duplicate keys the last value counts. Keys
 * that are integers below 2^32 - 1 (`"10"`) come first, in ascending order.
 */

/** Maximum size of properties, in bytes of their JSON text in UTF-8. */
export const MAX_PROPERTIES_BYTES = 16 * 1024;

/** Maximum levels of nested objects and lists. The properties themselves are level 1. */
export const MAX_PROPERTIES_DEPTH = 8;

/** Whether properties can be stored and returned: not too deep or too large, and no number beyond a double's range. */
export function isStorable(properties: object): boolean {
  if (Array.isArray(properties) || !isPlain(properties, MAX_PROPERTIES_DEPTH)) return false;
  return new TextEncoder().encode(JSON.stringify(properties)).length <= MAX_PROPERTIES_BYTES;
}

/** Up to `depth` levels may follow. `JSON.parse` reads 1e400 as infinity, which JSON cannot express. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isPlain(inner, depth - 1));
}

/**
 * Wraps a schema so that it returns the checked value itself. Valibot's object schemas build a new object, with known
 * fields first and without fields named `__proto__`, `constructor` and `prototype`.
 */
export function asGiven<S extends v.GenericSchema>(schema: S): S {
  return {
    ...schema,
    "~run"(dataset, config) {
      const given = dataset.value;
      const checked = schema["~run"](dataset, config);
      return checked.typed ? { ...checked, value: given } : checked;
    },
  };
}
