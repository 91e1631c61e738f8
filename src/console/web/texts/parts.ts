/** A sentence with parts that are not plain text: names, times, or what is emphasized. */
export type Parts<T> = readonly (string | T)[];

/** Writes a sentence with such parts: parts`Leave ${role}`. Each language has its own order. */
export function parts<P extends readonly unknown[]>(
  [first = "", ...texts]: TemplateStringsArray,
  ...named: P
): Parts<P[number]> {
  return [first, ...named.flatMap((part, i) => [part, texts[i] ?? ""])];
}

/** Says what a thing is, by its name in place of "{name}", or else by its number in place of "#". */
export function nameOrId(named: string, numbered: string): <T>(nameOrId: T | number) => Parts<T> {
  const [before = "", after = ""] = named.split("{name}");
  return (nameOrId) =>
    typeof nameOrId === "number" ? [numbered.replace("#", `${nameOrId}`)] : [before, nameOrId, after];
}
