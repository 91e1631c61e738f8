import type { Chain } from "./chain.ts";
import { type AppError, makeRefusal } from "./errors.ts";
import type { QueueMeter } from "./metrics.ts";
import { currentChain } from "./request_scope.ts";

export interface SharesOptions {
  /** Places, or bytes. */
  readonly size: number;
  /** Maximum number of waiting takers; beyond it, a larger branch gives way. Default: none waits. */
  readonly waiting?: number;
  /** Greatest wait in milliseconds. Default: unlimited. */
  readonly timeoutMs?: number;
  /** For what is held for long: a taker gets at most what is free less what each branch of its chain holds. */
  readonly leavesRoom?: boolean;
  readonly meter?: QueueMeter | undefined;
}

/** All takers whose chains begin alike. Those below are in the order of their turns. */
export interface Branch {
  readonly above: Branch | undefined;
  readonly key: string;
  readonly below: Map<string, Branch>;
  readonly takers: Taker[];
  /** Takers that wait here and below. */
  waiting: number;
  /** What is held here and below; counted with `leavesRoom`. */
  held: number;
  /** When its debt is forgotten, by `performance.now()`. */
  owesUntil: number;
}

interface Taker {
  readonly branch: Branch;
  readonly amount: number;
  readonly arrivedAt: number;
  readonly start: (held: Held) => void;
  readonly refuse: (reason: AppError) => void;
}

/** What a taker holds. */
export interface Held {
  /** Present with `leavesRoom`. */
  readonly branch: Branch | undefined;
  /** Takes more. Throws `UNAVAILABLE` without waiting if there is no room. */
  grow(amount: number): void;
  /** Gives all back; further calls have no effect. Its branches owe the thread time, but for 5 ms. */
  release(threadMs?: number): void;
  /** Gives all back unused, and waits for the next turn. Another `release` must follow, which begins it. */
  putBack(): Promise<Held>;
  /** Whether its taker owes time now. */
  owes(): boolean;
}

/** Thread time in milliseconds that makes no debt, and the greatest debt of a branch. */
const FREE_MS = 5;
const MOST_OWED_MS = 1000;
/** Number of branches with debts from which on the forgotten ones are dropped. */
const MANY_OWE = 1000;

const CLOSED = makeRefusal("It is closed");
/** The refusals for want of room. They come before any work. */
export const FULL: AppError = makeRefusal("All is taken, and no larger branch gives way");
const GAVE_WAY: AppError = makeRefusal("Too many wait, and this branch has more of them than another");

/**
 * A limited thing of so many places or bytes, divided along the chains of its takers. At every level the branches that
 * wait take turns, those that owe time last: whatever accounts a branch brings, it is one. Where too many wait, the
 * larger branch gives way, where the two part, with its newest taker. What is held is never taken away.
 */
export class Shares {
  readonly #options: Required<Omit<SharesOptions, "meter">>;
  readonly #meter: QueueMeter | undefined;
  readonly #late: AppError;
  readonly #root = createBranch();
  /** All that wait, in the order of arrival. None of them has room, so a newcomer that has some overtakes none. */
  readonly #waiting = new Set<Taker>();
  readonly #owing = new Set<Branch>();
  #held = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor({ size, waiting = 0, timeoutMs = Infinity, leavesRoom = false, meter }: SharesOptions) {
    this.#options = { size, waiting, timeoutMs, leavesRoom };
    this.#meter = meter;
    this.#late = makeRefusal(`The turn did not come within ${timeoutMs} ms`);
    meter?.watch(() => this.#waiting.size);
  }

  /** What is not held. */
  get free(): number {
    return this.#options.size - this.#held;
  }

