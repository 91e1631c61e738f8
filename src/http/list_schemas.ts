import * as v from "valibot";
import { MAX_EMAIL_LENGTH, normalizeEmail } from "../core/email.ts";
import { text } from "./common_schemas.ts";

/** Schemas of ids, times, list filters and pages. */

/** Maximum number of values in a list. */
export const MAX_LIST = 1000;

export const IdSchema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(Number.MAX_SAFE_INTEGER),
);

/** The schema of an id of `thing`. */
export function idOf(thing: string) {
  return v.pipe(IdSchema, v.description(`Id of the ${thing}`));
}

/**
 * A read-only field that a request may send back: accepted and ignored. The value is dropped, because it may be
 * nested too deep for `JSON.stringify`.
 */
export const echoed = v.optional(v.pipe(v.unknown(), v.transform(() => undefined)));

/** The cursor of the next page of a list. */
export const nextCursor = v.optional(v.pipe(
  v.nullable(v.string()),
  v.description("With `limit` or `cursor`: the cursor of the next page, or null at the end"),
));

/** A filter by ids. A result must have one of them. */
export function idFilter(description: string) {
  return v.optional(v.pipe(v.array(IdSchema), v.maxLength(MAX_LIST), v.description(description)));
}

/** A filter by addresses. A result must have one of them. */
export function emailFilter(description: string) {
  return v.optional(v.pipe(
    v.array(v.pipe(text(0, MAX_EMAIL_LENGTH), v.transform(normalizeEmail))),
    v.maxLength(MAX_LIST),
    v.description(`${description}; case does not matter`),
  ));
}

/** `limit` and `cursor` of a collect operation. */
export const paging = {
  limit: v.optional(v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.maxValue(1000),
    v.description(
      "Maximum number of results, from 1 to 1000. Without `limit` and `cursor`, all results are returned",
    ),
  )),
  cursor: v.optional(v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,15}$/, "the nextCursor of a previous page"),
    v.description("`nextCursor` of the previous page"),
  )),
};

/** The query string of an operation with filters in its body. Both accept the paging parameters. */
export const PagingQuerySchema = v.strictObject(paging);

/** The format of a time in a request, in words. */
export const TIME_RULE = "an ISO 8601 time with a time zone, such as 2026-03-01T00:00:00Z";

/**
 * A time in a request; its output is in milliseconds. The zone is required, because the default depends on the
 * server.
 */
export const TimeSchema = v.pipe(
  v.string(),
  v.isoTimestamp(TIME_RULE),
  v.check((text) => /T.*(?:Z|[+-][0-9]{2}:[0-9]{2})$/.test(text), TIME_RULE),
  v.check(isTime, "a time that exists"),
  v.transform((text) => Date.parse(text)),
);

/** Whether the day exists: `Date.parse` takes 30 February for 2 March. */
function isTime(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  return Number.isFinite(Date.parse(text)) && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}
