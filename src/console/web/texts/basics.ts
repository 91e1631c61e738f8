/** What views share with the texts, in a file that loads no texts. */

/** The interface counts the roles around a role up to this number. */
const COUNTED_TO = 100_000;

/** Whether there may be more roles around a role than were counted. */
export function isCapped(count: number): boolean {
  return count >= COUNTED_TO;
}

/** Capitalizes the first letter, as at the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