  /**
   * Takes places or bytes, at once or in a promise of the turn. Throws `UNAVAILABLE` if too many wait; the promise
   * rejects with it if the turn does not come in time or the taker gives way. `chainOf` is called where it matters.
   */
  take(amount = 1, chainOf: () => Chain = currentChain()): Held | Promise<Held> {
    const held = this.#takeNow(amount, chainOf);
    if (held !== undefined) return held;
    const branch = this.#find(chainOf());
    if (this.#waiting.size >= this.#options.waiting) this.#makeRoomFor(branch);
    return this.#wait(branch, amount);
  }

  /** Takes places or bytes without waiting. Throws `UNAVAILABLE` if there is no room. */
  takeNow(amount: number): Held {
    const held = this.#takeNow(amount, currentChain());
    if (held === undefined) throw this.#refusal(FULL);
    return held;
  }

  /** Whether `take` would not throw now. */
  hasRoom(amount = 1): boolean {
    const { size, waiting, leavesRoom } = this.#options;
    if (this.#waiting.size < waiting || (!leavesRoom && this.#held + amount <= size)) return true;
    const branch = this.#find(currentChain()());
    const hasRoom = amount <= this.#roomOf(branch) || this.#findLarger(branch, "waiting", 1) !== undefined;
    this.#drop(branch);
    return hasRoom;
  }

  /** Whether the caller holds anything, with `leavesRoom`. */
  isHolding(): boolean {
    const branch = this.#find(currentChain()());
    this.#drop(branch);
    return branch.held > 0;
  }

  /**
   * Runs a task that holds a place, or `amount`, and owes its time if it runs on a thread. The task gets the end of its
   * greatest wait, by `performance.now()`. Throws like `take`.
   */
  async run<T>(task: (deadline: number) => Promise<T>, { amount = 1, isThread = false } = {}): Promise<T> {
    const deadline = performance.now() + this.#options.timeoutMs;
    const taken = this.take(amount);
    const held = taken instanceof Promise ? await taken : taken;
    const startedAt = performance.now();
    try {
      return await task(deadline);
    } finally {
      held.release(isThread ? performance.now() - startedAt : 0);
    }
  }

  /**
   * Finds the branch that holds more than the caller's would with `amount` more, where the two part. Returns whether
   * what is held counts to it; undefined if there is none.
   */
  findLarger(amount: number): ((held: Held) => boolean) | undefined {
    const branch = this.#find(currentChain()());
    const larger = this.#findLarger(branch, "held", amount);
    this.#drop(branch);
    return larger && (({ branch }) => upwards(branch).some((each) => each === larger));
  }

  /** Refuses newcomers, and resolves when all is given back. */
  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    if (this.#held === 0) this.#closing.resolve();
    return this.#closing.promise;
  }

  #takeNow(amount: number, chainOf: () => Chain): Held | undefined {
    if (this.#closing !== undefined) throw this.#refusal(CLOSED);
    const { size, leavesRoom } = this.#options;
    if (!leavesRoom) return this.#held + amount <= size ? this.#hold(amount, chainOf) : undefined;
    const branch = this.#find(chainOf());
    if (amount <= this.#roomOf(branch)) return this.#hold(amount, chainOf, branch);
    this.#drop(branch);
    return undefined;
  }

  #hold(amount: number, chainOf: () => Chain, branch?: Branch): Held {
    let holds = 0;
    const add = (more: number): void => {
      holds += more;
      this.#held += more;
      for (const each of upwards(branch)) each.held += more;
    };
    add(amount);
    return {
      branch,
      grow: (more) => {
        if (more > this.#roomOf(branch, holds)) throw this.#refusal(FULL);
        add(more);
      },
      release: (threadMs = 0) => {
        if (holds === 0) return;
        add(-holds);
        if (threadMs > FREE_MS) this.#owe(branch ?? this.#find(chainOf()), threadMs - FREE_MS);
        this.#drop(branch);
        this.#begin();
        if (this.#held === 0) this.#closing?.resolve();
      },
      owes: () => {
        const own = branch ?? this.#find(chainOf());
        const owes = own.owesUntil > performance.now();
        this.#drop(own);
        return owes;
      },
      putBack: () => {
        const waiting = this.#wait(branch ?? this.#find(chainOf()), amount, true);
        add(-holds);
        return waiting;
      },
    };
  }

  /** What a taker of this branch may get; `own` is what it holds already. */
  #roomOf(branch: Branch | undefined, own = 0): number {
    let room = this.#options.size - this.#held;
    for (const each of upwards(branch)) if (each.above !== undefined) room -= each.held - own;
    return room;
  }

  #wait(branch: Branch, amount: number, isFirst = false): Promise<Held> {
    return new Promise((start, refuse) => {
      const taker = { branch, amount, arrivedAt: performance.now(), start, refuse };
      if (isFirst) branch.takers.unshift(taker);
      else branch.takers.push(taker);
      for (const each of upwards(branch)) {
        each.waiting++;
        if (isFirst) moveFirst(each);
      }
      this.#waiting.add(taker);
      this.#watch();
    });
  }

  /** Begins the turns of all that have room now. */
  #begin(): void {
    for (let next = this.#next(this.#root); next !== undefined; next = this.#next(this.#root)) {
      const { branch, amount, arrivedAt, start } = next;
      const chain = chainTo(branch);
      const held = this.#hold(amount, () => chain, this.#options.leavesRoom ? branch : undefined);
      this.#leave(next);
      this.#meter?.waited(performance.now() - arrivedAt);
      start(held);
    }
  }

  /** Returns the taker below a branch whose turn it is: debtors wait for others. The next turns are those of others. */
  #next(at: Branch): Taker | undefined {
    const [first] = at.takers;
    if (first !== undefined) return first.amount <= this.#roomOf(at) ? first : undefined;
    const now = performance.now();
    for (const owes of [false, true]) {
      for (const branch of at.below.values()) {
        if (branch.waiting === 0 || branch.owesUntil > now !== owes) continue;
        const taker = this.#next(branch);
        if (taker === undefined) continue;
        at.below.delete(branch.key);
        at.below.set(branch.key, branch);
        return taker;
      }
    }
    return undefined;
  }

