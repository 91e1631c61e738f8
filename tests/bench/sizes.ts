/** About so many roles, as so many levels of a tree make; other shapes get about as many. */
export interface Size {
  readonly name: string;
  readonly roles: number;
  readonly levels: number;
}

/** The first one is what the others are compared with. */
const SMALLEST: Size = { name: "1k", roles: 1000, levels: 3 };
const LARGER: readonly Size[] = [
  { name: "10k", roles: 10_000, levels: 4 },
  { name: "100k", roles: 100_000, levels: 5 },
  { name: "1M", roles: 1_000_000, levels: 6 },
];

/** The sizes in rising order, from the smallest to the greatest of no more than `largest` roles. */
export function sizesUpTo(largest: number): readonly [Size, ...Size[]] {
  return [SMALLEST, ...LARGER.filter(({ roles }) => roles <= largest)];
}
