import { formatUnit, locale } from "../../language.ts";
import { isMidnight, isOfDays, type Span } from "./span.ts";
import { timeFormat } from "./time_format.ts";

/** Times in the format of the page's language, in the browser's time zone. */

const DAY = 86_400_000;
const MINUTE = 60_000;

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return timeFormat(locale.value, options);
}

/** Formats a span, "Nov 21, 7:53 PM – Nov 22, 7:53 PM", with the precision that matters. */
export function writeSpanOfTime(span: Span): string {
  const { from, to } = span;
  if (isOfDays(span)) return format(dateOf(from)).formatRange(from, to - 1);
  const length = to - from;
  const precision = length < 10 * MINUTE ? SECONDS : length <= 3 * DAY ? MINUTES : {};
  return format({ ...dateOf(from), ...precision }).formatRange(from, to);
}

/** Formats the beginning of a window of this length. Days of the service begin at midnight UTC. */
export function writeMoment(time: number, window: number): string {
  const precision = window < MINUTE ? SECONDS : window < DAY || !isMidnight(time) ? MINUTES : {};
  return format({ ...dateOf(time), ...precision }).format(time);
}

/** Formats a time of the recent past: today's without the date. */
export function writeRecent(time: number): string {
  const isOfToday = new Date(time).toDateString() === new Date().toDateString();
  return format({ ...isOfToday ? {} : dateOf(time), ...MINUTES }).format(time);
}

const MINUTES: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
const SECONDS: Intl.DateTimeFormatOptions = { ...MINUTES, second: "2-digit" };

/** Returns the date format, without the current year. */
function dateOf(time: number): Intl.DateTimeFormatOptions {
  const isOfThisYear = new Date(time).getFullYear() === new Date().getFullYear();
  return { day: "numeric", month: "short", ...isOfThisYear ? {} : { year: "numeric" } };
}

/**
 * Formats a time beside the axis, for steps of this many milliseconds: the date where a day begins, otherwise the
 * time.
 */
export function writeTickOfTime(time: number, step: number): string {
  const date = new Date(time);
  if (step >= 365 * DAY) return format({ year: "numeric" }).format(date);
  if (step >= 28 * DAY) return format({ month: "short", year: "numeric" }).format(date);
  if (step >= DAY || isMidnight(time)) return format({ day: "numeric", month: "short" }).format(date);
  return format(step < MINUTE ? SECONDS : MINUTES).format(date);
}

/** Formats a length in the greatest fitting unit: "5 minutes". */
export function writeLength(length: number): string {
  const units = [["day", DAY], ["hour", 3_600_000], ["minute", MINUTE], ["second", 1000]] as const;
  const [unit, size] = units.find(([, size]) => length % size === 0) ?? ["second", 1000];
  return formatUnit(length / size, unit);
}
