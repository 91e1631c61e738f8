/**
 * Names the rows of a rendered statement. A mark, `⟦table name#number⟧`, stands where a row is read FROM and before
 * each of its columns. The row gets its name, with a number if that name means another row there. The mark of a table
 * that is read without a name of its own has the number 0.
 */

/** A statement, or parentheses in it. A row that is read here may be named here, and in scopes inside. */
interface Scope {
  readonly outer: Scope | undefined;
  /** The names of its rows, by the numbers of their marks. */
  readonly names: Map<string, string>;
  /** The tables that it reads without a name of their own. */
  readonly tables: Set<string>;
}

function openScope(outer?: Scope): Scope {
  return { outer, names: new Map(), tables: new Set() };
}

/** Constants; parentheses; marks, which a column may follow; and other names that a column follows. */
const TOKENS = /'[^']*'|[()]|⟦((?:\w+ )?)(\w+)#(\d+)⟧(\.?)|(?<![⟧\w])([a-z]\w*)\./g;

export function markRow(table: string, name: string, number: number): string {
  return table === "" ? `⟦${name}#${number}⟧` : `⟦${table} ${name}#${number}⟧`;
}

/** The number in the marks of tables. Rows have others. */
const TABLE = "0";

/** Returns the mark of a table, or of a row of one. */
export function markTable(nameOrMark: string): string {
  return nameOrMark.startsWith("⟦") ? nameOrMark : `⟦${nameOrMark}#${TABLE}⟧`;
}

/**
 * Returns the statement with names for its marks. Throws a `TypeError` for a row or a table that is read in a query
 * inside another one that reads it, and for a row that is named outside of its query or in a constant.
 */
export function nameRows(marked: string): string {
  const whole = openScope();
  const scopes = [whole];
  const scopeAt = new Map<number, Scope>();
  const inText = new Set<string>();
  let scope: Scope | undefined = whole;
  for (const { 0: token, 2: name = "", 3: number, 4: dot, 5: other, index } of marked.matchAll(TOKENS)) {
    if (scope === undefined) break;
    if (token === "(") scopes.push(scope = openScope(scope));
    else if (token === ")") scope = scope.outer;
    else if (token.startsWith("'") && token.includes("⟦")) {
      throw new TypeError(`A constant names a row: ${token}`);
    } else if (other !== undefined) inText.add(other);
    else if (number !== undefined) {
      scopeAt.set(index, scope);
      if (dot !== "") continue;
      if (number === TABLE) scope.tables.add(name);
      else scope.names.set(number, name);
    }
  }
  if (scope !== whole) throw new TypeError("The parentheses of a statement do not match");
  // From the outside in, as they were opened.
  for (const { outer, names, tables } of scopes) {
    const taken = new Set(inText);
    for (let around = outer; around !== undefined; around = around.outer) {
      for (const name of around.names.values()) taken.add(name);
      // Inside, a column would be that of the inner query, also where the outer one is meant.
      const repeated = [...tables.intersection(around.tables)][0] ??
        [...names.keys()].map((number) => around.names.get(number)).find((name) => name !== undefined);
      if (repeated !== undefined) {
        throw new TypeError(`A query reads "${repeated}" of a query around it: make a row of its own`);
      }
    }
    for (const [number, name] of names) names.set(number, takeName(name, taken));
  }
  return marked.replaceAll(TOKENS, (token, table, name, number, dot, _other, index) => {
    if (number === undefined) return token;
    if (number === TABLE) return `${name}${dot}`;
    const given = findName(scopeAt.get(index), number);
    if (given === undefined) throw new TypeError(`A statement names the row "${name}" outside of its query`);
    return dot === "" ? `${table}${given}` : `${given}.`;
  });
}

function findName(scope: Scope | undefined, number: string): string | undefined {
  while (scope !== undefined && !scope.names.has(number)) scope = scope.outer;
  return scope?.names.get(number);
}

/** Returns the name, with a number if it is taken. */
function takeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
  taken.add(free);
  return free;
}
