import assert from "node:assert/strict";

/** The parts of the OpenAPI document that tests read. */

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}

export interface DocumentedParameter {
  readonly in: "path" | "query" | "header";
  readonly name: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** An operation of the document, with its references unresolved. */
type RawOperation = Omit<DocumentedOperation, "parameters"> & {
  readonly parameters?: readonly (DocumentedParameter | Reference)[];
};

export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: Readonly<Record<string, unknown>> & {
    readonly parameters: Readonly<Record<string, DocumentedParameter>>;
  };
}

/** The document contains a parameter of several operations once. */
interface Reference {
  readonly $ref: string;
}

/** An operation with its method, and its path in the spelling of the document and of the router. */
export interface Described extends DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly route: string;
}

/** All operations of the document, with the parameters that they share. */
export function operationsOf({ paths, components }: ApiDocument): Described[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([name, operation]) => {
      const method = name.toUpperCase();
      const route = `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
      const { parameters, ...rest } = operation;
      const described = parameters?.map((one) => "$ref" in one ? resolve(one, components.parameters) : one);
      return { ...rest, ...(described && { parameters: described }), method, path, route };
    })
  );
}

function resolve(
  { $ref }: Reference,
  shared: Readonly<Record<string, DocumentedParameter>>,
): DocumentedParameter {
  const parameter = shared[$ref.replace("#/components/parameters/", "")];
  assert.ok(parameter, $ref);
  return parameter;
}

/** The documented success: its status, and its body if it has one. Some operations may respond with a 204 instead. */
export function successOf({ responses, operationId }: DocumentedOperation): {
  readonly status: number;
  readonly type?: string;
  readonly media?: Media;
} {
  const [status, ...others] = Object.keys(responses).filter((code) => code.startsWith("2"));
  const isOne = others.length === 0 || others.join() === "204" && responses["204"]?.content === undefined;
  assert.ok(status !== undefined && isOne, `${operationId}: one success`);
  const [body] = Object.entries(responses[status]?.content ?? {});
  return body === undefined
    ? { status: Number(status) }
    : { status: Number(status), type: body[0], media: body[1] };
}

/** The schema of the documented JSON body, or undefined if the operation takes none. */
export function requestMediaOf({ requestBody }: DocumentedOperation): Media | undefined {
  return requestBody?.content["application/json"];
}

/** Optional parameters without which an operation cannot do anything: one of several is enough, and this is sent. */
const NEEDED: Readonly<Record<string, string>> = { writeTelemetry: "db" };

/** A well-formed request: the path with the examples of required parameters, and the example of the body. */
export function exampleOf(operation: Described): { path: string; body: unknown } {
  const { path, parameters = [], operationId } = operation;
  const needed = parameters.filter(({ name, required }) => required === true || name === NEEDED[operationId]);
  return { path: fillPath(path, needed), body: requestMediaOf(operation)?.example };
}

/** The path and query with examples. As OpenAPI has it, lists are comma-separated in a path and repeated in a query. */
export function fillPath(path: string, parameters: readonly DocumentedParameter[]): string {
  let filled = path;
  const query = new URLSearchParams();
  for (const { in: place, name, example } of parameters) {
    if (example === undefined) continue;
    const values = [example].flat().map(String);
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(values.join(",")));
    if (place === "query") { for (const value of values) query.append(name, value); }
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}
