import { cpus, totalmem } from "node:os";
import { parseCommandLine } from "../scripts/lib/command_line.ts";
import { keepOnDisk } from "../tests/helpers/server_dir.ts";
import { type AgainstOptions, compareWith } from "./against.ts";
import { type Benchmark, type BenchmarkResult, formatFigure, reachesGoal } from "./benchmark.ts";
import { ENUMERATION_BENCH } from "./enumeration_bench.ts";
import { FLEET_BENCH } from "./fleet_bench.ts";
import { FOREIGN_HASH_BENCH } from "./foreign_hash_bench.ts";
import { GROUP_COMMIT_BENCH } from "./group_commit_bench.ts";
import { HTTP_FLOOR_BENCH } from "./http_floor_bench.ts";
import { IMPORT_BENCH } from "./import_bench.ts";
import { INSIGHT_BENCH } from "./insight_bench.ts";
import { INSTANCES_BENCH } from "./instances_bench.ts";
import { LISTING_BENCH } from "./listing_bench.ts";
import { LOGIN_BENCH } from "./login_bench.ts";
import { MEMORY_GROWTH_BENCH } from "./memory_growth_bench.ts";
import { MEMORY_BENCH } from "./memory_bench.ts";
import { METRICS_BENCH } from "./metrics_bench.ts";
import { RELATION_CHANGE_BENCH } from "./relation_change_bench.ts";
import { REMOTE_DELAY_BENCH } from "./remote_delay_bench.ts";
import { RESTORE_BENCH } from "./restore_bench.ts";
import { RIGHTS_CHECK_BENCH } from "./rights_check_bench.ts";
import { ROUND_TRIPS_BENCH } from "./round_trips_bench.ts";
import { SEARCH_BENCH } from "./search_bench.ts";
import { SERVER_COST_BENCH } from "./server_cost_bench.ts";
import { SHAPES_BENCH } from "./shapes_bench.ts";
import { STALL_BENCH } from "./stall_bench.ts";
import { START_BENCH } from "./start_bench.ts";
import { TELEMETRY_BENCH } from "./telemetry_bench.ts";

const BENCHMARKS: readonly Benchmark[] = [
  RELATION_CHANGE_BENCH,
  HTTP_FLOOR_BENCH,
  METRICS_BENCH,
  RIGHTS_CHECK_BENCH,
  SHAPES_BENCH,
  ROUND_TRIPS_BENCH,
  REMOTE_DELAY_BENCH,
  SERVER_COST_BENCH,
  INSTANCES_BENCH,
  LOGIN_BENCH,
  ENUMERATION_BENCH,
  FOREIGN_HASH_BENCH,
  START_BENCH,
  LISTING_BENCH,
  INSIGHT_BENCH,
  SEARCH_BENCH,
  RESTORE_BENCH,
  STALL_BENCH,
  GROUP_COMMIT_BENCH,
  TELEMETRY_BENCH,
  FLEET_BENCH,
  MEMORY_BENCH,
  MEMORY_GROWTH_BENCH,
  IMPORT_BENCH,
];

const SUMMARY =
  `Measures the service, and says which goals it reaches. Every comparison is of two sides measured in
turn in the same run, so that it holds on a busy machine too; times alone mean little there. Changes of a leaf need a
machine with a processor to spare: else both sides wait for their turn, mostly 4 ms, and their ratio tends to 1.

${BENCHMARKS.map(({ name, summary }) => `  ${name.padEnd(16)} ${summary}`).join("\n")}`;

interface Report {
  readonly machine: string;
  readonly benchmarks: readonly { readonly name: string; readonly results: readonly BenchmarkResult[] }[];
}

