import * as v from "valibot";
import { AppError } from "../core/errors.ts";
import { IdSchema } from "../http/list_schemas.ts";
import {
  DEFAULT_RETENTION_POLICY,
  isName,
  MAX_FIELDS,
  MAX_TEXT_BYTES,
  MAX_VALUES,
  NAME_RULE,
} from "./points/point_rules.ts";
import type { Namespace } from "./points/point.ts";
import { MAX_QUERIES } from "./bucket/bucket.ts";
import { TelemetryQuerySchema } from "./collect/query_schema.ts";
import {
  BUCKET_DESCRIPTION,
  BUCKET_FORMAT,
  convertWith,
  NAME_FORMAT,
  NameSchema,
  parseBucket,
  TagsSchema,
  TimeSchema,
} from "./points/point_schemas.ts";

/**
 * Schemas for the OpenAPI document. Requests are parsed elsewhere: queries one by one (`parseQueries`), so that a bad
 * one does not affect others, and points by hand (`parseJsonPoints`), because valibot is too slow for 100,000.
 */

export const CollectBodySchema = v.union([
  TelemetryQuerySchema,
  v.pipe(v.array(TelemetryQuerySchema), v.minLength(1), v.maxLength(MAX_QUERIES)),
]);

const CellSchema = v.union([v.string(), v.number(), v.boolean(), v.null()]);

const TelemetryResultSchema = v.pipe(
  v.object({
    statement_id: v.pipe(v.number(), v.integer(), v.description("Index of the query in the request")),
    series: v.optional(v.pipe(
      v.array(v.object({
        name: v.pipe(v.string(), v.description("The measurement")),
        tags: v.record(v.string(), v.string()),
        columns: v.pipe(v.array(v.string()), v.description("`time`, then the columns of `select`")),
        values: v.pipe(v.array(v.array(CellSchema)), v.description("Rows; times are in ISO 8601, UTC")),
      })),
      v.description("One series per tag set; absent if there is no data"),
    )),
    clipped: v.optional(v.pipe(
      v.literal(true),
      v.description(
        "Present if the caller may read only parts of the query's range, which were read: those in which roles that they " +
          "reach monitor the device",
      ),
    )),
    error: v.optional(v.pipe(
      v.string(),
      v.description(
        "`Unauthorized` if the device does not exist, or the caller may not read it in any part of the range, `SECOND_FACTOR_REQUIRED` if they may after a step-up, or `Invalid format: …`",
      ),
    )),
  }),
  v.metadata({ ref: "TelemetryResult" }),
);

/** One result for a single query, a list of results for a list. */
export const CollectResponseSchema = v.union([TelemetryResultSchema, v.array(TelemetryResultSchema)]);

export const PointsBodySchema = v.pipe(
  v.array(v.pipe(
    v.strictObject({
      measurement: NameSchema,
      time: v.optional(
        v.pipe(
          TimeSchema,
          v.description("In the same form as in queries; by default the time of the request"),
        ),
      ),
      tags: TagsSchema,
      fields: v.pipe(
        v.record(v.string(), v.union([v.number(), v.boolean(), v.string()])),
        v.minEntries(1),
        v.maxEntries(MAX_FIELDS),
        v.description(
          `1 to ${MAX_FIELDS} fields; a string has at most ${MAX_TEXT_BYTES} bytes of UTF-8. A field cannot be named \`time\` or ` +
            "like a tag of its point",
        ),
      ),
    }),
    v.metadata({ ref: "TelemetryPoint" }),
  )),
  v.maxLength(MAX_VALUES),
  v.description(`Up to ${MAX_VALUES} values, counting the fields of all points`),
);

const ParameterNameSchema = v.pipe(v.string(), v.check(isName, NAME_RULE), v.metadata(NAME_FORMAT));

/**
 * The query string of a write. Unlike the schemas above, this one validates; `findNamespace` checks the combination.
 */
export const WriteQuerySchema = v.strictObject({
  db: v.optional(v.pipe(ParameterNameSchema, v.description(`Database: ${NAME_RULE}`))),
  rp: v.optional(v.pipe(
    ParameterNameSchema,
    v.description(
      `Retention policy, beside \`db\`: ${NAME_RULE}; \`${DEFAULT_RETENTION_POLICY}\` by default`,
    ),
  )),
  org: v.optional(v.pipe(
    ParameterNameSchema,
    v.description("Organization, beside `bucket`: accepted and ignored"),
  )),
  bucket: v.optional(v.pipe(
    v.string(),
    convertWith(parseBucket, NAME_RULE),
    v.metadata(BUCKET_FORMAT),
    v.description(`In place of \`db\`: ${BUCKET_DESCRIPTION}`),
  )),
  namespace: v.optional(v.pipe(
    ParameterNameSchema,
    v.description("In place of `db`: a database, with the default retention policy"),
  )),
  roleId: v.optional(v.pipe(
    IdSchema,
    v.description(
      "Refuses the request unless this role, or one below it, monitors every device that it names",
    ),
  )),
  precision: v.optional(v.pipe(
    v.picklist(["ns", "us", "ms", "s"]),
    v.description("Unit of the timestamps in line protocol; `ns` by default"),
  )),
  partial: v.optional(v.pipe(
    v.boolean(),
    v.description(
      "Whether lines that cannot be written are left out. Then the others are written, and the response is a 400 that " +
        "names the lines",
    ),
  )),
  u: v.optional(v.pipe(v.string(), v.description("A user name: accepted and ignored"))),
});

/** A parameter that clients of InfluxDB may send empty. */
const MaybeEmptyNameSchema = v.pipe(
  v.string(),
  v.check((text) => text === "" || isName(text), NAME_RULE),
);

/** The query strings of the clients of InfluxDB: what each version's path takes, and what both do. */
const COMMON_INFLUX = {
  roleId: v.optional(IdSchema),
  precision: v.optional(v.picklist(["n", "ns", "u", "us", "ms", "s", "m", "h"])),
  consistency: v.optional(v.string()),
  partial: v.optional(v.boolean()),
  u: v.optional(v.string()),
  p: v.optional(v.string()),
};
export const Influx1QuerySchema = v.strictObject({
  db: ParameterNameSchema,
  rp: v.optional(MaybeEmptyNameSchema),
  ...COMMON_INFLUX,
});
export const Influx2QuerySchema = v.strictObject({
  org: v.optional(v.string()),
  orgID: v.optional(v.string()),
  bucket: v.pipe(v.string(), convertWith(parseBucket, NAME_RULE)),
  ...COMMON_INFLUX,
});

const NAMESPACE_RULE = "Expected db with or without rp, or org and bucket, or namespace: one of the three";

/**
 * Returns the database and retention policy of a write, which its query string names in exactly one of three ways.
 * Otherwise throws `MALFORMED_REQUEST`, always with details.
 */
export function findNamespace(
  { db, rp, org, bucket, namespace }: v.InferOutput<typeof WriteQuerySchema>,
): Namespace {
  const areAbsent = (...others: unknown[]): boolean => others.every((value) => value === undefined);
  if (db !== undefined && areAbsent(org, bucket, namespace)) {
    return { database: db, retentionPolicy: rp ?? DEFAULT_RETENTION_POLICY };
  }
  if (org !== undefined && bucket !== undefined && areAbsent(db, rp, namespace)) return bucket;
  if (namespace !== undefined && areAbsent(db, rp, org, bucket)) {
    return { database: namespace, retentionPolicy: DEFAULT_RETENTION_POLICY };
  }
  const details = [{ path: "query", message: NAMESPACE_RULE }];
  throw new AppError("MALFORMED_REQUEST", { extra: { details } });
}
