import * as v from "valibot";

/**
 * The control characters (Unicode category Cc), inside a character class of a regular expression. Clients validate
 * with the patterns of the document in their own languages, and `\p{Cc}` is not known to all of them.
 */
export const CONTROL_CHARACTERS = String.raw`\x00-\x1f\x7f-\x9f`;

/** An address in a response. It may have letters of any script (RFC 6531). */
export const AddressSchema = v.pipe(v.string(), v.metadata({ format: "email" }));

/** A text of `min` to `max` characters: code points, as JSON Schema counts them. Valibot's `maxLength` does not. */
export function text(min: number, max: number) {
  const rule = min === max ? `exactly ${max}` : min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.minCodePoints(min, `${rule} characters`),
    v.maxCodePoints(max, `${rule} characters`),
    v.metadata({ ...(min > 0 && { minLength: min }), maxLength: max }),
  );
}

/**
 * Metadata of an object that may have any other fields. Generated clients drop them unless the document allows them.
 */
export const OPEN = { additionalProperties: true };

/**
 * An object that may have any other fields, and is returned as it was given. Valibot's own makes a new one, with known
 * fields first and without fields named `__proto__`, `constructor` and `prototype`; for 90,000 names that takes a
 * second.
 */
export function openObject<E extends v.ObjectEntries>(entries: E): v.LooseObjectSchema<E, undefined> {
  const known = v.object(entries);
  return {
    ...v.looseObject(entries),
    "~run"(dataset, config) {
      const given = dataset.value;
      const checked = known["~run"](dataset, config);
      return (checked.typed ? { ...checked, value: given } : checked) as ReturnType<
        v.LooseObjectSchema<E, undefined>["~run"]
      >;
    },
  };
}

/**
 * The body of a success that has nothing to say: `null`. For a plain `null` type, openapi-generator imports a model
 * that does not exist; for one with a name, it writes classes that do not compile. This schema allows nothing but
 * `null`, and generators that know no such type make an optional object of it.
 */
export const NullSchema = v.pipe(v.null(), v.metadata({ type: ["object", "null"], enum: [null] }));

/** An object in responses, with a name for the document and for the classes of generated clients. */
export function named<E extends v.ObjectEntries>(name: string, entries: E) {
  return v.pipe(v.object(entries), v.metadata({ ref: name }));
}

/** A union that picks its option by the value, so that an issue concerns that option alone. */
export function oneOf<A, B>(
  first: v.GenericSchema<unknown, A>,
  second: v.GenericSchema<unknown, B>,
  isSecond: (value: unknown) => boolean,
): v.GenericSchema<unknown, A | B> {
  return {
    ...v.union([first, second]),
    "~run": (dataset, config) => (isSecond(dataset.value) ? second : first)["~run"](dataset, config),
  };
}
