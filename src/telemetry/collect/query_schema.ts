import * as v from "valibot";
import { oneOf } from "../../http/common_schemas.ts";
import { DEFAULT_RETENTION_POLICY, findFieldNameFault, NAME_RULE } from "../points/point_rules.ts";
import {
  BUCKET_DESCRIPTION,
  BUCKET_FORMAT,
  convertWith,
  NAME_FORMAT,
  NameSchema,
  parseBucket,
  TagsSchema,
  TimeSchema,
} from "../points/point_schemas.ts";
import { AGGREGATES, type Column } from "../points/query.ts";
import { DURATION, parseDuration } from "../points/time.ts";

/**
 * The grammar of queries, for `parseQuery` and the OpenAPI document. Messages are public: they name the expected
 * value and repeat nothing submitted.
 */

const COLUMNS_MESSAGE = "Expected a list of 1 to 100 columns";
const CONDITIONS_MESSAGE = "Expected a list of up to 2 conditions";
const VERSION_MESSAGE = 'Expected "1", "2" or "IOx"';
const WINDOW_MESSAGE = "Expected up to 6 digits followed by s, m, h or d, such as 15m";
const LIMIT_MESSAGE = "Expected an integer of at least 1";

const FieldSchema = v.pipe(
  v.string("Expected the name of a field"),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? findFieldNameFault(dataset.value) : undefined;
    if (message !== undefined) addIssue({ message });
  }),
  v.metadata(NAME_FORMAT),
);

const ColumnSchema = v.pipe(
  oneOf(
    v.pipe(FieldSchema, v.transform((field): Column => ({ field, aggregate: undefined, name: field }))),
    v.pipe(
      record({
        field: FieldSchema,
        function: v.picklist(AGGREGATES, `Expected one of ${AGGREGATES.join(", ")}`),
      }),
      v.transform(({ field, function: aggregate }): Column => ({
        field,
        aggregate,
        name: `${aggregate}_${field}`,
      })),
    ),
    (value) => typeof value !== "string",
  ),
  v.description("A field, or a function of a field, whose column is named `<function>_<field>`"),
);

const policy = {
  database: NameSchema,
  retentionPolicy: v.optional(
    v.pipe(NameSchema, v.description(`\`${DEFAULT_RETENTION_POLICY}\` by default`)),
  ),
};

const NamespaceSchema = v.variant("version", [
  record({ version: v.literal("1"), ...policy }),
  record({
    version: v.literal("2"),
    // A server has only one organization.
    organization: v.pipe(NameSchema, v.description("Accepted and ignored")),
    bucket: v.pipe(
      v.string(`Expected ${NAME_RULE}`),
      convertWith(parseBucket, `Expected ${NAME_RULE}`),
      v.metadata(BUCKET_FORMAT),
      v.description(BUCKET_DESCRIPTION),
    ),
  }),
  record({
    version: v.literal("IOx"),
    value: v.pipe(NameSchema, v.description("A database, whose default retention policy is read")),
  }),
], ({ expected }) => expected === "Object" ? "Expected an object" : VERSION_MESSAGE);

const SourceSchema = oneOf(
  record({ measurement: NameSchema, ...policy }),
  record({ measurement: NameSchema, namespace: NamespaceSchema }),
  (value) => isRecord(value) && value["namespace"] !== undefined,
);

const ConditionSchema = record({
  operator: v.picklist(["<", "<=", ">", ">=", "="], "Expected one of <, <=, >, >=, ="),
  value: TimeSchema,
});

export const TelemetryQuerySchema = v.pipe(
  record({
    // The length is checked first, so that a long list is refused at once.
    select: v.pipe(
      v.array(v.unknown(), COLUMNS_MESSAGE),
      v.maxLength(100, COLUMNS_MESSAGE),
      v.array(ColumnSchema),
      v.guard(isNotEmpty, COLUMNS_MESSAGE),
      v.metadata({ minItems: 1 }),
      v.check(areOfOneKind, "Expected either fields or functions, not both"),
      v.check(areDistinct, "Expected each column once"),
      v.description("Either fields or functions, not both; each column once"),
    ),
    from: SourceSchema,
    where: record({
      time: v.optional(v.pipe(
        v.array(v.unknown(), CONDITIONS_MESSAGE),
        v.maxLength(2, CONDITIONS_MESSAGE),
        v.array(ConditionSchema),
        v.description("Conditions that must all hold; by default there is no bound"),
      )),
      tags: TagsSchema,
    }),
    groupBy: v.optional(v.pipe(
      record({
        time: v.pipe(
          v.string(WINDOW_MESSAGE),
          convertWith(parseDuration, WINDOW_MESSAGE),
          v.metadata({ pattern: DURATION.source }),
        ),
      }),
      v.description(
        "Groups rows into time windows, aligned to 1970-01-01 UTC; only with functions. Empty windows are left out",
      ),
    )),
    orderBy: v.optional(v.pipe(
      v.picklist(["ASC", "DESC"], "Expected ASC or DESC"),
      v.description("Order by time; `ASC` by default"),
    )),
    limit: v.optional(v.pipe(
      v.number(LIMIT_MESSAGE),
      v.safeInteger(LIMIT_MESSAGE),
      v.minValue(1, LIMIT_MESSAGE),
      v.description("Maximum number of rows per series"),
    )),
  }),
  v.forward(
    v.check(
      ({ select, groupBy }) => groupBy === undefined || select[0].aggregate !== undefined,
      "Expected only where select has functions",
    ),
    ["groupBy"],
  ),
  v.metadata({ ref: "TelemetryQuery" }),
);

/** Returns a schema of an object with exactly these fields. A missing field gets the message of an undefined one. */
function record<E extends v.ObjectEntries>(entries: E) {
  return v.strictObject(entries, ({ expected, path }) => {
    if (expected === "never") return "Unknown field";
    const missing = entries[String(path?.[0].key)];
    const issues = missing && v.safeParse(missing, undefined).issues;
    return issues?.[0].message ?? "Expected an object";
  });
}

function isNotEmpty(columns: Column[]): columns is [Column, ...Column[]] {
  return columns.length > 0;
}

function areOfOneKind([first, ...others]: [Column, ...Column[]]): boolean {
  const isPlain = first.aggregate === undefined;
  return others.every(({ aggregate }) => (aggregate === undefined) === isPlain);
}

function areDistinct(columns: [Column, ...Column[]]): boolean {
  return new Set(columns.map(({ name }) => name)).size === columns.length;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
