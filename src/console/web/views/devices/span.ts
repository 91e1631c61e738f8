import { toLocal } from "../../local_time.ts";

/** Spans of time, and the windows that summarize values. All in milliseconds, times since 1970. */

export interface Span {
  readonly from: number;
  readonly to: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Spans chosen by one click, which end now. */
export const PRESETS = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY } as const;
/** The name of a preset in the address. */
export type Preset = keyof typeof PRESETS;

/** Maximum number of points on the screen. */
const POINTS = 500;
const SHORTEST = 10 * SECOND;
const LONGEST = 3650 * DAY;

/** Windows with common lengths, shortest first. */
const WINDOWS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30].map((n) => n * DAY),
];

/** The length of the summaries that outlive points. Longer windows are multiples of it. */
export const KEPT_WINDOW = HOUR;

/** Returns the shortest window without too many points. */
export function windowOf({ from, to }: Span): number {
  return WINDOWS.find((window) => (to - from) / window <= POINTS) ?? 30 * DAY;
}

/** Formats a window for requests. */
export function writeWindow(window: number): string {
  return `${window / SECOND}s`;
}

/** Reads the span in the address: `from` and `to`, or else a preset that ends now. */
export function readSpan(query: URLSearchParams, now: number): Span {
  return readFixed(query) ?? { from: now - PRESETS[readPreset(query)], to: now };
}

/** Reads the fixed span in the address, if any: times, or days in the browser's time zone, both included. */
export function readFixed(query: URLSearchParams): Span | undefined {
  const [from, to] = [readTime(query.get("from"), 0), readTime(query.get("to"), 1)];
  return to - from >= SHORTEST && to - from <= LONGEST ? { from, to } : undefined;
}

/** Reads a time, or the beginning of a day, or of one that many days later; NaN for other texts. */
function readTime(text: string | null, later: number): number {
  if (text === null) return NaN;
  return /^\d{4}-\d\d-\d\d$/.test(text) ? addDays(Date.parse(`${text}T00:00`), later) : Date.parse(text);
}

/** Returns the beginning of the day that many days after a time. Days are not always 24 hours long. */
function addDays(time: number, days: number): number {
  const date = new Date(time);
  date.setDate(date.getDate() + days);
  return date.setHours(0, 0, 0, 0);
}

/** The first and the last day of a span, as `2026-11-27`. */
export type Days = Readonly<Record<"from" | "to", string>>;

/** Returns the days that a span touches, in the browser's time zone. */
export function daysOf({ from, to }: Span): Days {
  const [first, last] = [from, to - 1].map((time) => toLocal(new Date(time)).slice(0, 10));
  return { from: first ?? "", to: last ?? "" };
}

/** Whether a span is of whole days in the browser's time zone. */
export function isOfDays({ from, to }: Span): boolean {
  return isMidnight(from) && isMidnight(to);
}

/** Whether a day begins at this time in the browser's time zone. */
export function isMidnight(time: number): boolean {
  return addDays(time, 0) === time;
}

/** Reads the preset in the address; by default a day. */
export function readPreset(query: URLSearchParams): Preset {
  const name = query.get("span") ?? "day";
  return Object.hasOwn(PRESETS, name) ? name as Preset : "day";
}

/** Returns the parameters of a span: whole days, or times to the second. Lengths in whole seconds are kept. */
export function writeSpan(span: Span): Days {
  if (isOfDays(span)) return daysOf(span);
  const { from, to } = span;
  const end = Math.ceil(to / SECOND) * SECOND;
  const length = Math.ceil((to - from) / SECOND) * SECOND;
  return { from: new Date(end - length).toISOString(), to: new Date(end).toISOString() };
}

/** Moves a span by `times` its length, but not into the future. Whole days stay whole, up to the end of today. */
export function shift(span: Span, times: number, now: number): Span {
  const { from, to } = span;
  const length = to - from;
  if (isOfDays(span)) {
    const days = Math.round(length / DAY);
    const tomorrow = addDays(now - 1, 1);
    const end = Math.min(addDays(to, times * days), Math.max(to, tomorrow));
    return { from: addDays(end, -days), to: end };
  }
  const end = Math.min(to + times * length, Math.max(to, now));
  return { from: end - length, to: end };
}

/** Scales a span around its middle, but not into the future. */
export function stretch({ from, to }: Span, times: number, now: number): Span {
  const length = Math.min(LONGEST, Math.max(SHORTEST, (to - from) * times));
  const end = Math.min((from + to) / 2 + length / 2, Math.max(to, now));
  return { from: end - length, to: end };
}

/** Returns the span of a drag over a plot, extended to the minimum length. */
export function selectSpan(from: number, to: number): Span {
  const more = Math.max(0, SHORTEST - (to - from)) / 2;
  return { from: from - more, to: to + more };
}
