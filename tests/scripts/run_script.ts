import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { killChild } from "../helpers/kill_child.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { tasks }: { tasks: Record<string, { command: string }> } = JSON.parse(
  await Deno.readTextFile(`${ROOT}deno.json`),
);

export interface ScriptRun {
  /** The environment, in addition to what every process needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Standard input. */
  readonly input?: string;
  /** Ends it with SIGKILL after this time, unless it has ended by itself. */
  readonly killAfterMs?: number;
  /** The working directory, where the script looks for `.env`; by default one without. */
  readonly cwd?: string;
}

export interface ScriptOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a file of scripts/ like its task, and waits for its end. */
export async function runScript(
  name: string,
  { env, args = [], input = "", killAfterMs, cwd }: ScriptRun,
): Promise<ScriptOutcome> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "--config", `${ROOT}deno.json`, ...permissionsOf(name)],
      ...[`${ROOT}scripts/${name}`, ...args],
    ],
    cwd: cwd ?? `${ROOT}tests/scripts`,
    clearEnv: true,
    env: { NO_COLOR: "1", ...inherited("PATH", "HOME", "DENO_DIR"), ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A script that needs no input may have ended before.
  await writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const output = child.output();
  const timer = killAfterMs === undefined ? undefined : setTimeout(killChild, killAfterMs, child);
  const { code, stdout, stderr } = await output;
  clearTimeout(timer);
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs a file of scripts/ on a database, without any other variable. */
export function runOn(url: string, name: string, ...args: readonly string[]): Promise<ScriptOutcome> {
  return runScript(name, { env: { TURSO_DATABASE_URL: url }, args });
}

/** Asserts that a script printed nothing but the reason why it did nothing: the whole of it, or a pattern of it. */
export function assertRefused({ code, stdout, stderr }: ScriptOutcome, reason: string | RegExp): void {
  assert.deepEqual([code, stdout], [1, ""], stderr);
  if (typeof reason === "string") assert.equal(stderr, reason);
  else assert.match(stderr, reason);
}

/** Those of the script's task. */
function permissionsOf(script: string): string[] {
  const task = Object.values(tasks).find(({ command }) => command.endsWith(` scripts/${script}`));
  if (task === undefined) throw new RangeError(`No task runs scripts/${script}`);
  return task.command.split(" ").filter((word) => word.startsWith("--allow-"));
}

function inherited(...names: string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = Deno.env.get(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
