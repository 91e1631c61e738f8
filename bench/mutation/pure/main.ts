import { parseCommandLine } from "../../../scripts/lib/command_line.ts";
import { print, printError } from "../../../scripts/lib/output.ts";
import { progress } from "../../../scripts/lib/progress.ts";
import { report } from "./report.ts";
import { type Mutant, MutationError, tryMutants } from "./stryker.ts";
import { type Target, TARGETS } from "./targets.ts";

const COMMAND = {
  name: "mutate",
  summary:
    `Changes the modules that compute without a database, one small change (mutant) at a time, and runs their unit tests
on each: a mutant that no test notices has survived. Prints the score of each module and every survivor. Ends with
status 1 if one survived without a reason under bench/mutation/pure/accepted/. All modules take nine minutes on two cores.`,
  options: {
    only: {
      type: "string",
      placeholder: "MODULE",
      description: "Only this module (role/rights), or those of an area (role)",
    },
  },
} as const;

async function runMutants(): Promise<number> {
  const { only } = parseCommandLine(COMMAND).values;
  const targets = TARGETS.filter(({ name }) => {
    return only === undefined || name === only || name.startsWith(`${only}/`);
  });
  if (targets.length === 0) {
    const names = TARGETS.map(({ name }) => name).join(", ");
    printError(`mutate: --only names no module that is mutated; these are: ${names}`);
    return 2;
  }
  const startedAt = performance.now();
  let mutants: Mutant[];
  try {
    mutants = await tryAll(targets);
  } catch (error) {
    if (!(error instanceof MutationError)) throw error;
    printError(`mutate: ${error.message}`);
    return 1;
  }
  const isClean = report(targets, mutants);
  print(`\n${mutants.length} mutants in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return isClean ? 0 : 1;
}

async function tryAll(targets: readonly Target[]): Promise<Mutant[]> {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_mutate_" });
  const bar = progress(targets.length);
  try {
    const mutants: Mutant[] = [];
    for (const target of targets) {
      mutants.push(...await tryMutants(target, directory));
      bar.advance();
    }
    return mutants;
  } finally {
    bar.finish();
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await runMutants());
