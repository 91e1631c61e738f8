import { formatTime, formatUnit, locale, texts } from "../../language.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Without a value for so long, a device is marked. Its intervals are not known, so this is only a hint. */
const LATE_MS = HOUR_MS;

/** Whether the latest value is so old that a person may want to know. */
export function isLate(at: number | undefined, now: number = Date.now()): boolean {
  return at !== undefined && now - at > LATE_MS;
}

/** Returns when the latest value was measured: "14:04", or "no data for 3 hours". `at`: milliseconds since 1970. */
export function describeAge(at: number, now: number = Date.now()): string {
  const { home } = texts.value;
  const age = now - at;
  if (age <= LATE_MS) {
    return home.at(new Intl.DateTimeFormat(locale.value, { timeStyle: "short" }).format(at));
  }
  if (age > 14 * DAY_MS) return home.lastAt(formatTime(new Date(at).toISOString()));
  return home.noDataFor(
    age < 2 * DAY_MS
      ? formatUnit(Math.floor(age / HOUR_MS), "hour")
      : formatUnit(Math.floor(age / DAY_MS), "day"),
  );
}
