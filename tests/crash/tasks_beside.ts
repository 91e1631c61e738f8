import assert from "node:assert/strict";
import { runScript } from "../scripts/run_script.ts";
import { IMPORT, type Import } from "./facts.ts";

const ROLES = 20;
/** A task is killed within this time, which is about as long as most take. */
const MAX_TASK_MS = 400;

/**
 * Tasks that run beside the service on its file, one after another: each opens it, writes or copies it, and checkpoints
 * it at its end. About half of them are killed.
 */
export class TasksBeside {
  readonly #env: Readonly<Record<string, string>>;
  readonly #folder: string;
  /** Whether the imports were acknowledged, by their names. */
  readonly #imports = new Map<string, boolean>();
  #killed = 0;
  #ended = 0;

  constructor(env: Readonly<Record<string, string>>, folder: string) {
    this.#env = env;
    this.#folder = folder;
  }

  /** Runs tasks until `stop` is signalled. */
  async run(stop: AbortSignal): Promise<void> {
    for (let i = 0; !stop.aborted; i++) {
      await this.#import(`${IMPORT}${i}`);
      await this.#perform("purge.ts", []);
      await this.#perform("backup.ts", [`${this.#folder}/backup.db`, "--force"]);
    }
  }

  /** Compares the imports in the database with the reports of the tasks. */
  settle(found: readonly Import[]): void {
    assert.deepEqual(found.filter(({ roles }) => roles !== ROLES), [], "an import is half there");
    const names = new Set(found.map(({ name }) => name));
    const lost = [...this.#imports].filter(([name, isAcknowledged]) => isAcknowledged && !names.has(name));
    assert.deepEqual(lost, [], "an import is lost");
  }

  /** How many tasks ended by themselves, and how many were killed. */
  get tally(): { readonly ended: number; readonly killed: number } {
    return { ended: this.#ended, killed: this.#killed };
  }

  async #import(name: string): Promise<void> {
    const path = `${this.#folder}/${name}.csv`;
    const roles = Array.from(
      { length: ROLES },
      (_, i) => `${i},${name} ${i},${i === 0 ? "" : i - 1},all,all`,
    );
    await Deno.writeTextFile(path, ["key,name,parents,manages,selfRights", ...roles, ""].join("\n"));
    this.#imports.set(name, await this.#perform("import.ts", [path]));
    await Deno.remove(path);
  }

  /** Returns whether the task acknowledged its work. */
  async #perform(script: string, args: readonly string[]): Promise<boolean> {
    const isDoomed = Math.random() < 0.5;
    const { code, stderr } = await runScript(script, {
      env: this.#env,
      args,
      ...(isDoomed ? { killAfterMs: Math.random() * MAX_TASK_MS } : {}),
    });
    if (isDoomed && code !== 0) this.#killed++;
    else assert.equal(code, 0, `${script}: ${stderr}`);
    if (code === 0) this.#ended++;
    return code === 0;
  }
}
