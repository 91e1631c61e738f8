import type { Isolated } from "./isolated.ts";

/** What precedes a number at which counting stopped. */
const AT_LEAST = { en: "at least ", nl: "minstens ", fr: "au moins ", de: "mindestens " } as const;

/** A message about a number. `isMore`: there may be more. */
export type Counted = (count: number, isMore?: boolean) => string;

/**
 * A function that makes messages about numbers. In their text, "#" is the number, and "[role|roles]" are the forms of a
 * word for one and for several. `none`: what is said of 0 instead. `more`: what precedes a number if there may be more.
 */
export function pluralIn(
  language: keyof typeof AT_LEAST,
  more: string = AT_LEAST[language],
): (text: string, none?: string) => Counted {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (text, none) => (count, isMore = false) => {
    if (count === 0 && none !== undefined) return none;
    const form = rules.select(count) === "one" ? "$1" : "$2";
    return text.replaceAll(/\[(.*?)\|(.*?)\]/g, form)
      .replace("#", `${isMore ? more : ""}${numbers.format(count)}`);
  };
}

/** Texts, and a message about how many more there are, unless that is 0. */
export function withMore(texts: readonly string[], others: number, more: Counted): readonly string[] {
  return others > 0 ? [...texts, more(others)] : texts;
}

/** A function that makes a list of messages about numbers, of those that are not 0: "3 roles and 1 device". */
export function countAllIn(lists: Intl.ListFormat) {
  return <Messages extends readonly Counted[]>(...messages: Messages) =>
  (...counts: { [Each in keyof Messages]: number }): string =>
    lists.format(
      messages.reduce((said: readonly string[], say, i) => withMore(said, counts[i] ?? 0, say), []),
    );
}

/** A message about a number of things, followed by the names of the first of them. */
export function withFirst(say: Counted): (first: readonly Isolated[], count: number) => string {
  return (first, count) => `${say(count)} ${first.join(", ")}${count > first.length ? ", …" : "."}`;
}

/** To this number the interface counts the roles around a role. */
const COUNTED_TO = 100_000;

/** Whether there may be more roles around a role than were counted. */
export function isCapped(count: number): boolean {
  return count >= COUNTED_TO;
}

/** A message about the roles around a role, of which there may be more than were counted. */
export function capped(say: Counted): (count: number) => string {
  return (count) => say(count, isCapped(count));
}

/** A message about two numbers, without those that are 0. `isMore`: of the second. */
export function countBoth(
  first: Counted,
  second: Counted,
): (one: number, other: number, isMore: boolean) => string {
  return (one, other, isMore) =>
    withMore(withMore([], one, first), other, (count) => second(count, isMore)).join(", ");
}

/** Puts a number before the fitting form. `isLeast`: there may be more. */
type Count = (
  count: number,
  forms: { readonly one?: string; readonly other: string },
  isLeast?: boolean,
) => string;

/** A function that puts numbers before a word. */
export function countIn(language: keyof typeof AT_LEAST): Count {
  const plural = pluralIn(language);
  return (count, { other, one = other }, isLeast) => plural(`# [${one}|${other}]`)(count, isLeast).trim();
}

/** Writes the first letter large, as at the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
