import type { WatchTime } from "../../src/explain/log/change_watch.ts";

/** The time of a watch, which stands still until a test moves it. */
export class ManualTime implements WatchTime {
  #nowMs = 0;
  readonly #tasks = new Set<{ readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(ms: number, run: () => void): () => void {
    const task = { at: this.#nowMs + ms, run };
    this.#tasks.add(task);
    return () => this.#tasks.delete(task);
  }

  /** How many tasks are to run later. */
  get pending(): number {
    return this.#tasks.size;
  }

  /** Lets this many milliseconds pass, after which what is due runs. */
  pass(ms: number): void {
    this.#nowMs += ms;
    for (const task of this.#tasks) {
      if (task.at > this.#nowMs) continue;
      this.#tasks.delete(task);
      task.run();
    }
  }
}

/** Resolves once the condition holds; what it depends on happens by itself. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}
