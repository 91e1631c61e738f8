/** When a client that measures waits gives a request up, in milliseconds. */
export const REQUEST_LIMIT_MS = 30_000;
