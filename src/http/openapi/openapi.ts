import {
  describeRoute,
  type DescribeRouteOptions,
  resolver,
  type ResponsesWithResolver,
  uniqueSymbol,
} from "hono-openapi";
import type { MiddlewareHandler } from "hono";
import * as v from "valibot";
import type { ErrorCode } from "../../core/errors.ts";
import { ERROR_RESPONSES, LOGIN_METHODS, STATUS_NAMES } from "./error_responses.ts";
import { EXAMPLE_KEY, type OperationExample } from "./openapi_examples.ts";

/** Which bearer token an operation takes; the names are those of the OpenAPI security schemes. */
export type SecurityScheme =
  | "accessBearerAuth"
  | "keyBearerAuth"
  | "refreshBearerAuth"
  | "sudoBearerAuth"
  | "partialBearerAuth";

/** Token names for descriptions. */
const TOKEN_NAMES: Readonly<Record<SecurityScheme, string>> = {
  accessBearerAuth: "access token",
  keyBearerAuth: "key of a role",
  refreshBearerAuth: "refresh token",
  sudoBearerAuth: "sudo token",
  partialBearerAuth: "partial token",
};

export interface OperationDescription {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** Effect and required rights, in Markdown. Tokens and specific errors are appended. */
  readonly description: string;
  /** The accepted token, or a list of alternatives. With `data`, an access token implies keys of roles. */
  readonly security: SecurityScheme | readonly SecurityScheme[] | "none";
  /** Set if keys are refused. */
  readonly usersOnly?: true;
  /**
   * The response body of a success, in JSON unless `successType` says otherwise. `"empty"` is a 204; `"headers"` is a 200
   * without a body, of an operation whose errors have none, either.
   */
  readonly success: v.GenericSchema | "empty" | "headers";
  /** In which case a success is a 204 without a body. */
  readonly orEmpty?: string;
  readonly successType?: "application/json" | "text/plain" | "text/html";
  /** Other media types of a success, chosen by `Accept`, with their schemas. */
  readonly otherTypes?: Readonly<Record<string, v.GenericSchema>>;
  /** Specific errors. Those of tokens, malformed input and an unavailable service are added. */
  readonly errors?: readonly ErrorCode[];
  /** Messages that replace the standard ones, by error code. */
  readonly messages?: Readonly<Partial<Record<ErrorCode, readonly string[]>>>;
  /** The path of the operation that replaces this one. */
  readonly supersededBy?: string;
  /** The input that can be malformed; by default the path and query parameters. */
  readonly takes?: "nothing" | "parameters" | "body";
  /** Descriptions of its request headers, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Descriptions of headers of its success, by name. */
  readonly successHeaders?: Readonly<Record<string, string>>;
  /** The data that it reads or changes; absent outside of /v1. Responses about the graph have a revision. */
  readonly data?: "graph" | "telemetry";
  /** A successful request and its response. A test requires an example of every operation, and runs it. */
  readonly example?: OperationExample;
}

const CountSchema = v.pipe(v.number(), v.integer(), v.minValue(0));

const ErrorSchema = v.pipe(
  v.object({
    statusCode: v.pipe(v.number(), v.integer()),
    error: v.string(),
    message: v.string(),
    retryAfter: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.description("Seconds until the next attempt; with a 429, unless time alone makes no room"),
      ),
    ),
    partialAuthToken: v.optional(v.pipe(v.string(), v.description("The partial token; with `2FA_REQUIRED`"))),
    methods: v.optional(v.pipe(
      v.array(v.picklist(LOGIN_METHODS)),
      v.description("The second factors that can complete the login; with `2FA_REQUIRED`"),
    )),
    roles: v.optional(v.pipe(
      v.object({ count: CountSchema, first: v.array(v.object({ id: CountSchema, name: v.string() })) }),
      v.description(
        "With `WOULD_DELETE`, the roles that would be deleted; of a deletion that would leave roles without a role that " +
          "manages them, these: how many, and up to 10 of them",
      ),
    )),
    monitors: v.optional(v.pipe(
      v.object({
        first: v.array(v.object({ id: CountSchema, roleId: CountSchema })),
        hidden: CountSchema,
      }),
      v.description(
        "Of a transfer that would have to end monitors relations which the caller may not end, these: those that the " +
          "caller sees, and the number of others",
      ),
    )),
    devices: v.optional(v.pipe(
      v.object({ count: CountSchema, first: v.array(v.object({ id: CountSchema, nodeId: v.string() })) }),
      v.description("With `WOULD_DELETE`, the devices that would be deleted: how many, and up to 10 of them"),
    )),
    details: v.optional(v.pipe(
      v.array(v.object({
        path: v.string(),
        line: v.optional(CountSchema),
        nodeId: v.optional(v.string()),
        message: v.string(),
      })),
      v.description(
        "The malformed fields; with a 400, if requested by `X-Error-Details: true`. Of a list of new devices, the first " +
          "nodeIds that are taken, with the 409. Of a write of telemetry, up to 20 lines that cannot be written: their " +
          "numbers from 1, and their nodeIds",
      ),
    )),
    dropped: v.optional(v.pipe(
      CountSchema,
      v.description("Of a partial write of telemetry, the number of lines that were left out"),
    )),
  }),
  v.description("An error: the status, its name, and a message that identifies the error."),
  // Not `Error`, which many languages have already.
  v.metadata({ ref: "ApiError" }),
);

