/** Maximum number of rows that a listing reads in one database round trip. */
export const PAGE_ROWS = 1000;

/** One page of a listing in the order of ids: up to `limit` rows with an id greater than `afterId`. */
export interface PageRequest {
  readonly afterId: number;
  readonly limit: number;
}