  /** Refuses the newest taker of a larger branch. Throws if there is none. */
  #makeRoomFor(branch: Branch): void {
    let larger = this.#findLarger(branch, "waiting", 1);
    while (larger !== undefined && larger.takers.length === 0) larger = largestBelow(larger, "waiting");
    const newest = larger?.takers.at(-1);
    if (newest === undefined) {
      this.#drop(branch);
      throw this.#refusal(FULL);
    }
    this.#leave(newest);
    newest.refuse(this.#refusal(GAVE_WAY));
  }

  /** From the top: the largest branch beside this one, if it is larger even with `amount` added to this one. */
  #findLarger(branch: Branch, by: "waiting" | "held", amount: number): Branch | undefined {
    for (const own of [...upwards(branch)].reverse()) {
      if (own.above === undefined) continue;
      // A crowd of ever new branches is not compared with all that wait, one by one: each of them has one.
      if (this.#owing.size === 0 && own.above[by] <= own.above.below.size) continue;
      const largest = largestBelow(own.above, by);
      if (largest !== undefined && largest[by] > own[by] + amount) return largest;
    }
    return undefined;
  }

  #leave(taker: Taker): void {
    const { branch } = taker;
    branch.takers.splice(branch.takers.indexOf(taker), 1);
    for (const each of upwards(branch)) each.waiting--;
    this.#waiting.delete(taker);
    this.#drop(branch);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Refuses takers whose greatest wait is over: one timer for all, for the first that arrived. */
  #watch(): void {
    const [first] = this.#waiting;
    const { timeoutMs } = this.#options;
    if (first === undefined || timeoutMs === Infinity || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const taker of this.#waiting) {
        if (performance.now() - taker.arrivedAt < timeoutMs) break;
        this.#leave(taker);
        taker.refuse(this.#refusal(this.#late));
      }
      this.#watch();
    }, first.arrivedAt + timeoutMs - performance.now());
  }

  /** Adds to the debts of a branch and those above it: at each level, it goes after branches that owe nothing. */
  #owe(branch: Branch, ms: number): void {
    const now = performance.now();
    for (const each of upwards(branch)) {
      if (each.above === undefined) break;
      each.owesUntil = Math.min(Math.max(each.owesUntil, now) + ms, now + MOST_OWED_MS);
      this.#owing.add(each);
    }
    if (this.#owing.size < MANY_OWE) return;
    for (const each of this.#owing) {
      if (each.owesUntil > now) continue;
      this.#owing.delete(each);
      this.#drop(each);
    }
  }

  #find(chain: Chain): Branch {
    let at = this.#root;
    for (const key of chain) {
      let branch = at.below.get(key);
      if (branch === undefined) at.below.set(key, branch = createBranch(at, key));
      at = branch;
    }
    return at;
  }

  /** Forgets a branch, and those above it, if nothing is known of it. */
  #drop(branch: Branch | undefined): void {
    for (const each of upwards(branch)) {
      const { above, key, below, waiting, held, owesUntil } = each;
      if (below.size + waiting + held > 0 || owesUntil > performance.now()) return;
      if (above?.below.get(key) === each) above.below.delete(key);
    }
  }

  #refusal(error: AppError): AppError {
    this.#meter?.refused();
    return error;
  }
}

function createBranch(above?: Branch, key = ""): Branch {
  return { above, key, below: new Map(), takers: [], waiting: 0, held: 0, owesUntil: 0 };
}

function* upwards(branch: Branch | undefined): Generator<Branch, void> {
  for (let at = branch; at !== undefined; at = at.above) yield at;
}

/** Makes it a branch's turn. */
function moveFirst(branch: Branch): void {
  const { above, key } = branch;
  if (above === undefined || above.below.keys().next().value === key) return;
  const others = [...above.below];
  above.below.clear();
  above.below.set(key, branch);
  for (const [each, other] of others) above.below.set(each, other);
}

function chainTo(branch: Branch): Chain {
  return [...upwards(branch)].reverse().slice(1).map(({ key }) => key);
}

function largestBelow(branch: Branch, by: "waiting" | "held"): Branch | undefined {
  let largest: Branch | undefined;
  for (const each of branch.below.values()) {
    if (largest === undefined || each[by] > largest[by]) largest = each;
  }
  return largest;
}
