import type { ApiDocument } from "./api_document.ts";

/** The parts of JSON Schema that the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** The schema itself, or the one of the document's components that it refers to. */
export function resolveSchema(document: ApiDocument, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const keys = schema.$ref.replace(/^#\//, "").split("/");
  const target = keys.reduce<unknown>(
    (inner, key) => typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined,
    document,
  );
  if (typeof target !== "object" || target === null) throw new Error(`${schema.$ref} leads nowhere`);
  return resolveSchema(document, target);
}

/**
 * The schema with every object closed that lists its fields, so that an undocumented field is a fault. Those with a
 * client's own fields say that they are open.
 */
export function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, closeSchema(inner)]));
  const { properties, additionalProperties } = schema as JsonSchema;
  if (properties === undefined || additionalProperties !== undefined) return closed;
  return { ...closed, additionalProperties: false };
}
