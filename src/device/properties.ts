import * as v from "valibot";

/**
 * What a device's properties may be: rules of their own, since they are kept and answered as they were given, as far as
 * `JSON.parse` and `JSON.stringify` keep it. They round a number to the nearest double, which is exact for whole numbers up
 * to 2^53 and for some 15 digits of others, and write it in the shortest form (`1.50` as `1.5`, `-0` as `0`). Of
 * a key that is there twice the last value counts, and keys that are whole numbers below 2^32 - 1 (`"10"`) come
 * first, in ascending order.
 */

/** As the UTF-8 of their JSON text. */
export const MAX_PROPERTIES_BYTES = 16 * 1024;

/** Of nested objects and lists, the properties themselves counted as 1. */
export const MAX_PROPERTIES_DEPTH = 8;

/** Whether an object can be stored and answered: not too deep, no number beyond a double's range (1e400), not too long. */
export function isStorable(properties: object): boolean {
  if (Array.isArray(properties) || !isPlain(properties, MAX_PROPERTIES_DEPTH)) return false;
  return new TextEncoder().encode(JSON.stringify(properties)).length <= MAX_PROPERTIES_BYTES;
}

/** `depth`: how many levels of objects and lists may follow. 1e400 is read as infinite, for which JSON has no text. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isPlain(inner, depth - 1));
}

/**
 * The schema, with the checked value handed on as it came. Valibot's object schemas build a new object: they put known
 * fields first and leave out fields with the names `__proto__`, `constructor` and `prototype`.
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
