/** The tables that may have points of a series. */
export type PointTable = "hours" | "points" | "recent" | "blocks";

/** What a statement reads of one series. */
export interface Ask {
  readonly table: PointTable;
  readonly seriesId: number;
  readonly kind: string;
  /** Nanoseconds since 1970, or hours, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  readonly descending: boolean;
  /** Points, or blocks, after which it ends; up to a piece more may come. */
  readonly limit: number;
  /** Points of a piece, which is read as a whole. */
  readonly pieceRows: number;
}

/** Formats an ask for `READING`. Times have 64 bits, which JSON can only hold as the text of a number. */
export function describeAsk({ seriesId, kind, from, to, limit }: Ask): string {
  return `[${seriesId},"${kind}",${from},${to},${limit}]`;
}
