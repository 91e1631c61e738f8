/**
 * Lets the process serve others before it goes on with long work: it looks for requests after a timer, but not after
 * `setImmediate`, promises or a file database's answers.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
