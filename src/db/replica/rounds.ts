/**
 * Shares rounds of work among callers. The returned function resolves with the result of a round that began after it
 * was called. One round runs at a time; all who call meanwhile share the next one.
 */
export function shareRounds<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function begin(): Promise<T> {
    next = undefined;
    const round = run();
    running = round;
    const end = (): void => {
      // A caller that was waiting may have begun the next round already.
      if (running === round) running = undefined;
    };
    round.then(end, end);
    return round;
  }

  return function join(): Promise<T> {
    if (next !== undefined) return next;
    if (running === undefined) return begin();
    return next = running.then(begin, begin);
  };
}
