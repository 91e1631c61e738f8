import type { Grant } from "../../device/grant_service.ts";

/** The points of a request, and their series. */

/** A field keeps the kind of its first value. */
export type FieldKind = "number" | "boolean" | "string";

/** A value as JSON. Text keeps digits that a JavaScript number would lose. */
export interface FieldValue {
  readonly kind: FieldKind;
  readonly json: string;
}

/** Returns the nodeId among the tags of a point. */
export function nodeIdOf(tags: SeriesKey["tags"]): string {
  const nodeId = tags.get("nodeId");
  if (nodeId === undefined) throw new Error("A point has no nodeId");
  return nodeId;
}

/** What the points of a measurement and tag set have in common. */
export interface SeriesKey {
  /** Measurement and tags as the request writes them. The same tags may have several texts. */
  readonly text: string;
  readonly measurement: string;
  /** Includes `nodeId`, which names the device. */
  readonly tags: ReadonlyMap<string, string>;
  /** The series of this text that earlier writes found. */
  readonly known?: KnownSeries | undefined;
}

/** A series as an earlier write of the same actor to the same destination found it. */
export interface KnownSeries {
  readonly field: string;
  readonly id: number;
  readonly kind: FieldKind;
  /** All grants of the writer for its device. */
  readonly grants: readonly Grant[];
  /** The number of series deleted until then. */
  readonly deletedSeries: number;
  /** The revision at which the grants held last. */
  revision: number;
  /** With points kept elsewhere: a day that the database has noted, as that of the newest point or an earlier one's. */
  lastDay?: number | undefined;
  /** The next series of the same text. */
  readonly next: KnownSeries | undefined;
}

/** One point of a request: the values of a device at one time. */
export interface Point {
  /** The point's position in the request, from 1: a line of line protocol, or an element of the JSON list. */
  readonly line: number;
  /** The same object for all points of a text. */
  readonly key: SeriesKey;
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
  /** `SeriesKey.text` of the first point; undefined if not from a request. */
  readonly text?: string | undefined;
  /** The series as an earlier write found it, perhaps with another kind. */
  readonly known?: KnownSeries | undefined;
}

/** Returns the series of a field, of those of one text. */
export function findKnown(first: KnownSeries | undefined, field: string): KnownSeries | undefined {
  let known = first;
  while (known !== undefined && known.field !== field) known = known.next;
  return known;
}
