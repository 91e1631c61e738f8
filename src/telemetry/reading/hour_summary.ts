/** What is kept of the points of an hour when they are deleted. */
export interface HourSummary {
  readonly count: number;
  /** `DecimalSum` as text, and the least and the greatest value; empty if the values are no numbers. */
  readonly sum: string;
  readonly min: string;
  readonly max: string;
  /** Those of the first and the last point, as JSON like `min` and `max`. */
  readonly first: string;
  readonly last: string;
}

/** Formats a summary as one line: JSON has no tabs. */
export function formatSummary({ count, sum, min, max, first, last }: HourSummary): string {
  return [count, sum, min, max, first, last].join("\t");
}

/** The fields of a formatted summary. */
export const SUMMARY_FIELDS = 6;

/** Parses a formatted summary, given as its fields. */
export function parseSummary(
  [count, sum = "", min = "", max = "", first = "", last = ""]: readonly string[],
): HourSummary {
  return { count: Number(count), sum, min, max, first, last };
}
