import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PERMISSIONS = ["env", "read", "write", "net", "ffi", "sys"].map((name) => `--allow-${name}`);

export interface ScriptRun {
  /** The environment, in addition to what every process needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Standard input. */
  readonly input?: string;
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
  { env, args = [], input = "", cwd }: ScriptRun,
): Promise<ScriptOutcome> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "--config", `${ROOT}deno.json`, ...PERMISSIONS],
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
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

function inherited(...names: string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = Deno.env.get(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
