/** A word, a quoted text, or a group between parentheses or between CASE and END. */
interface Item {
  readonly text: string;
  readonly isSpaced: boolean;
  readonly inside?: readonly Item[] | undefined;
}

const WIDTH = 110;
/** Groups up to this length are not broken, however long their line is. */
const SHORT_GROUP = 60;

const CLAUSES: ReadonlySet<string> = new Set([
  ...["WITH", "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "LIMIT", "UNION", "CROSS", "LEFT", "JOIN"],
  ...["INSERT", "UPDATE", "DELETE", "SET", "RETURNING", "WHEN", "ELSE"],
]);

/** The end of a group by its start. */
const GROUPS: ReadonlyMap<string, string> = new Map([["(", ")"], ["CASE", "END"]]);

/**
 * Lays out an SQL text by its words alone, not by the line breaks of the source. Each clause has its own line.
 * Clauses that are too long are broken at commas and conditions, then at parentheses.
 */
export function layOut(sql: string): string {
  const tokens = sql.trim().matchAll(/(\s*)('(?:[^']|'')*'|[(),]|[^\s(),']+)/g);
  return block(readItems(tokens, ""), "").join("\n") + "\n";
}

function readItems(tokens: IterableIterator<RegExpExecArray>, end: string): Item[] {
  const items: Item[] = [];
  let follows = "(";
  for (let next = tokens.next(); next.done !== true; next = tokens.next()) {
    const [, space, text = ""] = next.value;
    if (text === end) return items;
    // Spaces of the source count only between words: `count(*)`, `rights & :rights`.
    const isSpaced = follows === "," || (space !== "" && follows !== "(" && text !== ",");
    const closing = GROUPS.get(text);
    items.push({ text, isSpaced, ...closing !== undefined && { inside: readItems(tokens, closing) } });
    follows = closing ?? text;
  }
  return items;
}

function flat(items: readonly Item[]): string {
  return items.map((item, i) => (item.isSpaced && i > 0 ? " " : "") + flatItem(item)).join("");
}

function flatItem({ text, inside }: Item): string {
  if (inside === undefined) return text;
  return text === "(" ? `(${flat(inside)})` : `CASE ${flat(inside)} END`;
}

/** The lines of a group: one for each clause that fits, otherwise one for each part of the clause. */
function block(items: readonly Item[], indent: string): string[] {
  return splitAtClauses(items).flatMap((clause) => {
    if (fits(clause, indent)) return [indent + flat(clause)];
    const first = clause[0]?.text ?? "";
    const deeper = CLAUSES.has(first) && first !== "WITH" ? `${indent}  ` : indent;
    return splitAtConditions(clause).flatMap((part, i) => lay(part, i === 0 ? indent : deeper));
  });
}

function splitAtClauses(items: readonly Item[]): Item[][] {
  return split(items, ({ text }, before) => {
    return CLAUSES.has(text) && !(text === "JOIN" && CLAUSES.has(before)) && before !== "DO";
  });
}

/** Splits after commas and before AND and OR, except for the AND of a BETWEEN. */
function splitAtConditions(items: readonly Item[]): Item[][] {
  let isRange = false;
  return split(items, ({ text }, before) => {
    if (before === ",") return true;
    if (text === "BETWEEN") isRange = true;
    if (text !== "AND" && text !== "OR") return false;
    const isBound = isRange && text === "AND";
    isRange = isRange && !isBound;
    return !isBound;
  });
}

/** Puts items on one line if they fit, and otherwise their long groups on separate lines. */
function lay(items: readonly Item[], indent: string): string[] {
  if (fits(items, indent)) return [indent + flat(items)];
  const lines: string[] = [];
  let line = indent;
  for (const [i, item] of items.entries()) {
    if (item.isSpaced && i > 0) line += " ";
    if (item.inside === undefined || flatItem(item).length < SHORT_GROUP) line += flatItem(item);
    else {
      const subject = item.text === "CASE" ? item.inside.findIndex(({ text }) => text === "WHEN") : 0;
      const opening = [{ ...item, inside: undefined }, ...item.inside.slice(0, subject)];
      lines.push(line + flat(opening), ...block(item.inside.slice(subject), `${indent}  `));
      line = indent + (item.text === "(" ? ")" : "END");
    }
  }
  return [...lines, line];
}

function fits(items: readonly Item[], indent: string): boolean {
  return indent.length + flat(items).length <= WIDTH;
}

/** Splits before each item for which `begins` is true, given the text of the item before it. */
function split(items: readonly Item[], begins: (item: Item, before: string) => boolean): Item[][] {
  const parts: Item[][] = [];
  for (const [i, item] of items.entries()) {
    if (i === 0 || begins(item, items[i - 1]?.text ?? "")) parts.push([]);
    parts.at(-1)?.push(item);
  }
  return parts;
}
