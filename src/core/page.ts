/** Greatest number of rows that one database round trip of a collect operation returns. */
export const PAGE_ROWS = 1000;

/** Which part of an id-ordered answer to read: the rows with an id greater than `afterId`, `limit` at most. */
export interface PageRequest {
  readonly afterId: number;
  readonly limit: number;
}
