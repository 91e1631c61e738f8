/** What is written: values of a device at a time, before and after they are sorted into series. */

/** A field keeps the kind that it was first written with. */
export type FieldKind = "number" | "boolean" | "string";

/** A value as the text of a JSON number, `true` or `false`, or JSON string: digits beyond a JS number's survive in it. */
export interface FieldValue {
  readonly kind: FieldKind;
  readonly json: string;
}

/** One point of a request: what a device measured at one time. */
export interface Point {
  /** Where the request names it, counted from 1: the line of the line protocol, the element of the JSON list. */
  readonly line: number;
  readonly measurement: string;
  /** With `nodeId`, which says whose point it is. */
  readonly tags: ReadonlyMap<string, string>;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly fields: ReadonlyMap<string, FieldValue>;
}

/** Where points are kept apart by name, as InfluxDB 1.x does. */
export interface Namespace {
  readonly database: string;
  readonly retentionPolicy: string;
}

/** The values of one field of one tag set in one request. */
export interface SeriesWrite {
  readonly nodeId: string;
  readonly measurement: string;
  /** JSON object with its keys in order. */
  readonly tags: string;
  readonly field: string;
  readonly kind: FieldKind;
  /** The first point of the request that has it. */
  readonly line: number;
  /** JSON texts of values by time; of equal times the last one counts. */
  readonly values: ReadonlyMap<bigint, string>;
}
