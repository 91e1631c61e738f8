/** Random numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return function random(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random whole number from 0 up to, not including, `end`. */
export function randomInteger(random: () => number, end: number): number {
  return Math.floor(random() * end);
}

/** Whole numbers from 0 up to, not including, a bound, the same ones for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  const random = createRandom(seed);
  return (below) => randomInteger(random, below);
}

/** Returns the elements in another order, the same in each run: a sort by contradictory comparisons is none. */
export function shuffled<T>(elements: readonly T[], random: (below: number) => number): T[] {
  return elements.map((element) => ({ element, place: random(2 ** 32) }))
    .sort((a, b) => a.place - b.place)
    .map(({ element }) => element);
}
