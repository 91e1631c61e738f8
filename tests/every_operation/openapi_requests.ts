import assert from "node:assert/strict";
import type { JsonSchema } from "../contract/json_schema.ts";

/** Well-formed requests from the OpenAPI document alone, so that new operations are covered without an entry. */

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

interface DescribedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

/** Well-formed texts by the name of their field. None is valid for any user. */
const TEXTS: Readonly<Record<string, string>> = {
  email: "somebody.else@example.com",
  userEmail: "somebody.else@example.com",
  username: "somebody.else@example.com",
  otp: "ABC123",
  totp: "123456",
  recoveryCode: "AAAA-AAAA-AAAA-AAAA",
  token: "A".repeat(43),
  password: "a password that is wrong",
  oldPassword: "a password that is wrong",
  newPassword: "a sentence nobody thinks of",
  language: "nl",
};

/** Optional parameters without which an operation cannot do anything: one of several is enough, and this is sent. */
const NEEDED: Readonly<Record<string, string>> = { "POST /v1/telemetry": "db" };

/** The id of a node or relation that does not exist, so that no request has an effect. */
const UNKNOWN_ID = 999_999;

/** The path and body of a request that matches the document's description of an operation. */
export function requestFor(document: object, method: string, path: string): { path: string; body: unknown } {
  const described = at(document, "paths", path, method.toLowerCase()) as DescribedOperation | undefined;
  assert.ok(described !== undefined, `${method} ${path} is not described`);
  const query = new URLSearchParams();
  let filled = path;
  for (const parameter of described.parameters ?? []) {
    // Shared parameters are headers, and optional.
    if ("$ref" in parameter) continue;
    const value = String(exampleOf(document, parameter.schema ?? {}, parameter.name));
    if (parameter.in === "path") filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(value));
    const isNeeded = parameter.required === true || NEEDED[`${method} ${path}`] === parameter.name;
    if (parameter.in === "query" && isNeeded) query.set(parameter.name, value);
  }
  const schema = described.requestBody?.content["application/json"]?.schema;
  const body = schema === undefined ? undefined : exampleOf(document, schema, "");
  return { path: query.size === 0 ? filled : `${filled}?${query}`, body };
}

function exampleOf(document: object, schema: JsonSchema, name: string): unknown {
  if (schema.$ref !== undefined) {
    const target = at(document, ...schema.$ref.replace(/^#\//, "").split("/")) as JsonSchema;
    return exampleOf(document, target, name);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return exampleOf(document, first, name);
  switch (schema.type) {
    case "object": {
      const required = schema.required ?? [];
      const fields = Object.entries(schema.properties ?? {}).filter(([key]) => required.includes(key));
      const { minProperties = 0, additionalProperties: any } = schema;
      if (fields.length < minProperties && typeof any === "object") fields.push(["any", any]);
      return Object.fromEntries(fields.map(([key, field]) => [key, exampleOf(document, field, key)]));
    }
    case "array":
      return Array.from(
        { length: Math.max(1, schema.minItems ?? 0) },
        () => exampleOf(document, schema.items ?? {}, name),
      );
    case "integer":
    case "number":
      return /id$/i.test(name) ? UNKNOWN_ID : schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return TEXTS[name] ?? "text";
  }
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );
}
