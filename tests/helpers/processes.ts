import { fileURLToPath } from "node:url";

export interface HelperProcess {
  /** The next line that the process prints. Throws if it ends first. */
  nextLine(): Promise<string>;
  /** Ends the process with SIGKILL, and returns the lines that it printed until then. */
  kill(): Promise<string[]>;
  /** Closes the standard input of the process, which tells the scripts to go on. */
  closeInput(): Promise<void>;
  /** Closes its standard input if it is still open, waits for the process to end, and throws unless it succeeded. */
  finish(): Promise<void>;
}

/** Runs a script in a process of its own; its path is relative to this directory. */
export function startHelper(script: string, args: readonly string[]): HelperProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", path, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let inputEnded: Promise<void> | undefined;

  function closeInput(): Promise<void> {
    inputEnded ??= child.stdin.close();
    return inputEnded;
  }

  return {
    closeInput,
    async nextLine(): Promise<string> {
      while (!text.includes("\n")) {
        const { value, done } = await output.read();
        if (done) throw new Error(`${script} ended before it printed another line`);
        text += value;
      }
      const end = text.indexOf("\n");
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      return line;
    },
    async kill(): Promise<string[]> {
      child.kill("SIGKILL");
      for (let next = await output.read(); !next.done; next = await output.read()) text += next.value;
      await Promise.all([child.status, closeInput().catch(() => {})]);
      // The last line may have been cut off.
      return text.split("\n").slice(0, -1);
    },
    async finish(): Promise<void> {
      await closeInput();
      while (!(await output.read()).done);
      const { code } = await child.status;
      if (code !== 0) throw new Error(`${script} ended with exit code ${code}`);
    },
  };
}

/**
 * Whether a program can be run on this machine, and this run may start it. With this argument, it must print its version.
 */
export async function isInstalled(program: string, versionArgument = "--version"): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: [versionArgument], stdout: "null" }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}
