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
export const PRESETS = { day: DAY, week: 7 * DAY, month: 30 * DAY } as const;
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

/** Reads the fixed span in the address, if any. */
export function readFixed(query: URLSearchParams): Span | undefined {
  const [from, to] = [Date.parse(query.get("from") ?? ""), Date.parse(query.get("to") ?? "")];
  return to - from >= SHORTEST && to - from <= LONGEST ? { from, to } : undefined;
}

/** Reads the preset in the address; by default a day. */
export function readPreset(query: URLSearchParams): Preset {
  const name = query.get("span") ?? "day";
  return Object.hasOwn(PRESETS, name) ? name as Preset : "day";
}

/** Returns the parameters of a span, to the second. Lengths in whole seconds are kept. */
export function writeSpan({ from, to }: Span): { from: string; to: string } {
  const end = Math.ceil(to / SECOND) * SECOND;
  const length = Math.ceil((to - from) / SECOND) * SECOND;
  return { from: new Date(end - length).toISOString(), to: new Date(end).toISOString() };
}

/** Moves a span by `times` its length, but not into the future. */
export function shift({ from, to }: Span, times: number, now: number): Span {
  const length = to - from;
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
