import type { Isolated } from "./isolated.ts";

/** What precedes a number at which counting stopped. */
const AT_LEAST = { en: "at least ", nl: "minstens ", fr: "au moins ", de: "mindestens " } as const;

/** Chooses the first or the second of the forms in a text: "[Changed|Tried to change] the password". */
export function chooseForms(text: string, isFirst: boolean): string {
  return text.replaceAll(/\[(.*?)\|(.*?)\]/g, isFirst ? "$1" : "$2");
}

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
    return chooseForms(text, rules.select(count) === "one")
      .replace("#", `${isMore ? more : ""}${numbers.format(count)}`);
  };
}

/** Texts, and a message about how many more there are, unless that is 0. */
export function withMore(texts: readonly string[], others: number, more: Counted): readonly string[] {
  return others > 0 ? [...texts, more(others)] : texts;
}

/**
 * A function that makes messages with a list in place of "#", of the counts that are not 0: "3 roles and 1 device".
 * Without any, nothing is said.
 */
export function countAllIn(lists: Intl.ListFormat) {
  return <Messages extends readonly Counted[]>(text: string, ...messages: Messages) =>
  (...counts: { [Each in keyof Messages]: number }): string => {
    const said = messages.reduce(
      (texts: readonly string[], say, i) => withMore(texts, counts[i] ?? 0, say),
      [],
    );
    return said.length === 0 ? "" : text.replace("#", lists.format(said));
  };
}

/** A message about a number of things, followed by the names of the first of them. */
export function withFirst(say: Counted): (first: readonly Isolated[], count: number) => string {
  return (first, count) => `${say(count)} ${first.join(", ")}${count > first.length ? ", …" : "."}`;
}

/** The interface counts the roles around a role up to this number. */
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

/** Capitalizes the first letter, as at the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
