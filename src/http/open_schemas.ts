import type { AnySchema, InspectableSchema } from "./inspectable_schema.ts";

/** The types of schemas that keep names which they do not know. An `object` drops them. */
const OPEN_TYPES: ReadonlySet<string> = new Set([
  "unknown",
  "any",
  "record",
  "loose_object",
  "object_with_rest",
]);

/** Whether the schema accepts any names. Otherwise it lists all names that matter. */
export function takesAnyNames(schema: AnySchema): boolean {
  const { type, wrapped, item, entries = {}, options = [] }: InspectableSchema = schema;
  const inner = [wrapped, item, ...Object.values(entries), ...options].filter((each) => each !== undefined);
  return OPEN_TYPES.has(type) || inner.some(takesAnyNames);
}
