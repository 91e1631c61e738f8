import { FairQueue } from "./fair_queue.ts";

/** While users wait, strangers get one turn in this many. */
const STRANGERS_TURN = 4;

/** A waiting asker: the key of `currentAsker`, and whether it is only a network. */
export interface WaitingAsker {
  readonly asker: string;
  readonly isStranger: boolean;
}

/**
 * A queue of users and strangers. Users and jobs take turns by asker, strangers by network. While users wait, all
 * strangers together get every fourth turn, however many networks they come from.
 */
export class AskerQueue<T extends WaitingAsker> {
  readonly #users = new FairQueue<T>();
  readonly #strangers = new FairQueue<T>();
  #turns = 0;

  get size(): number {
    return this.#users.size + this.#strangers.size;
  }

  get strangers(): number {
    return this.#strangers.size;
  }

  sizeOf({ asker, isStranger }: WaitingAsker): number {
    return this.#partOf(isStranger).sizeOf(asker);
  }

  push(item: T): void {
    this.#partOf(item.isStranger).push(item.asker, item);
  }

  /** Puts items back at the front of their askers, in their order. */
  putBack(items: readonly T[]): void {
    for (const [isStranger, part] of Map.groupBy(items, ({ isStranger }) => isStranger)) {
      this.#partOf(isStranger).putBack(Map.groupBy(part, ({ asker }) => asker));
    }
  }

  /** Removes and returns the next item of those askers that `mayLeave`, by default of all. */
  shift(mayLeave?: (asker: string) => boolean): T | undefined {
    const isStrangersTurn = ++this.#turns % STRANGERS_TURN === 0;
    const [first, second] = isStrangersTurn ? [this.#strangers, this.#users] : [this.#users, this.#strangers];
    return first.shift(mayLeave) ?? second.shift(mayLeave);
  }

  /** Removes an item that waits. */
  remove(item: T): void {
    this.#partOf(item.isStranger).remove(item.asker, item);
  }

  /** Removes and returns the first items of each asker while they meet the condition. */
  takeWhile(condition: (item: T) => boolean): T[] {
    return [...this.#users.takeWhile(condition), ...this.#strangers.takeWhile(condition)];
  }

  /**
   * Removes and returns the latest item of the asker with the most, if the given asker would still have fewer, so
   * that few askers with many requests cannot keep out one with a single request. Strangers displace users only while
   * strangers are fewer.
   */
  yieldTo(asker: WaitingAsker): T | undefined {
    return this.#mostCrowded(asker).popLongest(this.sizeOf(asker) + 2);
  }

  /** Whether `yieldTo` would remove an item. */
  canYieldTo(asker: WaitingAsker): boolean {
    return this.#mostCrowded(asker).longest >= this.sizeOf(asker) + 2;
  }

  /** Like `yieldTo`, among strangers alone. */
  yieldToStranger(stranger: WaitingAsker): T | undefined {
    return this.#strangers.popLongest(this.sizeOf(stranger) + 2);
  }

  #mostCrowded({ isStranger }: WaitingAsker): FairQueue<T> {
    if (isStranger && this.#strangers.size >= this.#users.size) return this.#strangers;
    return this.#users.longest >= this.#strangers.longest ? this.#users : this.#strangers;
  }

  #partOf(isStranger: boolean): FairQueue<T> {
    return isStranger ? this.#strangers : this.#users;
  }
}
