/** Times as a field of date and time has them, "2026-11-27T18:00", in the time zone of the browser. */

function pad(n: number): string {
  return String(n).padStart(2, "0");
}

/** As the field of a time has it. */
export function toLocal(date: Date): string {
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${year}-${pad(month)}-${pad(day)}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The time of a field in ISO 8601. Undefined for anything else, and for a year with more than four digits. */
export function readLocal(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The last minute of the day so many days from now. */
export function endOfDay(days: number, now: Date = new Date()): string {
  return toLocal(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 23, 59));
}

/** The last minute of the same day of the next month, or of that month if it is shorter. */
export function endOfMonth(now: Date = new Date()): string {
  const last = new Date(now.getFullYear(), now.getMonth() + 2, 0).getDate();
  return toLocal(
    new Date(now.getFullYear(), now.getMonth() + 1, Math.min(now.getDate(), last), 23, 59),
  );
}

const FRIDAY = 5;

/** The days until the next Friday; on a Friday, until that of the next week. */
export function daysToFriday(now: Date = new Date()): number {
  return (FRIDAY - now.getDay() + 6) % 7 + 1;
}