/** Runs the benchmarks. Returns the process's exit code: a missed goal is a result, not a failure. */
async function runBench(): Promise<number> {
  const { values } = parseCommandLine({
    name: "bench",
    summary: SUMMARY,
    options: {
      only: {
        type: "string",
        placeholder: "NAME",
        description: "Run only this benchmark; with --against, only the requests whose name contains this",
      },
      largest: {
        type: "string",
        placeholder: "N",
        description:
          "Of shapes and rights-check: leave out the sizes of more roles than that. A million takes " +
          "two minutes of processor time a shape and 0.7 GB of disk, 100000 two minutes for all shapes",
        default: "1000000",
      },
      against: {
        type: "string",
        placeholder: "COMMIT",
        description: "Compare the working copy with an earlier commit instead, by requests to both in turn",
      },
      connections: {
        type: "string",
        placeholder: "N,N",
        description: "With --against: numbers of connections (default: 16)",
      },
      server: { type: "boolean", description: "With --against: on a database server instead of a file" },
      delay: {
        type: "string",
        placeholder: "MS",
        description: "With --server: how much longer a round trip takes than on this machine (default: 0)",
      },
      short: {
        type: "boolean",
        description:
          "With --against: only a check, in a minute; exits with status 3 if it takes 1.15 of the " +
          "processor three times in a row",
      },
      json: { type: "boolean", description: "Print one JSON document" },
    },
  });
  keepOnDisk();
  if (values.against !== undefined) {
    const connections = (values.connections ?? "16").split(",").map(Number);
    if (!connections.every((count) => Number.isSafeInteger(count) && count > 0)) {
      printError("bench: --connections needs whole numbers of at least 1, separated by commas");
      return 2;
    }
    const { against: commit, only = "", server = false, short: isShort = false } = values;
    const delayMs = Number(values.delay ?? 0);
    if (!(delayMs >= 0) || delayMs > 0 && !server) {
      printError("bench: --delay needs a number of milliseconds, and --server");
      return 2;
    }
    return await runAgainst({
      commit,
      only,
      kind: server ? "server" : "file",
      delayMs,
      connections,
      isShort,
    });
  }
  if (values.connections !== undefined || values.server || values.short || values.delay !== undefined) {
    printError("bench: --connections, --server, --delay and --short belong to --against");
    return 2;
  }
  const chosen = BENCHMARKS.filter(({ name }) => values.only === undefined || values.only === name);
  if (chosen.length === 0) {
    printError(`bench: there is no benchmark "${values.only}". Try: deno task bench --help`);
    return 2;
  }
  const largest = Number(values.largest);
  if (!Number.isSafeInteger(largest) || largest < 1) {
    printError("bench: --largest needs a positive whole number of roles");
    return 2;
  }
  const machine = describeMachine();
  if (!values.json) print(machine);
  const benchmarks: { name: string; results: BenchmarkResult[] }[] = [];
  for (const { name, run } of chosen) {
    printError(`${name}: load of the machine ${Deno.loadavg()[0]?.toFixed(1)}`);
    const results = await run((text) => printError(`${name}: ${text} …`), { largest });
    benchmarks.push({ name, results });
    if (!values.json) printResults(name, results);
  }
  const report: Report = { machine, benchmarks };
  if (values.json) print(JSON.stringify(report, null, 2));
  return 0;
}

/** A ratio of processor time that a short comparison takes for a loss of speed, if it comes back each time. */
const LOSS = 1.15;
const TRIES = 3;
/** The exit code of such a loss. */
const SLOWER = 3;

async function runAgainst(options: Omit<AgainstOptions, "note">): Promise<number> {
  print(describeMachine());
  for (let n = 1;; n++) {
    const results = await compareWith({ ...options, note: (text) => printError(`against: ${text} …`) });
    printResults(`against ${options.commit}`, results);
    const processor = results[0]?.figures[0]?.value ?? NaN;
    if (!options.isShort || Number.isNaN(processor) || processor < LOSS) return 0;
    if (n === TRIES) {
      printError(`bench: a check takes ${processor.toFixed(2)} of the processor time at ${options.commit}`);
      return SLOWER;
    }
  }
}

function describeMachine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() || "unknown processor";
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const { os, arch } = Deno.build;
  return `${processors.length} x ${model}, ${gigabytes} GB, ${os} ${arch}, Deno ${Deno.version.deno}`;
}

function printResults(name: string, results: readonly BenchmarkResult[]): void {
  const missed = results.flatMap(({ figures }) => figures).filter((figure) => reachesGoal(figure) === false);
  print(`\n${name}${missed.length === 0 ? "" : `: ${missed.length} goals not reached`}`);
  for (const { input, figures } of results) {
    print(`\n ${input}`);
    const width = Math.max(...figures.map((figure) => figure.name.length));
    for (const figure of figures) print(formatFigure(figure, width));
  }
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function printError(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) Deno.exit(await runBench());
