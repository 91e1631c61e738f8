/**
 * A number of levels, and about the number of roles in a tree of that many levels. Other shapes have about the
 * same number.
 */
export interface Size {
  readonly name: string;
  readonly roles: number;
  readonly levels: number;
}

/** The others are compared with this one. */
const SMALLEST: Size = { name: "1k", roles: 1000, levels: 3 };
const LARGER: readonly Size[] = [
  { name: "10k", roles: 10_000, levels: 4 },
  { name: "100k", roles: 100_000, levels: 5 },
  { name: "1M", roles: 1_000_000, levels: 6 },
];

/** The sizes in ascending order, up to `largest` roles; always at least the smallest. */
export function sizesUpTo(largest: number): readonly [Size, ...Size[]] {
  return [SMALLEST, ...LARGER.filter(({ roles }) => roles <= largest)];
}
