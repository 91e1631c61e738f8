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

export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface ApiDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

/** An operation with its method, and its path in the spelling of the document and of the router. */
export interface Described extends DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly route: string;
}

/** All operations of the document. */
export function operationsOf({ paths }: ApiDocument): Described[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([name, operation]) => {
      const method = name.toUpperCase();
      const route = `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
      return { ...operation, method, path, route };
    })
  );
}

/** The documented success: its status, and its body if it has one. */
export function successOf({ responses, operationId }: DocumentedOperation): {
  readonly status: number;
  readonly type?: string;
  readonly media?: Media;
} {
  const [status, ...others] = Object.keys(responses).filter((code) => code.startsWith("2"));
  assert.ok(status !== undefined && others.length === 0, `${operationId}: one success`);
  const [body] = Object.entries(responses[status]?.content ?? {});
  return body === undefined
    ? { status: Number(status) }
    : { status: Number(status), type: body[0], media: body[1] };
}

/** The schema of the documented JSON body, or undefined if the operation takes none. */
export function requestMediaOf({ requestBody }: DocumentedOperation): Media | undefined {
  return requestBody?.content["application/json"];
}
