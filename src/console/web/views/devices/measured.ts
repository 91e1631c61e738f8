import type { Series } from "./series.ts";
import type { Span } from "./span.ts";
import type { Window } from "./windows.ts";

/** The reason why nothing is drawn. `empty`: no values in this time. */
export interface Lack {
  readonly kind: "empty" | "notNumbers" | "forbidden" | "secondFactor" | "refused";
  /** The latest value of all times; unknown if forbidden or refused. */
  readonly latest: LatestValue | undefined;
}

/** The latest value of a series or tag set. */
export interface LatestValue {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly value: number | string;
}

/** The result of a series: the windows of each tag set, or a reason for their absence. */
export interface Measured {
  readonly series: Series;
  readonly sets: readonly TagSet[];
  /** Length of the windows, in milliseconds. */
  readonly window: number;
  /** Whether the user may read only a part of the time. */
  readonly isClipped: boolean;
  readonly lack: Lack | undefined;
}

/** The windows of one combination of tags. */
export interface TagSet {
  /** Tags that tell this set apart from others of the series. */
  readonly tags: Tags;
  readonly windows: readonly Window[];
  /** The latest value of all times. */
  readonly latest: LatestValue | undefined;
}

/** The values of tags by their names. */
export type Tags = Readonly<Record<string, string>>;

/** The measurements of all requested series in a span of time. */
export interface Measurements {
  readonly span: Span;
  /** Length of the windows that were requested first, in milliseconds. */
  readonly window: number;
  readonly measured: readonly Measured[];
}

/** What a plot draws: a tag set of a series. */
export interface Line {
  readonly key: string;
  /** The series' name. */
  readonly name: string;
  /** What tells it apart from others of the page; may be empty. */
  readonly about: string;
  /** See `unitOf`. */
  readonly unit: string;
  readonly windows: readonly Window[];
  /** Length of the windows, in milliseconds. */
  readonly window: number;
  readonly latest: LatestValue | undefined;
}
