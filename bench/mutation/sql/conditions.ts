/** A place in a statement where one condition can be left out, and what then stands there. */
export interface Condition {
  /**
   * The condition with single spaces, after WHEN if it is that of a branch, or WHERE if nothing is to be written; or a
   * term after ORDER BY or LIMIT.
   */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /**
   * "true" where nothing is asked any more, "false" or "NULL" where a way is closed; what is left of a mask; or the
   * same with another boundary or direction.
   */
  readonly left: string;
}

/** A word, a quoted text, or a group between parentheses or between CASE and END. */
interface Item {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly inside?: readonly Item[];
}

/** The parts of a query that an expression can be in begin with one of these, and so end the one before. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  ...["SELECT", "DISTINCT", "FROM", "JOIN", "LEFT", "CROSS", "ON", "WHERE", "GROUP", "HAVING", "ORDER", "BY"],
  ...["LIMIT", "OFFSET", "UNION", "ALL", "EXCEPT", "VALUES", "SET", "RETURNING", "DO", "AS", "DESC", "OVER"],
  ...["WHEN", "THEN", "ELSE", ",", "INSERT", "UPDATE"],
]);

const WRITES: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE"]);

/** What these begin is a condition, even where it consists of one part. */
const ASKING: ReadonlySet<string> = new Set(["WHERE", "ON", "HAVING"]);

/**
 * Finds the conditions of a statement that can be left out: each operand of an AND or OR, the only condition of a
 * WHERE, ON or HAVING, that of a branch of a CASE, and the first argument of `iif`; each part of a mask, as in
 * `rights & 2`; and all of the last WHERE of a write, without which it writes nothing. Also finds each boundary (`<` for
 * `<=`), each direction of an ORDER BY, and each size of a page (a LIMIT with a plus sign). Throws if a parenthesis or
 * CASE stays open.
 */
export function findConditions(sql: string): Condition[] {
  const tokens = sql.matchAll(/'(?:[^']|'')*'|"[^"]*"|[:\w.$]+|\S/g);
  const found: Condition[] = [];
  const items = readItems(tokens, "");
  search(sql, items, "", found);
  const where = items.some(({ text }) => WRITES.has(text)) &&
    splitAtBeginnings(items).findLast(({ beginning }) => beginning === "WHERE");
  if (where) found.push(conditionOf(sql, where.items, "false", "WHERE "));
  return found.filter(({ text, left }) => text !== left);
}

/** The statement without these conditions, none of which contains another one. */
export function leaveOut(sql: string, conditions: readonly Condition[]): string {
  return [...conditions].sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, left }) => text.slice(0, start) + left + text.slice(end), sql);
}

function readItems(tokens: IterableIterator<RegExpExecArray>, close: string): Item[] {
  const items: Item[] = [];
  for (let next = tokens.next(); next.done !== true; next = tokens.next()) {
    const [[text], start] = [next.value, next.value.index];
    const word = text.toUpperCase();
    if (word === close) return [...items, { text: close, start, end: start + text.length }];
    const closing = word === "(" ? ")" : word === "CASE" ? "END" : undefined;
    const inside = closing === undefined ? undefined : readItems(tokens, closing);
    const end = inside?.at(-1)?.end ?? start + text.length;
    items.push({ text: word, start, end, ...inside !== undefined && { inside: inside.slice(0, -1) } });
  }
  if (close !== "") throw new Error(`A statement has no ${close}`);
  return items;
}

/** Adds the conditions among the items of one group, and those in the groups within. `opening` is before the group. */
function search(sql: string, items: readonly Item[], opening: string, found: Condition[]): void {
  const isSearched = opening !== "CASE" || items[0]?.text === "WHEN";
  for (const [i, { beginning, items: expression }] of splitAtBeginnings(items).entries()) {
    const add = (part: readonly Item[], left: string, prefix?: string): void => {
      found.push(conditionOf(sql, part, left, prefix));
    };
    const alternatives = split(expression, "OR");
    for (const alternative of alternatives) {
      const operands = split(alternative, "AND");
      if (alternatives.length > 1) add(alternative, "false");
      if (operands.length > 1) { for (const operand of operands) add(operand, "true"); }
      else if (alternatives.length === 1 && isQuestion(beginning, operands[0])) add(alternative, "true");
    }
    if (beginning === "WHEN") add(expression, isSearched ? "false" : "NULL", "WHEN ");
    if (opening === "IIF" && i === 0) add(expression, "false", "WHEN ");
    if (beginning === "LIMIT" && expression[0]?.text === "+") add(expression, "-1", "LIMIT ");
  }
  found.push(...masksIn(sql, items), ...boundariesIn(sql, items), ...ordersIn(sql, items));
  for (const [i, { text, inside }] of items.entries()) {
    if (inside !== undefined) search(sql, inside, text === "CASE" ? text : items[i - 1]?.text ?? "", found);
  }
}

