import type { Argon2 } from "../../../src/accounts/password/argon2.ts";
import type { ForeignWork } from "../../../src/accounts/password/foreign_timing.ts";

/** What one comparison with a hash of ours takes on the virtual machine, in milliseconds. */
export const OWN_MS = 20;

/** Returns a hash of another system that takes this long there. */
export function hashTaking(ms: number): string {
  return `$pbkdf2-sha256$i=${ms}$${"A".repeat(22)}$${"A".repeat(43)}`;
}

interface Event {
  at: number;
  readonly isWork: boolean;
  readonly end: () => void;
}

/** A machine whose time passes only by `run`: what it compares and waits for takes exactly as long as it should. */
export class VirtualMachine {
  now = 0;
  #events: Event[] = [];

  /** The password `right` fits every hash. */
  readonly argon2: Argon2 = {
    name: "native",
    hash: (password) => this.#take(OWN_MS, true).then(() => `$hash of ${password.length}`),
    verify: (password) => this.#take(OWN_MS, true).then(() => new TextDecoder().decode(password) === "right"),
    hashLike: () => Promise.reject(new Error("unused")),
  };

  readonly foreignWork: ForeignWork = {
    compare: async (password, hash) => {
      const done = this.#take(this.slowness * Number(/i=(\d+)/.exec(hash)?.[1]), true);
      this.#stop();
      await done;
      return password === "right";
    },
    now: () => this.now,
    delay: (ms, signal) => this.#take(ms, false, signal),
  };

  /** By how much comparisons with hashes of other systems are slower than they should be. */
  slowness = 1;
  /** Stops all work for this long as soon as a comparison with a hash of another system has begun. Clocks go on. */
  stopsFor = 0;

  #stop(): void {
    for (const event of this.#events) if (event.isWork) event.at += this.stopsFor;
    this.now += this.stopsFor;
    this.stopsFor = 0;
  }

  /** Lets time pass until the promise settles. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    const settled = promise.finally(() => isOver = true);
    settled.catch(() => {});
    while (!isOver) {
      // What is not virtual ends first.
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (!isOver) this.#step();
    }
    return await settled;
  }

  /** Passes time up to the end of the next event. */
  #step(): void {
    this.#events.sort((one, other) => one.at - other.at);
    const next = this.#events.shift();
    if (next === undefined) return;
    this.now = Math.max(this.now, next.at);
    next.end();
  }

  #take(ms: number, isWork: boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((end) => {
      if (signal?.aborted) return end();
      const event = { at: this.now + ms, isWork, end };
      this.#events.push(event);
      signal?.addEventListener("abort", () => {
        this.#events = this.#events.filter((other) => other !== event);
        end();
      });
    });
  }
}
