import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { NamedStatement } from "../../../tests/db/query_plans.ts";
import { programOf } from "../../../tests/db/statements.ts";
import { type Condition, findConditions, leaveOut } from "./conditions.ts";

/** A condition that is left out wherever a module's statements have it. */
export interface Mutant {
  readonly module: string;
  /** The condition and what replaces it. It is shortened, with a mark that tells it from others. */
  readonly name: string;
  /** The whole condition. */
  readonly condition: string;
  /** The names of the statements that have it. */
  readonly statements: readonly string[];
  /** Wrong texts by right ones. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A mutant's texts that do something else than the right ones; none, if it is invalid or makes no difference. */
export interface Prepared {
  readonly kind: "different" | "same program" | "invalid";
  readonly texts: ReadonlyMap<string, string>;
}

/** Longer names of conditions are shortened. In characters. */
const LONGEST_NAME = 200;

/** Finds all mutants, by module and then in the order of the statements. A text that has several names has the first. */
export function findMutants(statements: readonly NamedStatement[]): Mutant[] {
  const mutants = new Map<string, { mutant: Omit<Mutant, "texts">; texts: Map<string, string> }>();
  for (const [sql, name] of namesByText(statements)) {
    const [module = ""] = name.split(" ");
    for (const [mutation, conditions] of Map.groupBy(findConditions(sql), nameMutation)) {
      const key = `${module} ${mutation}`;
      const condition = conditions[0]?.text ?? "";
      const { mutant, texts } = mutants.get(key) ??
        { mutant: { module, name: mutation, condition, statements: [] }, texts: new Map() };
      mutants.set(key, {
        mutant: { ...mutant, statements: [...mutant.statements, name] },
        texts: texts.set(sql, leaveOut(sql, conditions)),
      });
    }
  }
  return mutants.values().map(({ mutant, texts }) => ({ ...mutant, texts })).toArray();
}

/** The first name of each text, in the order of names. */
export function namesByText(statements: readonly NamedStatement[]): Map<string, string> {
  const names = new Map<string, string>();
  const byName = statements.toSorted((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, statement: { sql } } of byName) if (!names.has(sql)) names.set(sql, name);
  return names;
}

function nameMutation({ text, left }: Condition): string {
  const mark = createHash("sha1").update(text).digest("hex").slice(0, 6);
  const shown = text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME - 10)}… #${mark}`;
  const instead = left.replaceAll(/\s+/g, " ");
  return `${shown} → ${instead.length <= LONGEST_NAME ? instead : `${instead.slice(0, LONGEST_NAME)}…`}`;
}

/** Compiles a mutant's texts, and keeps those that compile to another program than the right ones. */
export function prepare({ texts }: Mutant, schema: DatabaseSync): Prepared {
  const different = new Map<string, string>();
  let isInvalid = false;
  for (const [right, wrong] of texts) {
    try {
      if (`${programOf(schema, right)}` !== `${programOf(schema, wrong)}`) different.set(right, wrong);
    } catch {
      isInvalid = true;
    }
  }
  const kind = different.size > 0 ? "different" : isInvalid ? "invalid" : "same program";
  return { kind, texts: different };
}
