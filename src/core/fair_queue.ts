/** A queue in which keys take turns. Items of one key leave in the order of their arrival. */
export class FairQueue<T> {
  /** The next key comes first. No list is empty. */
  readonly #itemsByKey = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(key: string): number {
    return this.#itemsByKey.get(key)?.length ?? 0;
  }

  push(key: string, item: T): void {
    const items = this.#itemsByKey.get(key);
    if (items === undefined) this.#itemsByKey.set(key, [item]);
    else items.push(item);
    this.#size++;
  }

  /** Puts items back at the front of their keys, in their order. These keys come first, in the given order. */
  putBack(itemsByKey: ReadonlyMap<string, readonly T[]>): void {
    const others = [...this.#itemsByKey];
    this.#itemsByKey.clear();
    for (const [key, items] of itemsByKey) {
      this.#itemsByKey.set(key, [...items]);
      this.#size += items.length;
    }
    for (const [key, waiting] of others) {
      const first = this.#itemsByKey.get(key);
      this.#itemsByKey.set(key, first === undefined ? waiting : [...first, ...waiting]);
    }
  }

  /** Removes and returns the next item, of those keys that `mayLeave`; then it is the other keys' turn. */
  shift(mayLeave: (key: string) => boolean = () => true): T | undefined {
    for (const [key, items] of this.#itemsByKey) {
      if (!mayLeave(key)) continue;
      const item = this.#shiftFrom(key, items);
      if (items.length > 0) {
        this.#itemsByKey.delete(key);
        this.#itemsByKey.set(key, items);
      }
      return item;
    }
    return undefined;
  }

  /** Removes an item that waits. */
  remove(key: string, item: T): void {
    const items = this.#itemsByKey.get(key) ?? [];
    items.splice(items.indexOf(item), 1);
    this.#size--;
    if (items.length === 0) this.#itemsByKey.delete(key);
  }

  /** Removes and returns the first items of each key while they meet the condition. */
  takeWhile(condition: (item: T) => boolean): T[] {
    const taken: T[] = [];
    for (const [key, items] of this.#itemsByKey) {
      for (let first = items[0]; first !== undefined && condition(first); first = items[0]) {
        this.#shiftFrom(key, items);
        taken.push(first);
      }
    }
    return taken;
  }

  /** Number of items of the key with the most. */
  get longest(): number {
    return this.#findLongest().length;
  }

  /**
   * Removes and returns the last item of the key with the most, if it has at least `atLeast` items, and at least two.
   */
  popLongest(atLeast: number): T | undefined {
    const longest = this.#findLongest();
    if (longest.length < Math.max(atLeast, 2)) return undefined;
    this.#size--;
    return longest.pop();
  }

  #findLongest(): T[] {
    let longest: T[] = [];
    for (const items of this.#itemsByKey.values()) {
      if (items.length > longest.length) longest = items;
    }
    return longest;
  }

  #shiftFrom(key: string, items: T[]): T | undefined {
    this.#size--;
    const item = items.shift();
    if (items.length === 0) this.#itemsByKey.delete(key);
    return item;
  }
}
