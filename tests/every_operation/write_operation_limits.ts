import { print } from "../../scripts/lib/output.ts";
import type { StatedLimits } from "../../scripts/lib/stated_limits.ts";
import { describeService, OPENAPI_FILE } from "../../scripts/openapi.ts";
import { type Input, type InputName, INPUTS } from "../db/bounds/bound.ts";
import { listOperationLimits, type OperationLimits } from "./operation_limits.ts";

/** The limits of operations as `openapi.json` states them. As a program, it measures and writes them. */

/** Measures what a request of each described operation may cost. */
export async function measureLimits(): Promise<StatedLimits> {
  const operations = await listOperationLimits();
  const used = new Set(operations.flatMap(({ grows }) => grows.flatMap((product) => product.split(" x "))));
  const names = (Object.keys(INPUTS) as InputName[]).filter((name) => used.has(name));
  return {
    names: Object.fromEntries(names.map((name) => [name, meaningOf(INPUTS[name])])),
    operations: Object.fromEntries(
      operations.map((each) => [each.route.replaceAll(/:(\w+)/g, "{$1}"), textOf(each)]),
    ),
  };
}

function meaningOf({ meaning, most }: Input): string {
  return most === undefined ? meaning : `${meaning}; at most ${most.toLocaleString("en-US")}`;
}

function textOf({ grows, turns, counters, isStreamed, bodyAfter }: OperationLimits): string {
  return [
    ...(grows.length === 0 ? [] : [`rows: ${grows.join(", ").replaceAll(" x ", " × ")}`]),
    ...(turns.length === 0 ? [] : [`turns: ${turns.join(", ")}`]),
    ...(counters.length === 0 ? [] : [`counted: ${counters.join(", ")}`]),
    ...(isStreamed ? ["in parts"] : []),
    ...(bodyAfter === undefined ? [] : [`body after: ${bodyAfter}`]),
  ].join("; ");
}

if (import.meta.main) {
  await Deno.writeTextFile(OPENAPI_FILE, await describeService(await measureLimits()));
  print("Wrote the limits of operations to openapi.json");
  Deno.exit(0);
}
