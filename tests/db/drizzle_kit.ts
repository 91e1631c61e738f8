import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { TaskError } from "../../scripts/lib/run_task.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

export interface Generation {
  /** Folder with the tables. */
  readonly schema: string;
  /** Folder for the migrations, which drizzle-kit accepts only as a path relative to its working directory. */
  readonly out: string;
  readonly name: string;
}

/** Runs drizzle-kit in `root`, by default the project, where `schema` is. Throws a `TaskError` if it has a question. */
export async function generate({ schema, out, name }: Generation, root = PROJECT): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "-A", "--config", "tests/deno.json"],
      ...["npm:drizzle-kit", "generate", "--name", name],
      ...["--dialect", "sqlite", "--schema", `./${schema}/*.ts`, "--out", relative(root, out)],
    ],
    cwd: root,
    stdin: "null",
  }).output();
  const output = new TextDecoder().decode(new Uint8Array([...stdout, ...stderr]));
  // If drizzle-kit has a question and no terminal, it gives up with status 0.
  if (success && /No schema changes|SQL migration file/.test(output)) return;
  throw new TaskError(`drizzle-kit could not compare the schema:\n${output}`);
}
