import { type CommandLine, parseCommandLine } from "../../scripts/lib/command_line.ts";
import { print } from "../../scripts/lib/output.ts";
import { runTask, TaskError } from "../../scripts/lib/run_task.ts";
import { keepOnDisk } from "../../tests/helpers/server_dir.ts";
import type { Attack } from "../stall/attack.ts";
import { ATTACKS } from "../stall/attacks.ts";
import { describeMix } from "./mix.ts";
import { describeMachine, formatLongRun, formatSample, formatStep } from "./report.ts";
import { type LoadOptions, type LoadReport, runLoad } from "./run_load.ts";

const COMMAND = {
  name: "load",
  summary:
    `Starts the service on a new database, which is deleted afterwards, and puts it under the load of many clients
with their own accounts, workspaces and devices, below a generated hierarchy. Prints requests per second, times,
errors and memory for each number of connections. Ends with status 1 if there was an error, or memory kept growing.

The requests: ${describeMix()}.
To stay within the service's limits, each client has its own address (as behind a proxy) and invites with many
accounts, and the telemetry rate limit is raised.`,
  options: {
    database: { type: "string", placeholder: "KIND", description: "file or sqld", default: "file" },
    connections: {
      type: "string",
      placeholder: "N,N,…",
      description: "Connections of each step, with one client per connection",
      default: "1,4,16,64,256",
    },
    seconds: { type: "string", placeholder: "N", description: "Length of a step", default: "15" },
    minutes: {
      type: "string",
      placeholder: "N",
      description: "Continue for N minutes, and sample the memory",
      default: "0",
    },
    requests: {
      type: "string",
      placeholder: "N",
      description: "The same with N requests, instead of --minutes",
      default: "0",
    },
    levels: {
      type: "string",
      placeholder: "N",
      description: "Levels of the hierarchy, ten children per role: 4 give 11,110 roles",
      default: "4",
    },
    attacks: {
      type: "string",
      placeholder: "NAME;…",
      description:
        "Beside the long run, attack the service in the ways of bench/stall whose names contain these",
      default: "",
    },
    json: { type: "boolean", description: "Print one JSON document" },
  },
} as const;

type Values = CommandLine<typeof COMMAND.options>["values"];

async function putUnderLoad(): Promise<number> {
  const { values } = parseCommandLine(COMMAND);
  const options = readOptions(values);
  // In a memory file system, a commit of the server would cost nothing.
  keepOnDisk();
  const machine = describeMachine();
  if (!values.json) print(`${machine}\n${values.database}`);
  const report = await runLoad(values.json ? options : { ...options, ...printing() });
  if (values.json) print(JSON.stringify({ machine, database: values.database, ...report }, null, 2));
  else for (const line of formatEnd(report)) print(line);
  return hasErrors(report) ? 1 : 0;
}

/** Prints figures as they come, so that the log of a long run shows its progress. */
function printing(): Pick<LoadOptions, "onStep" | "onSample"> {
  return {
    onStep(step): void {
      for (const line of formatStep(step)) print(line);
    },
    onSample(sample, done): void {
      if (done === 0) print("\nMemory in the long run");
      print(formatSample(sample, done));
    },
  };
}

function formatEnd({ roles, residentMiB, longRun, exitCode }: LoadReport): string[] {
  return [
    ...(longRun === undefined ? [] : formatLongRun(longRun)),
    "",
    `${roles} roles; memory before the first request ${residentMiB.toFixed(0)} MiB; ` +
    `the service ended with status ${exitCode}`,
  ];
}

function hasErrors({ steps, longRun, exitCode }: LoadReport): boolean {
  const results = longRun === undefined ? steps : [...steps, longRun];
  if (longRun?.memory.isFlat === false) return true;
  return exitCode !== 0 || results.some(({ failures }) => failures.length > 0);
}

function readOptions(values: Values): LoadOptions {
  if (values.database !== "file" && values.database !== "sqld") {
    throw new TaskError(`load: --database is file or sqld, not "${values.database}"`);
  }
  return {
    kind: values.database === "file" ? "file" : "remote",
    connections: values.connections.split(",").map((text) => readNumber("connections", text, 1)),
    secondsOfStep: readNumber("seconds", values.seconds, 1),
    long: values.requests === "0"
      ? { seconds: 60 * readNumber("minutes", values.minutes, 0) }
      : { requests: readNumber("requests", values.requests, 0) },
    levels: readNumber("levels", values.levels, 2),
    attacks: findAttacks(values.attacks.split(";").filter((part) => part !== "")),
  };
}

function findAttacks(parts: readonly string[]): Attack[] {
  return parts.map((part) => {
    const attack = ATTACKS.find(({ name }) => name.includes(part));
    if (attack === undefined) throw new TaskError(`load: no attack has "${part}" in its name`);
    return attack;
  });
}

function readNumber(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= least) return number;
  throw new TaskError(`load: --${name} needs whole numbers of at least ${least}, not "${text}"`);
}

if (import.meta.main) await runTask(putUnderLoad);
