import { formatTable, print } from "../../scripts/lib/output.ts";
import { quantile } from "../statistics.ts";
import type { BuiltHierarchy } from "./hierarchy_builder.ts";
import type { ImportRun } from "./import_run.ts";
import type { Checked } from "./random_checks.ts";
import type { PlacedSynset } from "./synsets.ts";

const MAX_LISTED = 20;

type Times = ReadonlyMap<string, readonly number[]>;

export interface BuildRun {
  readonly built: BuiltHierarchy;
  readonly seconds: number;
  readonly times: Times;
  readonly checked: Checked;
  /** The output of `closure:verify`. */
  readonly verified: string;
}

/** Prints the results of building the hierarchy over HTTP. */
export function reportBuild(synsets: readonly PlacedSynset[], run: BuildRun): void {
  const { built, seconds, times, checked, verified } = run;
  const requests = built.relations + built.refused;
  print(`${describeRoles(synsets)}, ${built.rolesWithSeveralParents} with several parents`);
  print(`${built.relations} relations; ${built.refused} refused because they would close a cycle`);
  print(`Built in ${seconds.toFixed(1)} s: ${Math.round(requests / seconds)} requests per second`);
  print(describeChecks(checked));
  printWrong(checked.wrong);
  print(`Rights table: ${verified}\n`);
  printTimes(times);
}

/** Prints the results of importing, querying and changing the hierarchy. */
export function reportImport(synsets: readonly PlacedSynset[], run: ImportRun): void {
  const { planned, imported, queries, checked, changes, wrong, verified: [before, after] } = run;
  print(`${describeRoles(synsets)}, ${planned.rolesWithSeveralParents} with several parents`);
  print(`${imported.relations} relations; ${planned.cycles} left out because they would close a cycle`);
  print(`Imported in ${imported.seconds.toFixed(1)} s: ${imported.closureRows} rows of the rights table`);
  print(`Rights table after the import: ${before.output}`);
  print(`${queries} queries for roles, two of them for all roles; ${describeChecks(checked)}`);
  for (const line of formatTable([["Change", "Status", "Times"], ...countChanges(run)])) print(line);
  print(`${changes.length} changes. Wrong results in total: ${wrong.length}`);
  printWrong(wrong);
  print(`Rights table at the end: ${after.output}\n`);
  printTimes(run.times);
}

function countChanges({ changes }: ImportRun): string[][] {
  const counts = new Map<string, number>();
  for (const { kind, status } of changes) {
    const key = `${kind}|${status}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].toSorted().map(([key, count]) => [...key.split("|"), String(count)]);
}

function describeRoles(synsets: readonly PlacedSynset[]): string {
  return `${synsets.length} roles down to depth ${synsets.at(-1)?.depth}`;
}

function describeChecks({ count, allowed, wrong }: Checked): string {
  return `Checked ${count} rights, ${allowed} of them held: ${wrong.length} wrong results`;
}

function printWrong(wrong: readonly string[]): void {
  for (const line of wrong.slice(0, MAX_LISTED)) print(`  ${line}`);
  if (wrong.length > MAX_LISTED) print(`  … and ${wrong.length - MAX_LISTED} more`);
}

function printTimes(times: Times): void {
  const rows = Array.from(times, ([kind, list]) => {
    const sorted = list.toSorted((a, b) => a - b);
    const quantiles = [0.5, 0.99].map((part) => `${quantile(sorted, part).toFixed(2)} ms`);
    return [kind, String(list.length), ...quantiles];
  });
  for (const line of formatTable([["Request", "Times", "p50", "p99"], ...rows])) print(line);
}