function conditionOf(sql: string, part: readonly Item[], left: string, prefix = ""): Condition {
  const [start, end] = [part[0]?.start ?? 0, part.at(-1)?.end ?? 0];
  return { text: prefix + sql.slice(start, end).replaceAll(/\s+/g, " "), start, end, left };
}

/** Each chain of `&` without each of its parts. What `>>` moves is no mask. */
function masksIn(sql: string, items: readonly Item[]): Condition[] {
  const found: Condition[] = [];
  for (let at = 0; at < items.length;) {
    const isMoved = items[at - 1]?.text === ">";
    const parts = [takeOperand(items, at)];
    at += parts[0]?.length ?? 1;
    for (; items[at]?.text === "&"; at += 1 + (parts.at(-1)?.length ?? 0)) {
      parts.push(takeOperand(items, at + 1));
    }
    if (parts.length === 1 || isMoved) continue;
    const texts = parts.map((part) => conditionOf(sql, part, "").text);
    for (const i of parts.keys()) {
      found.push(conditionOf(sql, parts.flat(), texts.filter((_, other) => other !== i).join(" & ")));
    }
  }
  return found;
}

/** Each `<`, `<=`, `>` or `>=` with the value at its boundary, or without it. */
function boundariesIn(sql: string, items: readonly Item[]): Condition[] {
  return splitAtBeginnings(items).flatMap(({ items }) => split(items, "OR")).flatMap((way) =>
    split(way, "AND")
  )
    .flatMap((operand): Condition[] => {
      const at = operand.findIndex(({ text }) => text === "<" || text === ">");
      const [before, sign, after] = [operand[at - 1], operand[at], operand[at + 1]];
      const isOther = before === undefined || "-<>".includes(before.text) ||
        "<>".includes(after?.text ?? "<");
      if (sign === undefined || isOther) return [];
      const { text, start, end } = conditionOf(sql, operand, "");
      const rest = sql.slice(sign.end, end);
      const left = `${sql.slice(start, sign.end)}${after?.text === "=" ? rest.replace("=", "") : `=${rest}`}`;
      return [{ text, start, end, left }];
    });
}

/** Each term of an ORDER BY in the other direction. */
function ordersIn(sql: string, items: readonly Item[]): Condition[] {
  let isOrder = false;
  const parts = splitAtBeginnings(items);
  return parts.flatMap(({ beginning, items: term }, i) => {
    isOrder = beginning === "BY"
      ? parts[i - 1]?.beginning === "ORDER"
      : isOrder && /^(,|DESC)$/.test(beginning);
    if (!isOrder || term.length === 0) return [];
    const { text, start, end } = conditionOf(sql, term, "", "ORDER BY ");
    const isDescending = parts[i + 1]?.beginning === "DESC";
    const descending = /^\s+DESC\b/i.exec(sql.slice(end))?.[0].length ?? 0;
    return [{
      text,
      start,
      end: end + descending,
      left: sql.slice(start, end) + (isDescending ? "" : " DESC"),
    }];
  });
}

/** A word, a call, a group, or what `~` inverts. */
function takeOperand(items: readonly Item[], at: number): readonly Item[] {
  const length = items[at]?.text === "~" ? 2 : 1;
  const [last, next] = [items[at + length - 1], items[at + length]];
  const isCall = next?.inside !== undefined && next.start === last?.end;
  return items.slice(at, at + length + (isCall ? 1 : 0));
}

function isQuestion(beginning: string, [first]: readonly Item[] = []): boolean {
  return ASKING.has(beginning) && first !== undefined && first.text !== "CONFLICT";
}

/** The expressions of a group, each with the word before it. That of a SET is what follows the `=`. */
function splitAtBeginnings(items: readonly Item[]): { beginning: string; items: Item[] }[] {
  const parts: { beginning: string; items: Item[] }[] = [{ beginning: "", items: [] }];
  for (const item of items) {
    const before = parts.at(-1)?.beginning ?? "";
    if (!BEGINNINGS.has(item.text)) parts.at(-1)?.items.push(item);
    else parts.push({ beginning: item.text === "," && before === "SET" ? before : item.text, items: [] });
  }
  return parts.map((part) => part.beginning === "SET" ? { ...part, items: part.items.slice(2) } : part);
}

/** Splits at an operator, but not at the AND of a BETWEEN, nor at the OR of INSERT OR IGNORE. */
function split(items: readonly Item[], operator: "AND" | "OR"): Item[][] {
  const parts: Item[][] = [[]];
  let isRange = false;
  for (const item of items) {
    const isBound: boolean = isRange && item.text === "AND";
    if (item.text === operator && !isBound) parts.push([]);
    else parts.at(-1)?.push(item);
    isRange = item.text === "BETWEEN" || isRange && !isBound;
  }
  return parts.some((part) => part.length === 0) ? [[...items]] : parts;
}
