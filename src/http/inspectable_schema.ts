import type * as v from "valibot";

export type AnySchema = v.GenericSchema<unknown, unknown>;

/** The inspectable parts of a valibot schema. */
export interface InspectableSchema {
  /** A pipe has the type of its first schema. */
  readonly type: string;
  /** Of `optional` and the like. */
  readonly wrapped?: AnySchema;
  /** Of an array. */
  readonly item?: AnySchema;
  /** Of an object. */
  readonly entries?: Readonly<Record<string, AnySchema>>;
  /** Of a union. */
  readonly options?: readonly AnySchema[];
  readonly pipe?: readonly { readonly type: string; readonly requirement?: unknown }[];
}
