/** The arguments of `FIND_TAG_SETS` that search the JSON text of a tag set. */
export interface TagPattern {
  /** A GLOB pattern: the entries in the order of the text, with anything between. Null without entries. */
  readonly tagPattern: string | null;
  /** A JSON object of the entries that the pattern could match where they are absent. Null without any. */
  readonly oddTags: string | null;
}

/** The only entries that can match across two strings: `":":","` is part of `{"x,":":","y":…}`. */
const ODD_ENTRIES: ReadonlySet<string> = new Set(['":":","', '",":":"']);

/** Returns the pattern of a query's tags, without nodeId, which all tag sets of a device have. */
export function describeTags(tags: ReadonlyMap<string, string>): TagPattern {
  const keys = [...tags.keys()].filter((key) => key !== "nodeId").sort();
  const entries = keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(tags.get(key))}`);
  if (entries.length === 0) return { tagPattern: null, oddTags: null };
  const odd = entries.filter((entry) => ODD_ENTRIES.has(entry));
  return {
    tagPattern: `${entries.map(escapeGlob).join("*,")}*`,
    oddTags: odd.length === 0 ? null : `{${odd.join(",")}}`,
  };
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[*?[]/g, "[$&]");
}
