import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PERMISSIONS = ["env", "read", "write", "net", "ffi", "sys"].map((name) => `--allow-${name}`);

export interface ScriptRun {
  /** The whole environment, besides what a process cannot do without. */
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** What is piped in. */
  readonly input?: string;
  /** The directory to run it in, where it looks for `.env`; by default one without. */
  readonly cwd?: string;
}

export interface ScriptOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a file of scripts/ as its task does, and waits for its end. */
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
  // A script that wants no input may have ended before it is written.
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
