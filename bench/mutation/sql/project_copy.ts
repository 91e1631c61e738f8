import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TaskError } from "../../../scripts/lib/run_task.ts";
import { JOB, type Job } from "./preload.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Where each statement passes on its way to a database. */
const BINDING = "src/db/statement.ts";
const BIND = /^export function bindNamed\b.*\{\n/m;
const IMPORT = `import { replacedText } from "../../../bench/mutation/sql/replaced_text.ts";\n`;
const REPLACE = `  const wrong = replacedText(statement.sql);
  if (wrong !== undefined) statement = { ...statement, sql: wrong, parameters: parametersOf(wrong) };\n`;

/** A run that takes longer is killed. In minutes. */
const LONGEST_RUN = 30;

/** The text of `db/statement.ts` that binds wrong texts instead of right ones. Throws if the place is not found. */
export function replacing(text: string): string {
  if (!BIND.test(text)) throw new TaskError(`bindNamed in ${BINDING} has changed: adapt ${import.meta.url}`);
  return IMPORT + text.replace(BIND, `$&${REPLACE}`);
}

/** A copy of the project in which `replaced_text.ts` replaces statements. Disposing of it removes it. */
export class ProjectCopy implements AsyncDisposable {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Copies the files that Git tracks or would add. Packages are those of the project. */
  static async make(): Promise<ProjectCopy> {
    const copy = new ProjectCopy(await Deno.makeTempDir({ prefix: "rolegrid_wrong_sql_" }));
    for (const path of await listFiles()) {
      await Deno.mkdir(dirname(copy.pathOf(path)), { recursive: true });
      await Deno.copyFile(join(ROOT, path), copy.pathOf(path));
    }
    for (const packages of ["node_modules", "tests/node_modules"]) {
      await Deno.symlink(join(ROOT, packages), copy.pathOf(packages));
    }
    const text = await Deno.readTextFile(copy.pathOf(BINDING));
    await Deno.writeTextFile(copy.pathOf(BINDING), replacing(text));
    return copy;
  }

  /** Of a path from the project's root. */
  pathOf(path: string): string {
    return join(this.#directory, path);
  }

  /** Runs tests on databases that are files, as `preload.ts` does for a job. Returns what it wrote into `output`. */
  async runTests<T>(args: readonly string[], jobFor: (output: string) => Job): Promise<T[]> {
    const folder = await Deno.makeTempDir({ prefix: "rolegrid_mutation_" });
    try {
      const output = `${folder}/output`;
      await Deno.mkdir(output);
      await Deno.writeTextFile(`${folder}/job`, JSON.stringify(jobFor(output)));
      const options = ["-A", "--no-check", "--config", "tests/deno.json"];
      const command = new Deno.Command(Deno.execPath(), {
        args: ["test", ...options, "--preload", "bench/mutation/sql/preload.ts", ...args],
        cwd: this.#directory,
        // Random sequences meet a wrong statement early or not at all, so a few are enough.
        env: {
          ROLEGRID_DATABASES: "file",
          ROLEGRID_SEQUENCES: "20",
          ROLEGRID_CONTRACT_RUNS: "100",
          [JOB]: `${folder}/job`,
        },
        stdin: "null",
        stdout: "null",
        stderr: "null",
        signal: AbortSignal.timeout(LONGEST_RUN * 60_000),
      });
      await command.output();
      const texts = await Promise.all(
        Array.from(Deno.readDirSync(output), ({ name }) => Deno.readTextFile(`${output}/${name}`)),
      );
      return texts.flatMap((text) => text.trimEnd().split("\n")).map((line): T => JSON.parse(line));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
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
