import type { AnySchema, InspectableSchema } from "./inspectable_schema.ts";

/** The schema types that keep unknown names. An `object` drops them. */
const OPEN_TYPES: ReadonlySet<string> = new Set([
  "unknown",
  "any",
  "record",
  "loose_object",
  "object_with_rest",
]);

/** Whether the schema, or one inside it, keeps unknown names. */
export function takesAnyNames(schema: AnySchema): boolean {
  const { type, wrapped, item, entries = {}, options = [] }: InspectableSchema = schema;
  const inner = [wrapped, item, ...Object.values(entries), ...options].filter((each) => each !== undefined);
  return OPEN_TYPES.has(type) || inner.some(takesAnyNames);
}
