/** What the views, too, need of the texts, without loading them. */

/** To this number the interface counts the roles around a role. */
const COUNTED_TO = 100_000;

/** Whether there may be more roles around a role than were counted. */
export function isCapped(count: number): boolean {
  return count >= COUNTED_TO;
}

/** Writes the first letter large, as at the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
