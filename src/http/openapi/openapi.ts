import { describeRoute, resolver, type ResponsesWithResolver } from "hono-openapi";
import type { MiddlewareHandler } from "hono";
import * as v from "valibot";
import type { ErrorCode } from "../../core/errors.ts";
import { ERROR_RESPONSES, STATUS_NAMES } from "./error_responses.ts";
import { EXAMPLE_KEY, type OperationExample } from "./openapi_examples.ts";

/** Which bearer token an operation takes; the names are those of the OpenAPI security schemes. */
export type SecurityScheme =
  | "accessBearerAuth"
  | "refreshBearerAuth"
  | "sudoBearerAuth"
  | "partialBearerAuth";

/** What the tokens of the schemes are called. */
const TOKEN_NAMES: Readonly<Record<SecurityScheme, string>> = {
  accessBearerAuth: "access token",
  refreshBearerAuth: "refresh token",
  sudoBearerAuth: "sudo token",
  partialBearerAuth: "partial token",
};

export interface OperationDescription {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** What it does and which rights it takes, in Markdown. Its tokens and its errors are added. */
  readonly description: string;
  /** Which token; a list where any one of several will do. */
  readonly security: SecurityScheme | readonly SecurityScheme[] | "none";
  /** The body of a success; a media type other than JSON with `successType`. `"empty"` is a 204. */
  readonly success: v.GenericSchema | "empty";
  readonly successType?: "application/json" | "text/plain" | "text/html";
  /** The errors of its own. Those of the token, of malformed input and of an unavailable service are added. */
  readonly errors?: readonly ErrorCode[];
  /** The messages of errors that the operation tells in other words than the standard ones, by code. */
  readonly messages?: Readonly<Partial<Record<ErrorCode, readonly string[]>>>;
  /** The path of the operation that supersedes this one. */
  readonly supersededBy?: string;
  /** What a request can get wrong; by default its path and query parameters. */
  readonly takes?: "nothing" | "parameters" | "body";
  /** Headers of its own, by name, with what each is for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A request that succeeds, and its answer. A test holds every operation to have one, and to keep it true. */
  readonly example?: OperationExample;
}

const ErrorSchema = v.pipe(
  v.object({
    statusCode: v.pipe(v.number(), v.integer()),
    error: v.string(),
    message: v.string(),
    retryAfter: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    partialAuthToken: v.optional(v.pipe(v.string(), v.description("With `2FA_REQUIRED`"))),
    methods: v.optional(v.pipe(
      v.array(v.picklist(["totp", "emailOtp", "recoveryCode"])),
      v.description("With `2FA_REQUIRED`"),
    )),
    details: v.optional(v.array(v.object({ path: v.string(), message: v.string() }))),
  }),
  v.description("What went wrong: the status, its name, and a message that is stable per error."),
  v.metadata({ ref: "Error" }),
);

/** Describes an operation for the OpenAPI document: its success, and every error it can answer. */
export function operation(description: OperationDescription): MiddlewareHandler {
  const { success, successType = "application/json", supersededBy, security, example = {} } = description;
  const shown = example.answer === undefined ? {} : { example: example.answer };
  const responses: ResponsesWithResolver = success === "empty"
    ? { 204: { description: "Done. No body." } }
    : {
      200: { description: "Success", content: { [successType]: { schema: resolver(success), ...shown } } },
    };
  for (const [status, codes] of errorsByStatus(description)) {
    responses[status] = {
      description: `${STATUS_NAMES[status]}: ${
        codes.flatMap((code) => description.messages?.[code] ?? ERROR_RESPONSES[code].message)
          .map((message) => `\`${message}\``).join(", ")
      }`,
      content: { "application/json": { schema: resolver(ErrorSchema) } },
    };
  }
  const schemes = security === "none" ? [] : [security].flat();
  const paragraphs = [
    description.description,
    ...(supersededBy === undefined ? [] : [`Superseded by \`${supersededBy}\`.`]),
    `**Token:** ${
      schemes.length === 0 ? "none" : schemes.map((scheme) => TOKEN_NAMES[scheme]).join(" or ")
    }.`,
    ...describeOwnErrors(description),
  ];
  return describeRoute({
    operationId: description.operationId,
    tags: [description.tag],
    summary: description.summary,
    description: paragraphs.join("\n\n"),
    security: schemes.map((scheme) => ({ [scheme]: [] })),
    responses,
    parameters: Object.entries(description.headers ?? {}).map(([name, text]) => ({
      in: "header",
      name,
      description: text,
      schema: { type: "string" },
    })),
    ...(supersededBy === undefined ? {} : { deprecated: true }),
    ...(example.request === undefined ? {} : { [EXAMPLE_KEY]: example.request }),
  });
}

function describeOwnErrors({ errors = [] }: OperationDescription): string[] {
  if (errors.length === 0) return [];
  const told = errors.map((code) => `${ERROR_RESPONSES[code].status} \`${ERROR_RESPONSES[code].message}\``);
  return [`**Errors of its own:** ${told.join(", ")}.`];
}

function errorsByStatus(
  { errors = [], security, takes = "parameters" }: OperationDescription,
): Map<keyof typeof STATUS_NAMES, ErrorCode[]> {
  const codes = new Set<ErrorCode>(errors);
  if (takes !== "nothing") codes.add("MALFORMED_REQUEST");
  if (takes === "body") codes.add("PAYLOAD_TOO_LARGE").add("UNSUPPORTED_MEDIA_TYPE");
  if (security !== "none") codes.add("TOKEN_MISSING").add("TOKEN_INVALID");
  codes.add("INTERNAL").add("UNAVAILABLE");
  const byStatus = new Map<keyof typeof STATUS_NAMES, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_RESPONSES[code];
    byStatus.set(status, [...byStatus.get(status) ?? [], code]);
  }
  return byStatus;
}
