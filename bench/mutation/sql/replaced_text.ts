/** What a copy of the project loads with `src/db/statement.ts`; see `project_copy.ts`. */

/** The texts that were bound since this was last emptied. */
export const boundTexts = new Set<string>();

let wrongTexts: ReadonlyMap<string, string> = new Map();

/** From now on, replaces texts by others. */
export function replaceTexts(texts: Readonly<Record<string, string>>): void {
  wrongTexts = new Map(Object.entries(texts));
}

/** The text that replaces one as it is bound; undefined if it stays. */
export function replacedText(sql: string): string | undefined {
  boundTexts.add(sql);
  return wrongTexts.get(sql);
}
