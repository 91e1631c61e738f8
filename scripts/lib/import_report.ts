import { basename } from "node:path";
import type { ImportReport } from "../../src/transfer/roles/import_roles.ts";
import type { AppliedImport } from "../../src/transfer/apply.ts";
import type { Missing, RemovalKind } from "../../src/transfer/missing.ts";
import type { ImportPlan } from "../../src/transfer/plan.ts";
import { TABLE_KINDS } from "../../src/transfer/table_header.ts";
import { print, printError, toPlainText } from "./output.ts";
import type { FileProblem, TableFiles } from "./table_files.ts";

/** What an import tells its operator. */

const MAX_LISTED = 100;
const MAX_ROOTS_LISTED = 5;

/** Lists problems in the order of the files. Their lines are enough if there is one file. */
export function printProblems(problems: readonly FileProblem[], paths: readonly string[]): number {
  const inOrder = problems.toSorted((a, b) =>
    paths.indexOf(a.path) - paths.indexOf(b.path) || a.line - b.line
  );
  for (const { path, line, message } of inOrder.slice(0, MAX_LISTED)) {
    printError(`${paths.length > 1 ? `${basename(path)}: ` : ""}Line ${line}: ${message}`);
  }
  const more = problems.length - MAX_LISTED;
  if (more > 0) printError(`… and ${more} more`);
  printError(`${count(problems.length, "problem")}. Nothing was imported.`);
  return 1;
}

export function describeRoles(
  { roles, relations, closureRows }: Pick<ImportReport, "roles" | "relations" | "closureRows">,
  underId: number | undefined,
): string {
  const place = underId === undefined ? "" : ` under role ${underId}`;
  return `${count(roles, "role")}, ${count(relations, "relation")}, ` +
    `${count(closureRows, "row")} of the rights table${place}`;
}

export function printRoles({ roles }: AppliedImport, plan: ImportPlan): void {
  if (roles === undefined) return;
  const [first, last] = roles.ids.reduce(
    ([least, most], id) => [Math.min(least, id), Math.max(most, id)],
    [Infinity, 0],
  );
  const ids = last - first < roles.roles ? `${first} to ${last}` : `among ${first} to ${last}`;
  print(`Imported ${describeRoles(roles, plan.underId)}. Their ids: ${ids}.`);
  if (plan.underId === undefined) printRoots(plan, roles.ids);
}

export function printCounts({ paths, tables: { unreadHashes } }: TableFiles, { counts }: ImportPlan): void {
  for (const kind of TABLE_KINDS) {
    const path = paths.get(kind);
    if (path === undefined) continue;
    const { added, changed, unchanged } = counts[kind];
    if (kind === "roles" && paths.size === 1 && changed + unchanged === 0) continue;
    print(`${basename(path)}: ${added} new, ${changed} changed, ${unchanged} unchanged`);
  }
  if (unreadHashes.length > 0) {
    const lines = unreadHashes.slice(0, MAX_LISTED).join(", ");
    const more = unreadHashes.length > MAX_LISTED ? ", …" : "";
    print(`${count(unreadHashes.length, "password hash", "es")} left out, in lines: ${lines}${more}`);
  }
}

/** Names new roots without a member. */
function printRoots({ graph, members }: ImportPlan, ids: readonly number[]): void {
  const kept = new Set(members.flatMap(({ role }) => "position" in role ? [role.position] : []));
  const roots = graph.rows.flatMap(({ name, topRights }, i) => {
    return topRights === undefined || kept.has(i + 1) ? [] : { name: toPlainText(name), id: ids[i] ?? 0 };
  });
  for (const { name, id } of roots.slice(0, MAX_ROOTS_LISTED)) {
    print(`Root role "${name}" (id ${id}) has no member yet.`);
  }
  if (roots.length > MAX_ROOTS_LISTED) print(`… and ${roots.length - MAX_ROOTS_LISTED} more roots`);
  if (roots.length > 0) {
    print(`"deno task bootstrap --role NAME --email ADDRESS" gives a root its first member.`);
  }
}

const TITLES: Readonly<Record<RemovalKind, string>> = {
  "membership": "Memberships to delete",
  "ended place": "Devices that a role no longer monitors from now on; it keeps what they measured",
  "deleted place": "Devices to delete from roles, and into the trash with their last role",
  "relation": "Relations to delete",
  "role": "Roles to delete, with their members and keys",
};

/** Lists what an import would delete, by kind, and says how to confirm it. */
export function printMissing({ removals, tag }: Missing): void {
  if (removals.length === 0) print("Nothing is missing from the files.");
  for (const [kind, ofKind] of Map.groupBy(removals, ({ kind }) => kind)) {
    // A role has a removal for each relation that enters it.
    const texts = [...new Set(ofKind.map(({ text }) => text))];
    print(`${TITLES[kind]}: ${texts.length}`);
    for (const text of texts.slice(0, MAX_LISTED)) print(`  ${toPlainText(text)}`);
    if (texts.length > MAX_LISTED) print(`  … and ${texts.length - MAX_LISTED} more`);
  }
  print(`To import the files and delete this, add: --effect ${tag}`);
}

/** Returns a number with its noun. */
export function count(n: number, noun: string, plural = "s"): string {
  return `${n} ${noun}${n === 1 ? "" : plural}`;
}