/**
 * Describes an operation for the OpenAPI document: its success, and all its errors. Only the program that writes the
 * document makes the description, which would delay each start.
 */
export function operation(description: OperationDescription): MiddlewareHandler {
  const passOn: MiddlewareHandler = (_c, next) => next();
  return Object.defineProperty(passOn, uniqueSymbol, {
    get: () => ({ spec: describeOperation(description) }),
  });
}

function describeOperation(description: OperationDescription): DescribeRouteOptions {
  const { success, successType = "application/json", supersededBy, example = {} } = description;
  const otherTypes = Object.entries(description.otherTypes ?? {});
  const shown = example.response === undefined ? {} : { example: example.response };
  const ownHeaders = Object.entries(description.successHeaders ?? {}).map(([name, text]) =>
    [name, { description: text, schema: { type: "string" as const } }] as const
  );
  const headers = description.data === "graph"
    ? { "X-Rolegrid-Revision": { $ref: "#/components/headers/Revision" }, ...Object.fromEntries(ownHeaders) }
    : undefined;
  const responses: ResponsesWithResolver = success === "empty"
    ? { 204: { description: "Success, without a body" } }
    : {
      200: {
        description: "Success",
        ...(headers === undefined ? {} : { headers }),
        ...(success === "headers" ? {} : {
          content: {
            [successType]: { schema: resolver(success), ...shown },
            ...Object.fromEntries(otherTypes.map(([type, schema]) => [type, { schema: resolver(schema) }])),
          },
        }),
      },
    };
  if (description.orEmpty !== undefined) {
    responses[204] = { description: description.orEmpty, ...(headers === undefined ? {} : { headers }) };
  }
  for (const [status, codes] of errorsByStatus(description)) {
    responses[status] = {
      description: `${STATUS_NAMES[status]}: ${
        codes.flatMap((code) => description.messages?.[code] ?? ERROR_RESPONSES[code].message)
          .map((message) => `\`${message}\``).join(", ")
      }`,
      ...(success === "headers"
        ? {}
        : { content: { "application/json": { schema: resolver(ErrorSchema) } } }),
    };
  }
  const schemes = listSchemes(description);
  const paragraphs = [
    description.description,
    ...(supersededBy === undefined ? [] : [`Superseded by \`${supersededBy}\`.`]),
    `**Token:** ${
      schemes.length === 0 ? "none" : schemes.map((scheme) => TOKEN_NAMES[scheme]).join(" or ")
    }.`,
    ...describeOwnErrors(description),
  ];
  return {
    operationId: description.operationId,
    tags: [description.tag],
    summary: description.summary,
    description: paragraphs.join("\n\n"),
    security: schemes.map((scheme) => ({ [scheme]: [] })),
    responses,
    parameters: Object.entries(description.headers ?? {}).map(([name, text]) => ({
      in: "header" as const,
      name,
      description: text,
      schema: { type: "string" as const },
    })),
    ...(supersededBy === undefined ? {} : { deprecated: true }),
    ...(example.request === undefined ? {} : { [EXAMPLE_KEY]: example.request }),
  };
}

/** Leaves an operation out of the document: one of another product's interface, which its clients know. */
export function undocumented(): MiddlewareHandler {
  return describeRoute({ hide: true });
}

function listSchemes({ security, data, usersOnly }: OperationDescription): SecurityScheme[] {
  if (security === "none") return [];
  const takesKeys = security === "accessBearerAuth" && data !== undefined && usersOnly !== true;
  return takesKeys ? ["accessBearerAuth", "keyBearerAuth"] : [security].flat();
}

function describeOwnErrors({ errors = [] }: OperationDescription): string[] {
  if (errors.length === 0) return [];
  const told = errors.map((code) => `${ERROR_RESPONSES[code].status} \`${ERROR_RESPONSES[code].message}\``);
  return [`**Specific errors:** ${told.join(", ")}.`];
}

function errorsByStatus(
  { errors = [], security, takes, success, successType }: OperationDescription,
): Map<keyof typeof STATUS_NAMES, ErrorCode[]> {
  const codes = new Set<ErrorCode>(errors);
  // Even without parameters: unknown ones are refused.
  if (successType !== "text/html" && success !== "headers") codes.add("MALFORMED_REQUEST");
  if (takes === "body") codes.add("BODY_INCOMPLETE").add("PAYLOAD_TOO_LARGE").add("UNSUPPORTED_MEDIA_TYPE");
  if (security !== "none") codes.add("TOKEN_MISSING").add("TOKEN_INVALID");
  codes.add("INTERNAL").add("UNAVAILABLE").add("CANNOT_STORE");
  const byStatus = new Map<keyof typeof STATUS_NAMES, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_RESPONSES[code];
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  return byStatus;
}
