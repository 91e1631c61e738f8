/** A word, a text in quotes, or what stands between parentheses or between CASE and END. */
interface Item {
  readonly text: string;
  readonly isSpaced: boolean;
  readonly inside?: readonly Item[] | undefined;
}

const WIDTH = 110;
/** A shorter group is not broken, however long its line is. */
const SHORT_GROUP = 60;

const CLAUSES: ReadonlySet<string> = new Set([
  ...["WITH", "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "LIMIT", "UNION", "CROSS", "LEFT", "JOIN"],
  ...["INSERT", "UPDATE", "DELETE", "SET", "RETURNING", "WHEN", "ELSE"],
]);

/** What ends a group, by what begins it. */
const GROUPS: ReadonlyMap<string, string> = new Map([["(", ")"], ["CASE", "END"]]);

/**
 * Lays an SQL text out by its words alone: how the source breaks its lines does not show. Clauses have lines of their own,
 * and what is too long for a line is broken at its commas and conditions, then at its parentheses.
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
    // Whether the source has a space counts between words alone: `count(*)`, `rights & :rights`.
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

/** The lines of a group: one for each clause that fits, and else for each of its parts. */
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

/** Splits after commas and before AND and OR, but for the AND of a BETWEEN. */
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

/** Items that stand on one line if they fit, and else with their long groups on lines between. */
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

/** Cuts before each item that begins a part, given the text of the item before it. */
function split(items: readonly Item[], begins: (item: Item, before: string) => boolean): Item[][] {
  const parts: Item[][] = [];
  for (const [i, item] of items.entries()) {
    if (i === 0 || begins(item, items[i - 1]?.text ?? "")) parts.push([]);
    parts.at(-1)?.push(item);
  }
  return parts;
}
