import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type ApiDocument, type Described, requestMediaOf } from "./api_document.ts";
import { type Answer, STATUS_NAMES } from "../helpers/http.ts";
import { closeSchema, type JsonSchema, resolveSchema } from "./json_schema.ts";
import { parseJson } from "./echoes.ts";
import type { Outgoing } from "./steps.ts";

/** Compares responses, and requests that succeed, with the document. Returns faults as texts. */
export class Contract {
  readonly document: ApiDocument;
  readonly #requests = new Ajv2020({ strict: false });
  readonly #responses = new Ajv2020({ strict: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.document = document;
    addFormats.default(this.#requests);
    addFormats.default(this.#responses);
    // Both know letters of any script (RFC 6531). Spaces around a submitted address are not part of it.
    this.#requests.addFormat("email", /^\s*[^\s@]+@[^\s@]+\s*$/);
    this.#responses.addFormat("email", /^[^\s@A-Z]+@[^\s@A-Z]+$/);
  }

  /** The faults of a response by the description of its operation. */
  faultsOf(operation: Described, outgoing: Outgoing, answer: Answer): string[] {
    const described = operation.responses[String(answer.status)];
    if (isNotModified(operation, outgoing, answer)) return [];
    if (described === undefined) {
      return isAddressOfOperation(outgoing) || answer.status !== 404
        ? [`status ${answer.status} is not documented`]
        : faultsOfError(answer, { messages: ["Resource not found"], explains: false });
    }
    if (answer.status === 500 || answer.status === 503) return [`status ${answer.status}`];
    const faults = this.#faultsOfBody(operation, answer);
    if (answer.status >= 400) {
      if (described.content === undefined) return [...faults, ...faultsOfRefusal(answer)];
      const messages = [...described.description.matchAll(/`([^`]+)`/g)].map(([, message]) => message ?? "");
      const explains = outgoing.headers.get("X-Error-Details") === "true" ||
        ALWAYS_EXPLAINS.has(operation.operationId);
      return [
        ...faults,
        ...faultsOfError(answer, { messages, explains }),
        ...this.#faultsOfRefused(operation, outgoing, answer),
      ];
    }
    return [...faults, ...faultsOfSuccess(operation, answer), ...this.#faultsOfAccepted(operation, outgoing)];
  }

  #faultsOfBody(operation: Described, { status, headers, text, body }: Answer): string[] {
    const content = Object.entries(operation.responses[String(status)]?.content ?? {});
    const [first] = content;
    if (first === undefined) return text === "" ? [] : [`a ${status} with a body`];
    const [type, { schema }] = first;
    const sent = headers.get("Content-Type")?.split(";")[0];
    if (sent !== type) return [`content type ${sent}`];
    if (type !== "application/json") return text === "" ? ["an empty text"] : [];
    return this.#validate(`${operation.operationId} answer ${status}`, () => closeSchema(schema), body);
  }

  /** A request that succeeds must fit its description. */
  #faultsOfAccepted(operation: Described, { body, headers, query, pathTexts }: Outgoing): string[] {
    const { operationId, parameters = [] } = operation;
    const faults: string[] = [];
    for (const { name, in: where, schema, required } of parameters) {
      const header = headers.get(name);
      const texts = {
        query: query.getAll(name),
        path: [pathTexts.get(name) ?? ""],
        header: header === null ? [] : [header],
      }[where];
      if (texts.length === 0) {
        if (required) faults.push(`accepted without ${name}`);
        continue;
      }
      const value = decode(this.document, schema, texts);
      faults.push(...this.#validate(`${operationId} ${where} ${name}`, () => schema, value, "accepted "));
    }
    const known = new Set(parameters.map(({ name }) => name));
    const unknown = [...query.keys()].filter((name) => !known.has(name));
    if (parameters.some(({ in: where }) => where === "query") && unknown.length > 0) {
      faults.push(`accepted the unknown query parameters ${JSON.stringify(unknown)}`);
    }
    if (JUDGES_PARTS_BY_ITSELF.has(operationId)) return faults;
    const media = requestMediaOf(operation);
    const type = headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
    const isJson = typeof body === "string" && body !== "" && type === "application/json";
    if (media === undefined || !isJson) return faults;
    const value = parseJson(body.replace(/^\ufeff/, ""));
    if (value === undefined) return [...faults, "accepted what is not JSON"];
    return [...faults, ...this.#validate(`${operationId} body`, () => media.schema, value, "accepted ")];
  }

  /** A text that fits its description must not be refused for its length, which is a number of code points. */
  #faultsOfRefused(operation: Described, outgoing: Outgoing, { status, body }: Answer): string[] {
    if (status !== 400 || HAS_RULES_IN_PROSE.has(operation.operationId)) return [];
    const { details = [] } = body as { details?: readonly { readonly message: string }[] };
    const [length] = details.filter(({ message }) => /\bcharacters\b/.test(message));
    if (length === undefined || this.#faultsOfAccepted(operation, outgoing).length > 0) return [];
    return [`refused for a length that the document allows: ${length.message}`];
  }

  #validate(name: string, schemaOf: () => unknown, value: unknown, prefix = ""): string[] {
    let validate = this.#validators.get(name);
    if (validate === undefined) {
      const components = closeIn(name, this.document.components);
      const ajv = name.includes(" answer ") ? this.#responses : this.#requests;
      validate = ajv.compile({ ...schemaOf() as object, components });
      this.#validators.set(name, validate);
    }
    if (validate(value)) return [];
    return [`${prefix}${name}: ${this.#requests.errorsText(validate.errors, { dataVar: "it" })}`];
  }
}

/** Components are closed for responses. Schemas of requests stay as described. */
function closeIn(name: string, components: unknown): unknown {
  return name.includes(" answer ") ? closeSchema(components) : components;
}

/** A success may hold an error for each query that does not fit. */
const JUDGES_PARTS_BY_ITSELF: ReadonlySet<string> = new Set(["collectTelemetry"]);

/** Counts the characters of several texts together, and those of texts in lines. */
const HAS_RULES_IN_PROSE: ReadonlySet<string> = new Set(["collectTelemetry", "writeTelemetry"]);

/** Names the fault of a line even without `details`, as documented. */
const ALWAYS_EXPLAINS: ReadonlySet<string> = new Set(["writeTelemetry"]);

/** Messages with numbers, which the document cannot list. */
const WITH_FIGURES =
  /^The change affects about \d+ pairs of roles, more than the \d+ allowed \(CLOSURE_MAX_CHANGE\): [a-z ,]+$/;

const PARTIAL_WRITE = /^partial write: Line \d+ [^]* dropped=\d+$/;

/** False if a part of the path is empty or dots, since that is the address of something else. */
function isAddressOfOperation({ pathTexts }: Outgoing): boolean {
  return [...pathTexts.values()].every((text) => !["", ".", ".."].includes(text));
}

/** A 304 for a client that has a public page already. It belongs to HTTP and not to an operation. */
function isNotModified(
  { security }: Described,
  { headers }: Outgoing,
  { status, text, headers: sent }: Answer,
): boolean {
  return status === 304 && text === "" && sent.has("ETag") && headers.has("If-None-Match") &&
    security.length === 0;
}

/** An error has exactly the documented fields and headers, and one of the documented messages. */
function faultsOfError(
  answer: Answer,
  { messages, explains }: { readonly messages: readonly string[]; readonly explains: boolean },
): string[] {
  const { status, headers, body } = answer;
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string): void => void (holds || faults.push(fault));
  const error = body as Record<string, unknown>;
  const { statusCode, error: name, message, retryAfter, details } = error;
  const fields = ["statusCode", "error", "message"];
  if (status === 429) fields.push("retryAfter");
  if (message === "2FA_REQUIRED") fields.push("partialAuthToken", "methods");
  const explained = status === 400 || status === 403 || status === 422;
  if (explained && explains && details !== undefined) fields.push("details");
  if (PARTIAL_WRITE.test(String(message))) fields.push("dropped");
  expect(Object.keys(error).sort().join() === fields.sort().join(), `error fields ${Object.keys(error)}`);
  expect(statusCode === status && name === STATUS_NAMES[status], `error named ${statusCode} ${name}`);
  const isTold = messages.includes(String(message)) || WITH_FIGURES.test(String(message)) ||
    PARTIAL_WRITE.test(String(message));
  expect(isTold, `the message "${message}" is not documented`);
  const seconds = headers.get("Retry-After");
  expect((seconds !== null) === (status === 429), `Retry-After ${seconds}`);
  const isSame = /^[1-9][0-9]*$/.test(seconds ?? "") && retryAfter === Number(seconds);
  expect(status !== 429 || isSame, "Retry-After and retryAfter");
  expect(headers.get("Content-Type") === "application/json", `Content-Type ${headers.get("Content-Type")}`);
  return [...faults, ...faultsOfRefusal(answer)];
}

/** What an error says without its body. */
function faultsOfRefusal({ status, headers }: Answer): string[] {
  const [challenge, kept] = [headers.get("WWW-Authenticate"), headers.get("Cache-Control")];
  return [
    ...((challenge !== null) === (status === 401) ? [] : [`WWW-Authenticate ${challenge}`]),
    ...(kept === "no-store" ? [] : [`Cache-Control ${kept}`]),
  ];
}

/** A success has the documented fields. Personal data and tokens must not be cached. */
function faultsOfSuccess(
  { security, operationId, deprecated }: Described & { deprecated?: boolean },
  answer: Answer,
) {
  const faults: string[] = [];
  const kept = answer.headers.get("Cache-Control");
  const isPersonal = security.length > 0 || operationId === "login";
  if (isPersonal && answer.text !== "" && answer.text !== "null" && kept !== "no-store") {
    faults.push(`Cache-Control ${kept}`);
  }
  if (answer.headers.has("WWW-Authenticate")) faults.push("WWW-Authenticate on a success");
  if (deprecated === true && !/rel="successor-version"/.test(answer.headers.get("Link") ?? "")) {
    faults.push("superseded without a link to the successor");
  }
  return faults;
}

/** The value of a parameter in the type of its schema. */
function decode(document: ApiDocument, given: object, texts: readonly string[]): unknown {
  const schema = resolveSchema(document, given as JsonSchema);
  if (schema.anyOf !== undefined) {
    if (texts[0] === "*") return "*";
    const list = schema.anyOf.find(({ type }) => type === "array");
    return list === undefined ? texts[0] : decode(document, list, texts);
  }
  if (schema.type === "array") {
    const items = texts.flatMap((text) => text === "" ? [] : text.split(","));
    return items.map((item) => decode(document, schema.items ?? {}, [item]));
  }
  if (texts.length !== 1) return texts;
  const [text = ""] = texts;
  if (schema.type === "integer" && /^[0-9]+$/.test(text)) return Number(text);
  if (schema.type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}
