import { language } from "../../language.ts";

/** Times in the format of the page's language, in the browser's time zone. */

const DAY = 86_400_000;
const MINUTE = 60_000;

function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language.value, options);
}

/** Formats a span, "Nov 21, 7:53 PM – Nov 22, 7:53 PM", with the precision that matters. */
export function writeSpanOfTime({ from, to }: { from: number; to: number }): string {
  const length = to - from;
  const precision = length < 10 * MINUTE ? SECONDS : length <= 3 * DAY ? MINUTES : {};
  return format({ ...dateOf(from), ...precision }).formatRange(from, to);
}

/** Formats a time to the precision of windows of this length. */
export function writeMoment(time: number, window: number): string {
  return format({ ...dateOf(time), ...window < MINUTE ? SECONDS : window < DAY ? MINUTES : {} }).format(time);
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
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
  if (step >= 365 * DAY) return format({ year: "numeric" }).format(date);
  if (step >= 28 * DAY) return format({ month: "short", year: "numeric" }).format(date);
  if (step >= DAY || isMidnight) return format({ day: "numeric", month: "short" }).format(date);
  return format(step < MINUTE ? SECONDS : MINUTES).format(date);
}

/** Formats a length in the greatest fitting unit: "5 minutes". */
export function writeLength(length: number): string {
  const units = [["day", DAY], ["hour", 3_600_000], ["minute", MINUTE], ["second", 1000]] as const;
  const [unit, size] = units.find(([, size]) => length % size === 0) ?? ["second", 1000];
  return new Intl.NumberFormat(language.value, { style: "unit", unit, unitDisplay: "long" })
    .format(length / size);
}
