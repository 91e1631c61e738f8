/** Numbers below a bound, the same in each run. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

/** Returns the elements in another order, the same in each run: a sort by contradictory comparisons is none. */
export function shuffled<T>(elements: readonly T[], random: (below: number) => number): T[] {
  return elements.map((element) => ({ element, place: random(2 ** 32) }))
    .sort((a, b) => a.place - b.place)
    .map(({ element }) => element);
}
