/**
 * Lets the process accept other requests during long work. It polls for them after a timer, but not after
 * `setImmediate` or promises.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
