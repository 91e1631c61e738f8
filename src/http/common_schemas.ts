import * as v from "valibot";

/**
 * The control characters (Unicode category Cc), for use inside a character class. Spelled out, because clients
 * validate with these patterns in other languages, some of which lack `\p{Cc}`.
 */
export const CONTROL_CHARACTERS = String.raw`\x00-\x1f\x7f-\x9f`;

/** An email address in a response. It may have letters of any script (RFC 6531). */
export const AddressSchema = v.pipe(v.string(), v.metadata({ format: "email" }));

/** A text of `min` to `max` code points, as JSON Schema counts. Valibot's `maxLength` counts UTF-16 code units. */
export function text(min: number, max: number) {
  const rule = min === max ? `exactly ${max}` : min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.minCodePoints(min, `${rule} characters`),
    v.maxCodePoints(max, `${rule} characters`),
    v.metadata({ ...(min > 0 && { minLength: min }), maxLength: max }),
  );
}

/** Metadata of an object with arbitrary further fields. Without it, generated clients drop those fields. */
export const OPEN = { additionalProperties: true };

/**
 * Returns a schema of an object with arbitrary further fields, whose output is the input object itself. Valibot's
 * `looseObject` copies it, reorders the fields and drops `__proto__`, `constructor` and `prototype`; for 90,000 names
 * that takes a second.
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
 * The body of a success without content: `null`. openapi-generator fails on a plain `null` type (it imports a model
 * that does not exist) and on a named one (classes that do not compile). It reads this as an optional object.
 */
export const NullSchema = v.pipe(v.null(), v.metadata({ type: ["object", "null"], enum: [null] }));

export const PageSchema = v.pipe(v.string(), v.description("An HTML page"));

/** Returns a schema of an object with a name, which the document and generated clients use. */
export function named<E extends v.ObjectEntries>(name: string, entries: E) {
  return v.pipe(v.object(entries), v.metadata({ ref: name }));
}

/** Returns a union that picks its option by the value, so that issues concern that option alone. */
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

/**
 * Returns a union of objects that are each told by a field: the value is checked as the first that it names, so that
 * issues concern that one alone. Without any, the issue names all of the fields.
 */
export function oneBy<O extends Readonly<Record<string, v.GenericSchema>>>(
  options: O,
): v.GenericSchema<unknown, v.InferOutput<O[keyof O]>> {
  const fields = Object.keys(options);
  const none = v.custom<never>(() => false, fields.join(" or "));
  return {
    ...v.union(Object.values(options)),
    "~run": (dataset, config) => {
      const { value } = dataset;
      const isObject = typeof value === "object" && value !== null;
      const field = isObject ? fields.find((name) => name in value) : undefined;
      return (field === undefined ? none : options[field] ?? none)["~run"](dataset, config);
    },
  } as v.GenericSchema<unknown, v.InferOutput<O[keyof O]>>;
}
