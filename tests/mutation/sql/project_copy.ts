import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface CommandOutcome {
  readonly code: number;
  /** Without colours, like `stderr`. */
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the project whose files may be changed. Disposing of it removes it. */
export class ProjectCopy implements AsyncDisposable {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Copies the files that Git tracks or would add. Packages are those of the project. */
  static async make(): Promise<ProjectCopy> {
    const directory = await Deno.makeTempDir({ prefix: "rolegrid_wrong_sql_" });
    for (const path of await listFiles()) {
      await Deno.mkdir(dirname(join(directory, path)), { recursive: true });
      await Deno.copyFile(join(ROOT, path), join(directory, path));
    }
    for (const packages of ["node_modules", "tests/node_modules"]) {
      await Deno.symlink(join(ROOT, packages), join(directory, packages));
    }
    return new ProjectCopy(directory);
  }

  /** Relative to the project's root. */
  async read(path: string): Promise<string> {
    return await Deno.readTextFile(join(this.#directory, path));
  }

  async write(path: string, text: string): Promise<void> {
    await Deno.writeTextFile(join(this.#directory, path), text);
  }

  /** Runs Deno in the copy. After `seconds` it is killed, and counts as failed. */
  async runDeno(args: readonly string[], seconds: number): Promise<CommandOutcome> {
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: this.#directory,
      // Random sequences meet a wrong statement early or not at all, so a few are enough.
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ROLEGRID_SEQUENCES: "40" },
      stdin: "null",
      signal: AbortSignal.timeout(seconds * 1000),
    });
    const { code, stdout, stderr } = await command.output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#directory, { recursive: true });
  }
}

async function listFiles(): Promise<string[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { success, stdout } = await new Deno.Command("git", { args, cwd: ROOT }).output();
  if (!success) throw new Error(`git ${args.join(" ")} failed in ${ROOT}: is it a clone of the project?`);
  const paths = new TextDecoder().decode(stdout).split("\0").filter((path) => path !== "");
  return paths.filter(isThere);
}

/** A deleted file is listed until its deletion is committed. */
function isThere(path: string): boolean {
  try {
    return Deno.statSync(join(ROOT, path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
