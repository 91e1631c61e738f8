import * as v from "valibot";
import { oneOf } from "../../http/common_schemas.ts";
import {
  DEFAULT_RETENTION_POLICY,
  findTagsFault,
  isName,
  MAX_NAME_LENGTH,
  MAX_NODE_ID_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  MAX_TAGS_LENGTH,
  NAME_RULE,
} from "./point_rules.ts";
import type { Namespace } from "./point.ts";
import { parseTime } from "./time.ts";

/**
 * Schemas shared by points and queries. Messages are public and repeat nothing submitted. Lengths are metadata: JSON
 * Schema and the rules count code points, valibot UTF-16 code units.
 */

const NAME_MESSAGE = `Expected ${NAME_RULE}`;
const TIME_MESSAGE = "Expected milliseconds since 1970 or ISO 8601, between 1677 and 2262";

/** The rule of `isName`, for the OpenAPI document. */
export const NAME_FORMAT = textFormat(MAX_NAME_LENGTH);

/** A measurement, a database or a retention policy. */
export const NameSchema = v.pipe(
  v.string(NAME_MESSAGE),
  v.check(isName, NAME_MESSAGE),
  v.metadata(NAME_FORMAT),
);

/** Parses a time into nanoseconds since 1970. */
export const TimeSchema = v.pipe(
  oneOf(v.number(TIME_MESSAGE), v.string(), (value) => typeof value === "string"),
  convertWith(parseTime, TIME_MESSAGE),
  v.description(
    "Milliseconds since 1970, or ISO 8601 with `Z` or an offset and up to 9 fractional digits of a second. A date alone " +
      "means midnight UTC",
  ),
);

/** Parsed by hand: valibot's objects drop a tag named `__proto__`, and paths of issues would repeat tag names. */
export const TagsSchema = v.pipe(
  v.unknown(),
  v.rawTransform<unknown, ReadonlyMap<string, string>>(({ dataset, addIssue, NEVER }) => {
    const tags = readTags(dataset.value);
    if (typeof tags !== "string") return tags;
    addIssue({ message: tags });
    return NEVER;
  }),
  v.metadata({
    type: "object",
    properties: { nodeId: { type: "string", ...textFormat(MAX_NODE_ID_LENGTH) } },
    required: ["nodeId"],
    additionalProperties: { type: "string", ...textFormat(MAX_TAG_LENGTH) },
    maxProperties: MAX_TAGS,
  }),
  v.description(
    `Up to ${MAX_TAGS} tags, ${MAX_TAGS_LENGTH} characters in all names and values together. \`nodeId\` names the device`,
  ),
);

/** The format of a bucket, for the OpenAPI document. */
export const BUCKET_DESCRIPTION = "`database/retentionPolicy` (split at the last slash), or `database` alone";
/** Bounds of a bucket, which holds two names; `parseBucket` has its rule. */
export const BUCKET_FORMAT = textFormat(2 * MAX_NAME_LENGTH + 1);

/** Returns the JSON Schema of 1 to `maxLength` characters without NUL. */
function textFormat(maxLength: number) {
  return { minLength: 1, maxLength, pattern: String.raw`^[^\x00]*$` };
}

/** Returns a valibot action that converts a value, and refuses it if `convert` returns undefined. */
export function convertWith<I, O>(convert: (value: I) => O | undefined, message: string) {
  return v.rawTransform<I, O>(({ dataset, addIssue, NEVER }) => {
    const output = convert(dataset.value);
    if (output !== undefined) return output;
    addIssue({ message });
    return NEVER;
  });
}

/**
 * Parses a bucket of InfluxDB 2 like InfluxDB 1.8: the last slash separates, because a database's name may contain
 * others. Undefined if a part is not a name.
 */
export function parseBucket(bucket: string): Namespace | undefined {
  const slash = bucket.lastIndexOf("/");
  const namespace = slash === -1
    ? { database: bucket, retentionPolicy: DEFAULT_RETENTION_POLICY }
    : { database: bucket.slice(0, slash), retentionPolicy: bucket.slice(slash + 1) };
  return isName(namespace.database) && isName(namespace.retentionPolicy) ? namespace : undefined;
}

/** Returns the tags, or a message about their fault. */
function readTags(value: unknown): ReadonlyMap<string, string> | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "Expected an object";
  const tags = new Map<string, string>();
  for (const [key, tag] of Object.entries(value)) {
    if (typeof tag !== "string") return "Expected strings";
    tags.set(key, tag);
  }
  return findTagsFault(tags) ?? tags;
}
