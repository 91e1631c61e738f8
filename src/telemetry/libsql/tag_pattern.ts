/** What `hasTags` (`point_queries.ts`) looks for in a tag set's text. */
export interface TagPattern {
  /** The entries as the text has them, in its order, with anything between: a GLOB pattern. Null without any. */
  readonly tagPattern: string | null;
  /** A JSON object of those that the pattern could also find where there is no such entry; null without any. */
  readonly oddTags: string | null;
}

/** The only entries that can be read between two texts: in `{"x,":":","y":…}` as well as in `{"y,":…,":":…}`. */
const ODD_ENTRIES: ReadonlySet<string> = new Set(['":":","', '",":":"']);

/** Describes the tags that a query asks for. The nodeId is left out: all tag sets of a device have it. */
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
