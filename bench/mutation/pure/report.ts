import { formatTable, print } from "../../../scripts/lib/output.ts";
import type { Acceptance } from "./accepted/acceptance.ts";
import { ACCEPTED } from "./accepted.ts";
import type { Mutant } from "./stryker.ts";
import type { Target } from "./targets.ts";

const MAX_SHOWN = 100;

/** Prints the scores and all surviving mutants. Returns whether each of them has a reason. */
export function report(targets: readonly Target[], mutants: readonly Mutant[]): boolean {
  const rows = targets.map((target) => scoreRow(target.source, mutants.filter((m) => m.target === target)));
  const header = [
    "Module",
    "Mutants",
    "Noticed",
    "Of these by time",
    "Score",
    "Survived with a reason",
    "Survived without",
  ];
  for (const line of formatTable([header, ...rows, scoreRow("all", mutants)])) print(line);
  const survivors = mutants.filter(({ outcome }) => outcome === "survived");
  printSurvivors("Survived with a reason", survivors.filter((m) => reasonOf(m) !== undefined));
  const unexplained = survivors.filter((m) => reasonOf(m) === undefined);
  printSurvivors("Survived: add a test, or a reason under accepted/", unexplained);
  const idle = findIdle(targets, survivors);
  if (idle.length > 0) print("\nReasons for mutants that do not survive: delete them");
  for (const line of idle) print(`  ${line}`);
  return unexplained.length === 0 && idle.length === 0;
}

function scoreRow(name: string, mutants: readonly Mutant[]): string[] {
  const survivors = mutants.filter(({ outcome }) => outcome === "survived");
  const explained = survivors.filter((m) => reasonOf(m) !== undefined).length;
  const noticed = mutants.length - survivors.length;
  const score = mutants.length === 0 ? "-" : `${(100 * noticed / mutants.length).toFixed(1)} %`;
  const byTime = mutants.filter(({ outcome }) => outcome === "timed out").length;
  return [name, mutants.length, noticed, byTime, score, explained, survivors.length - explained].map(String);
}

function printSurvivors(title: string, mutants: readonly Mutant[]): void {
  if (mutants.length > 0) print(`\n${title}`);
  for (const mutant of mutants) {
    const reason = reasonOf(mutant);
    print(`  ${mutant.target.source}:${mutant.line}  ${describe(mutant.original, mutant.replacement)}`);
    if (reason !== undefined) print(`    ${reason}`);
  }
}

function describe(original: string, replacement: string): string {
  return `${shorten(original)}  ->  ${shorten(replacement)}`;
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function reasonOf(mutant: Mutant): string | undefined {
  return ACCEPTED.find((acceptance) => acceptance.changes.some((change) => isOf(acceptance, change, mutant)))
    ?.reason;
}

/** The accepted changes that do not survive. */
function findIdle(targets: readonly Target[], survivors: readonly Mutant[]): string[] {
  const ofTargets = ACCEPTED.filter(({ target }) => targets.some(({ name }) => name === target));
  return ofTargets.flatMap((acceptance) => {
    const idle = acceptance.changes.filter((change) => !survivors.some((m) => isOf(acceptance, change, m)));
    return idle.map(([original, replacement]) => `${acceptance.target}: ${describe(original, replacement)}`);
  });
}

function isOf(
  { target, lineText }: Acceptance,
  [original, replacement]: Acceptance["changes"][number],
  mutant: Mutant,
): boolean {
  return target === mutant.target.name && lineText === mutant.lineText && original === mutant.original &&
    replacement === mutant.replacement;
}
