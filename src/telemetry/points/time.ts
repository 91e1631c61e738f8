import { SECOND_MS } from "../../core/clock.ts";
import { HOUR_NS } from "./slots.ts";

/** Times are nanoseconds since 1970 as bigint, within InfluxDB's range (1677-09-21 to 2262-04-11). */
export const MIN_TIME = -9_223_372_036_854_775_806n;
export const MAX_TIME = 9_223_372_036_854_775_806n;

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;
const HOUR = BigInt(HOUR_NS);

const UNIT_NS: Readonly<Record<string, bigint>> = {
  s: NS_PER_SECOND,
  m: 60n * NS_PER_SECOND,
  h: 3_600n * NS_PER_SECOND,
  d: 86_400n * NS_PER_SECOND,
};

/** Syntax of the length of a window. */
export const DURATION = /^[1-9][0-9]{0,5}[smhd]$/;

/** Extended ISO 8601: a date, or a date and a time with a zone. Each part has a bounded length. */
const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d{2}):(\d{2})))?$/;
const MAX_ISO_LENGTH = 35;

/** `hh:mm:` of each minute of a day, and `ss` of each second of a minute. */
const MINUTES = Array.from(
  { length: 1440 },
  (_, i) => `${twoDigits(Math.floor(i / 60))}:${twoDigits(i % 60)}:`,
);
const SECONDS = Array.from({ length: 60 }, (_, i) => twoDigits(i));

/**
 * Parses a time: milliseconds since 1970, or ISO 8601 with `Z` or an offset and up to nine fractional digits; a date
 * alone means midnight UTC. Undefined for other texts, dates that do not exist (or a 60th second), and times outside
 * `MIN_TIME` to `MAX_TIME`.
 */
export function parseTime(value: number | string): bigint | undefined {
  const time = typeof value === "number" ? fromMs(value) : fromIso(value);
  return time === undefined || time < MIN_TIME || time > MAX_TIME ? undefined : time;
}

/**
 * Parses the length of a window (`15m`) into nanoseconds: 1 to 6 digits without a leading zero, then `s`, `m`, `h` or
 * `d`. Undefined if malformed or longer than `MAX_TIME`.
 */
export function parseDuration(text: string): bigint | undefined {
  const unitNs = DURATION.test(text) ? UNIT_NS[text.slice(-1)] : undefined;
  if (unitNs === undefined) return undefined;
  const ns = BigInt(text.slice(0, -1)) * unitNs;
  return ns > MAX_TIME ? undefined : ns;
}

/** Returns the last multiple of a duration that is not after a time, both in nanoseconds. */
export function floorTime(time: bigint, duration: bigint): bigint {
  const rest = time % duration;
  return time - (rest < 0n ? rest + duration : rest);
}

/** Returns the hour since 1970 in which a time lies. */
export function hourOf(ns: bigint): number {
  return Number(floorTime(ns, HOUR) / HOUR);
}

/** Returns the millisecond in which a time lies. */
export function msOf(ns: bigint): number {
  const ms = Number(ns / NS_PER_MS);
  return ns % NS_PER_MS < 0n ? ms - 1 : ms;
}

/** Returns the first nanosecond of a millisecond. */
export function nsOf(ms: number): bigint {
  return BigInt(ms) * NS_PER_MS;
}

/** Formats nanoseconds as RFC 3339 in UTC, with no more digits than needed: `2026-01-01T00:00:00.5Z`. */
export function formatTime(ns: bigint): string {
  let ms = Number(ns / NS_PER_MS);
  let rest = Number(ns % NS_PER_MS);
  if (rest === 0) return formatMs(ms);
  if (rest < 0) {
    ms -= 1;
    rest += 1_000_000;
  }
  const second = Math.floor(ms / 1000);
  return formatSecond(second) + fraction((ms - second * 1000) * 1_000_000 + rest, 9) + "Z";
}

/** `formatTime` for whole milliseconds, without bigint arithmetic. */
export function formatMs(ms: number): string {
  const second = Math.floor(ms / 1000);
  const rest = ms - second * 1000;
  return rest === 0 ? formatSecond(second) + "Z" : formatSecond(second) + fraction(rest, 3) + "Z";
}

/** The date formatted last. Times of a result mostly ascend, so few begin a new day. */
const lastDate = { day: 0, text: "1970-01-01T" };

function formatSecond(second: number): string {
  const day = Math.floor(second / 86_400);
  if (day !== lastDate.day) {
    lastDate.text = new Date(day * 86_400 * SECOND_MS).toISOString().slice(0, 11);
    lastDate.day = day;
  }
  const secondOfDay = second - day * 86_400;
  const minute = Math.floor(secondOfDay / 60);
  return lastDate.text + MINUTES[minute] + SECONDS[secondOfDay - minute * 60];
}

/** Formats a non-zero fraction of a second, given with `digits` decimal digits, without trailing zeros. */
function fraction(value: number, digits: number): string {
  let significant = value;
  let length = digits;
  while (significant % 10 === 0) {
    significant /= 10;
    length -= 1;
  }
  return "." + String(significant).padStart(length, "0");
}

function fromMs(ms: number): bigint | undefined {
  // BigInt throws on NaN and the infinities. The caller checks the exact range, which ends at 9.3e12.
  if (!(Math.abs(ms) < 1e13)) return undefined;
  if (Number.isInteger(ms)) return BigInt(ms) * NS_PER_MS;
  const size = Math.abs(ms);
  const whole = Math.trunc(size);
  // By decimal digits, not by the nearest double: .123 stays 123,000 ns.
  const text = String(size);
  const part = whole === 0 ? size : Number(text.slice(text.indexOf(".")));
  const ns = BigInt(whole) * NS_PER_MS + BigInt(Math.round(part * 1e6));
  return ms < 0 ? -ns : ns;
}

function fromIso(text: string): bigint | undefined {
  const parts = text.length > MAX_ISO_LENGTH ? null : ISO_TIME.exec(text);
  if (parts === null) return undefined;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  const hour = Number(parts[4] ?? 0);
  const minute = Number(parts[5] ?? 0);
  const second = Number(parts[6] ?? 0);
  const zoneHour = Number(parts[9] ?? 0);
  const zoneMinute = Number(parts[10] ?? 0);
  // Date.UTC maps years below 100 to the 20th century, but the check on the year excludes them.
  if (year < 1677 || year > 2262 || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) {
    return undefined;
  }
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return undefined;
  const offsetMs = (zoneHour * 60 + zoneMinute) * 60_000 * (parts[8] === "-" ? -1 : 1);
  const ms = Date.UTC(year, month - 1, day, hour, minute, second) - offsetMs;
  const part = parts[7] === undefined ? 0n : BigInt(parts[7].padEnd(9, "0"));
  return BigInt(ms) * NS_PER_MS + part;
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
