import type { Aggregate } from "../points/query.ts";

/** What a statement reads of one series. */
export interface Ask {
  readonly seriesId: number;
  readonly kind: string;
  /** Nanoseconds since 1970, both inclusive. */
  readonly from: bigint;
  readonly to: bigint;
  readonly descending: boolean;
  /** Rows after which it ends; up to a piece more may come. */
  readonly limit: number;
  /** Rows of a piece, which is read as a whole. */
  readonly pieceRows: number;
  readonly window: bigint | undefined;
  readonly aggregate: Aggregate | undefined;
}

/** Formats an ask for `READING`. Times have 64 bits, which JSON can only hold as the text of a number. */
export function describeAsk(ask: Ask): string {
  const { seriesId, kind, from, to, limit, window = null, aggregate } = ask;
  const name = aggregate === undefined ? null : `"${aggregate}"`;
  return `[${seriesId},"${kind}",${from},${to},${limit},${window},${name}]`;
}
