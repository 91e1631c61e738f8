/** The forms of a phrase that depends on a number, in the language's grammar. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** A function that puts a number, written as people of the language write it, before the fitting form. */
export function countIn(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count, forms) => `${numbers.format(count)} ${forms[rules.select(count)] ?? forms.other}`;
}

/** A function that lists the counts that are not 0: "3 roles and 1 device". */
export function countAllIn(language: string): (...counts: (readonly [number, Forms])[]) => string {
  const count = countIn(language);
  const lists = new Intl.ListFormat(language);
  return (...counts) => lists.format(counts.filter(([n]) => n > 0).map(([n, forms]) => count(n, forms)));
}
