/** Time limits. Each timer is cleared when the returned promise settles, so it does not keep the process alive. */

/**
 * Waits for a promise, up to a limit in milliseconds. Past it, returns what `whenLate` returns, or throws what it
 * throws; the promise goes on, and its later failure is ignored.
 */
export async function waitAtMost<T, L>(
  limitMs: number,
  begun: Promise<T>,
  whenLate: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, limitMs)).then(whenLate);
  try {
    return await Promise.race([begun, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `body` with a signal that is aborted at the limit, or earlier with `outer`. `body` must end when it is. */
export async function runWithLimit<T>(
  limitMs: number,
  body: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer = setTimeout(end, limitMs);
  outer?.addEventListener("abort", end);
  if (outer?.aborted) end();
  try {
    return await body(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", end);
  }
}
