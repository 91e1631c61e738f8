/** Times as in a date and time field, "2026-11-27T18:00", in the browser's time zone. */

function pad(n: number): string {
  return String(n).padStart(2, "0");
}

/** Formats a time for the field. */
export function toLocal(date: Date): string {
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${year}-${pad(month)}-${pad(day)}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** Reads the time of a field as ISO 8601. Undefined for other texts, and for years with more than four digits. */
export function readLocal(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Returns the last minute of the day `days` from now. */
export function endOfDay(days: number, now: Date = new Date()): string {
  return toLocal(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 23, 59));
}

/** Returns the last minute of the same day next month, or of a shorter month's last day. */
export function endOfMonth(now: Date = new Date()): string {
  const last = new Date(now.getFullYear(), now.getMonth() + 2, 0).getDate();
  return toLocal(
    new Date(now.getFullYear(), now.getMonth() + 1, Math.min(now.getDate(), last), 23, 59),
  );
}

const FRIDAY = 5;

/** Returns the days until the next Friday; 7 on a Friday. */
export function daysToFriday(now: Date = new Date()): number {
  return (FRIDAY - now.getDay() + 6) % 7 + 1;
}

/** Returns the beginning of the day `days` from now. */
export function startOfDay(days: number, now: Date = new Date()): string {
  return toLocal(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
}

/** Returns the beginning of the month `months` from now. */
export function startOfMonth(months: number, now: Date = new Date()): string {
  return toLocal(new Date(now.getFullYear(), now.getMonth() + months, 1));
}
