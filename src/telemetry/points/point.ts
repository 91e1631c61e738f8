/** The points of a request, and their series. */

/** A field keeps the kind of its first value. */
export type FieldKind = "number" | "boolean" | "string";

/** A value as JSON. Text keeps digits that a JavaScript number would lose. */
export interface FieldValue {
  readonly kind: FieldKind;
  readonly json: string;
}

/** One point of a request: the values of a device at one time. */
export interface Point {
  /** The point's position in the request, from 1: a line of line protocol, or an element of the JSON list. */
  readonly line: number;
  readonly measurement: string;
  /** Includes `nodeId`, which names the device. */
  readonly tags: ReadonlyMap<string, string>;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly fields: ReadonlyMap<string, FieldValue>;
}

/** A named space for points, as in InfluxDB 1.x. */
export interface Namespace {
  readonly database: string;
  readonly retentionPolicy: string;
}

/** The destination of a write. */
export interface Destination extends Namespace {
  /** Restricts the write to devices that this role or one below it monitors. */
  readonly roleId?: number | undefined;
}

/** The values of one field of one tag set in one request. */
export interface SeriesWrite {
  readonly nodeId: string;
  readonly measurement: string;
  /** JSON object, its keys ordered by UTF-16 code units. */
  readonly tags: string;
  readonly field: string;
  readonly kind: FieldKind;
  /** The line of the first point in this series, see `Point.line`. */
  readonly line: number;
  /** Values as JSON, by time (nanoseconds since 1970). The last value for a time counts. */
  readonly values: ReadonlyMap<bigint, string>;
}
