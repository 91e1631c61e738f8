import { SECOND_MS } from "../core/clock.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<name>${MONTHS.join("|")})`;
const HOUR = "[01][0-9]|2[0-3]";
const TIME = `(?<hour>${HOUR}):(?<minute>[0-5][0-9]):(?<second>[0-5][0-9])`;
const SHORT_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";

/** The three forms of an HTTP-date (RFC 9110, 5.6.7; senders use the first), and a time of RFC 3339. */
const FORMS: readonly RegExp[] = [
  new RegExp(`^${SHORT_DAY}, (?<day>[0-9]{2}) ${MONTH} (?<year>[0-9]{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>[0-9]{2})-${MONTH}-(?<shortYear>[0-9]{2}) ${TIME} GMT$`),
  new RegExp(`^${SHORT_DAY} ${MONTH} (?<day>[0-9]{2}| [0-9]) ${TIME} (?<year>[0-9]{4})$`),
  new RegExp(
    `^(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})[Tt]${TIME}(?:\\.[0-9]+)?` +
      `(?:[Zz]|(?<sign>[+-])(?<offsetHour>${HOUR}):(?<offsetMinute>[0-5][0-9]))$`,
  ),
];

/**
 * Reads an `If-Unmodified-Since`, in whole seconds since 1970: an HTTP-date, or a time of RFC 3339 such as the
 * `lastUpdate` of a device, without its fraction. Undefined for other texts, which RFC 9110, 13.1.4, requires to be
 * ignored.
 */
export function readUnmodifiedSince(header: string, nowMs: number): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(header)?.groups;
    if (parts !== undefined) return toSeconds(parts, nowMs);
  }
  return undefined;
}

type Parts = Readonly<Record<string, string | undefined>>;

/** Returns undefined for a date that does not exist. */
function toSeconds(parts: Parts, nowMs: number): number | undefined {
  const number = (name: string): number => Number(parts[name] ?? 0);
  const year = parts["shortYear"] === undefined ? number("year") : fullYear(number("shortYear"), nowMs);
  const month = parts["name"] === undefined ? number("month") - 1 : MONTHS.indexOf(parts["name"]);
  const time = Date.UTC(year, month, number("day"), number("hour"), number("minute"), number("second"));
  const date = new Date(time);
  // Date.UTC carries 31 February over into March, and takes years below 100 for those of the 20th century.
  if (date.getUTCFullYear() !== year || date.getUTCDate() !== number("day")) return undefined;
  const offset = (number("offsetHour") * 60 + number("offsetMinute")) * 60;
  return time / SECOND_MS + (parts["sign"] === "-" ? offset : -offset);
}

/** The latest year that ends in these two digits and is at most 50 years ahead (RFC 9110, 5.6.7). */
function fullYear(shortYear: number, nowMs: number): number {
  const latest = new Date(nowMs).getUTCFullYear() + 50;
  return latest - (latest - shortYear) % 100;
}
