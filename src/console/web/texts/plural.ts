/** The forms of a phrase that depends on a number, in the language's grammar. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** What precedes a number at which counting stopped. */
const AT_LEAST = { en: "at least ", nl: "minstens ", fr: "au moins ", de: "mindestens " } as const;

/** To this number the interface counts the roles around a role. */
const COUNTED_TO = 100_000;

/** Whether there may be more roles around a role than were counted. */
export function isCapped(count: number): boolean {
  return count >= COUNTED_TO;
}

/** Puts a number before the fitting form. `isLeast`: there may be more. */
type Count = (count: number, forms: Forms, isLeast?: boolean) => string;

/** A function that writes numbers as people of the language do. */
export function countIn(language: keyof typeof AT_LEAST): Count {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count, forms, isLeast = false) => {
    const form = forms[rules.select(count)] ?? forms.other;
    return `${isLeast ? AT_LEAST[language] : ""}${numbers.format(count)} ${form}`.trim();
  };
}

/** A function that lists the counts that are not 0: "3 roles and 1 device". */
export function countAllIn(
  language: keyof typeof AT_LEAST,
): (...counts: (readonly [number, Forms])[]) => string {
  const count = countIn(language);
  const lists = new Intl.ListFormat(language);
  return (...counts) => lists.format(counts.filter(([n]) => n > 0).map(([n, forms]) => count(n, forms)));
}

/** Writes the first letter large, as at the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Amount {
  readonly rights: readonly string[];
  readonly roles: number | undefined;
  readonly bound: "exact" | "atMost" | "about";
}

/** Whether to say that rights and roles are those of all together: not each right may be on each role. */
export function isTotal({ rights, roles = 0, bound }: Amount): boolean {
  return rights.length > 1 && roles > 1 && bound === "exact";
}
