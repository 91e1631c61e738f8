import * as v from "valibot";
import {
  DEFAULT_RETENTION_POLICY,
  isName,
  MAX_POINTS,
  MAX_TAGS_LENGTH,
  MAX_TEXT_BYTES,
  MAX_VALUES,
  NAME_RULE,
} from "./points/point_rules.ts";
import { MAX_QUERIES } from "./bucket/bucket.ts";
import { AGGREGATES } from "./points/query.ts";

/**
 * The wire, as the OpenAPI document describes it. What checks bodies is `parseQueries` and `parseJsonPoints`: one bad query
 * must not spoil its neighbours, and 100,000 points have to be checked fast.
 */

const NameSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

const TagsSchema = v.pipe(
  v.objectWithRest(
    { nodeId: v.pipe(v.string(), v.minLength(1), v.maxLength(128)) },
    v.pipe(v.string(), v.minLength(1), v.maxLength(1024)),
  ),
  v.description(
    `Up to 32 tags, ${MAX_TAGS_LENGTH} characters in all names and values together. \`nodeId\` names the device`,
  ),
);

const TimeSchema = v.pipe(
  v.union([v.number(), v.string()]),
  v.description(
    "Milliseconds since 1970, or ISO 8601 with `Z` or an offset and up to 9 fractional digits of a second. A date alone " +
      "means midnight UTC",
  ),
);

const ColumnSchema = v.pipe(
  v.union([NameSchema, v.strictObject({ field: NameSchema, function: v.picklist(AGGREGATES) })]),
  v.description("A field, or a function of a field; the latter gives the column `<function>_<field>`"),
);

const policy = {
  database: NameSchema,
  retentionPolicy: v.optional(
    v.pipe(NameSchema, v.description(`\`${DEFAULT_RETENTION_POLICY}\` by default`)),
  ),
};

const SourceSchema = v.union([
  v.strictObject({ measurement: NameSchema, ...policy }),
  v.strictObject({
    measurement: NameSchema,
    namespace: v.union([
      v.strictObject({ version: v.literal("1"), ...policy }),
      v.strictObject({
        version: v.literal("2"),
        organization: v.pipe(NameSchema, v.description("Accepted and ignored")),
        bucket: v.pipe(
          v.string(),
          v.description(
            "`database/retentionPolicy` (split at the last slash), or `database` alone",
          ),
        ),
      }),
    ]),
  }),
]);

const TelemetryQuerySchema = v.pipe(
  v.strictObject({
    select: v.pipe(
      v.array(ColumnSchema),
      v.minLength(1),
      v.maxLength(100),
      v.description("Either fields or functions, not both; each column once"),
    ),
    from: SourceSchema,
    where: v.strictObject({
      time: v.optional(v.pipe(
        v.array(v.strictObject({ operator: v.picklist(["<", "<=", ">", ">=", "="]), value: TimeSchema })),
        v.maxLength(2),
        v.description("Conditions that must all hold; by default there is no bound"),
      )),
      tags: TagsSchema,
    }),
    groupBy: v.optional(v.pipe(
      v.strictObject({ time: v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,5}[smhd]$/)) }),
      v.description(
        "Groups rows into time windows, aligned to 1970-01-01 UTC; only with functions. Empty windows are left out",
      ),
    )),
    orderBy: v.optional(
      v.pipe(v.picklist(["ASC", "DESC"]), v.description("Order by time; `ASC` by default")),
    ),
    limit: v.optional(v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(Number.MAX_SAFE_INTEGER),
      v.description("Maximum number of rows per series"),
    )),
  }),
  v.metadata({ ref: "TelemetryQuery" }),
);

export const CollectBodySchema = v.union([
  TelemetryQuerySchema,
  v.pipe(v.array(TelemetryQuerySchema), v.minLength(1), v.maxLength(MAX_QUERIES)),
]);

const CellSchema = v.nullable(v.union([v.string(), v.number(), v.boolean()]));

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
    error: v.optional(v.pipe(
      v.string(),
      v.description(
        "`Unauthorized` if the device does not exist or the caller may not read it, or `Invalid format: …`",
      ),
    )),
  }),
  v.metadata({ ref: "TelemetryResult" }),
);

/** One result for one query, a list for a list. */
export const CollectAnswerSchema = v.union([TelemetryResultSchema, v.array(TelemetryResultSchema)]);

export const PointsBodySchema = v.pipe(
  v.array(v.pipe(
    v.strictObject({
      measurement: NameSchema,
      time: v.optional(
        v.pipe(TimeSchema, v.description("As in queries; by default the time of the request")),
      ),
      tags: TagsSchema,
      fields: v.pipe(
        v.record(v.string(), v.union([v.number(), v.boolean(), v.string()])),
        v.minEntries(1),
        v.description(
          `1 to 256 fields; a string has at most ${MAX_TEXT_BYTES} bytes of UTF-8. A field cannot be named \`time\` or ` +
            "have the name of a tag of its point",
        ),
      ),
    }),
    v.metadata({ ref: "TelemetryPoint" }),
  )),
  v.maxLength(MAX_POINTS),
  v.description(`Up to ${MAX_VALUES} values, counting the fields of all points`),
);

const ParameterNameSchema = v.pipe(v.string(), v.check(isName, NAME_RULE), v.description(NAME_RULE));

/** The query string of a write; unlike the schemas above, it validates. */
export const WriteQuerySchema = v.strictObject({
  db: v.pipe(ParameterNameSchema, v.description(`Database: ${NAME_RULE}`)),
  rp: v.optional(v.pipe(
    ParameterNameSchema,
    v.description(`Retention policy: ${NAME_RULE}; \`${DEFAULT_RETENTION_POLICY}\` by default`),
  )),
  precision: v.optional(v.pipe(
    v.picklist(["ns", "us", "ms", "s"]),
    v.description("Unit of the timestamps in line protocol; `ns` by default"),
  )),
});
