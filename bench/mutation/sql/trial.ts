import { type Mutant, prepare } from "./mutants.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Attempt, Attempted } from "./preload.ts";
import type { ProjectCopy } from "./project_copy.ts";
import { rankTests, type Use } from "./uses.ts";

/** What became of a mutant. `unclear`: a test failed, but not for certain because of the mutant; see `Attempted`. */
export type Verdict = "caught" | "survived" | "invalid" | "same program" | "unused" | "unclear";

export interface Trial {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** The test that caught it, or how many did not. */
  readonly detail: string;
}

/** Where mutants are tried. */
export interface Bench {
  readonly copy: ProjectCopy;
  readonly schema: DatabaseSync;
  readonly uses: readonly Use[];
  /** At most this many tests are run on a mutant. */
  readonly mostTests: number;
  /** How many files of tests run at the same time. */
  readonly jobs: number;
  /** What each file of tests did so far. A file that caught many mutants is tried early on the others. */
  readonly records: Map<string, FileRecord>;
}

interface FileRecord {
  readonly caught: number;
  readonly ms: number;
}

/** What a file that was not tried yet is taken for: rather better than one that caught none. */
const UNTRIED: FileRecord = { caught: 0.1, ms: 1000 };

/** A mutant that no test has caught so far. */
interface Waiting {
  readonly mutant: Mutant;
  readonly texts: ReadonlyMap<string, string>;
  /** Tests to run, by file; likely ones first. */
  readonly left: [file: string, tests: readonly string[]][];
  readonly tests: number;
}

/**
 * Tries mutants and reports each one. Loading a file of tests takes longer than most tests, so each is loaded once for
 * all mutants whose next tests are in it.
 */
export async function tryMutants(
  bench: Bench,
  mutants: readonly Mutant[],
  report: (trial: Trial) => void,
): Promise<void> {
  let waiting = mutants.flatMap((mutant) => {
    const { kind, texts } = prepare(mutant, bench.schema);
    const ranked = rankTests(bench.uses, mutant).slice(0, bench.mostTests);
    const verdict = kind !== "different" ? kind : ranked.length === 0 ? "unused" : undefined;
    if (verdict !== undefined) report({ mutant, verdict, detail: "" });
    if (verdict !== undefined) return [];
    const left = [...Map.groupBy(ranked, ({ file }) => file)]
      .map(([file, uses]): Waiting["left"][number] => [file, uses.map(({ test }) => test)]);
    return [{ mutant, texts, left, tests: ranked.length }];
  });
  while (waiting.length > 0) {
    const groups = Map.groupBy(waiting, ({ left }) => left[0]?.[0] ?? "").entries();
    const alive: Waiting[] = [];
    const work = async (): Promise<void> => {
      for (const [file, group] of groups) alive.push(...await tryFile(bench, file, group, report));
    };
    await Promise.all(Array.from({ length: bench.jobs }, work));
    const worthOf = (file: string): number => {
      const { caught, ms } = bench.records.get(file) ?? UNTRIED;
      return caught / ms;
    };
    waiting = alive.map((mutant) => ({
      ...mutant,
      left: mutant.left.toSorted(([a], [b]) => worthOf(b) - worthOf(a)),
    }));
  }
}

/** Runs each mutant's tests of a file, and keeps its record. Returns the mutants that have more tests in other files. */
async function tryFile(
  { copy, records }: Bench,
  file: string,
  group: readonly Waiting[],
  report: (trial: Trial) => void,
): Promise<Waiting[]> {
  const alive: Waiting[] = [];
  const attempts = group.map(({ texts, left }): Attempt => {
    return { texts: Object.fromEntries(texts), tests: left[0]?.[1] ?? [] };
  });
  const startedAt = performance.now();
  const outcomes = await runAttempts(copy, file, attempts);
  const { caught, ms } = records.get(file) ?? UNTRIED;
  records.set(file, {
    caught: caught +
      outcomes.filter(({ failed, unclear }) => failed !== undefined && unclear === undefined).length,
    ms: ms + performance.now() - startedAt,
  });
  for (const [i, { mutant, texts, left: [, ...left], tests }] of group.entries()) {
    const { failed, unclear } = outcomes[i] ?? {};
    if (unclear !== undefined) report({ mutant, verdict: "unclear", detail: `${unclear}: ${failed}` });
    else if (failed !== undefined) report({ mutant, verdict: "caught", detail: failed });
    else if (left.length > 0) alive.push({ mutant, texts, left, tests });
    else report({ mutant, verdict: "survived", detail: `${tests} of its tests pass` });
  }
  return alive;
}

async function runAttempts(
  copy: ProjectCopy,
  file: string,
  attempts: readonly Attempt[],
): Promise<Attempted[]> {
  const run = (attempts: readonly Attempt[]): Promise<Attempted[]> =>
    copy.runTests<Attempted>([file], (output) => ({ kind: "try", output, attempts }));
  const outcomes: Attempted[] = [];
  while (outcomes.length < attempts.length) {
    const written = await run(attempts.slice(outcomes.length));
    // What is wrong after a mutant that spoils what tests share, or never ends, is right in a process of its own.
    const { failed = "", unclear } = written.at(-1) ?? {};
    if (unclear === "fails always" || unclear === "late") {
      const [right] = await run([{ texts: {}, tests: [failed] }]);
      if (right !== undefined && right.failed === undefined) written[written.length - 1] = { failed };
    }
    outcomes.push(...written.length > 0 ? written : [{ failed: file, unclear: "no end" } as const]);
  }
  return outcomes;
}
