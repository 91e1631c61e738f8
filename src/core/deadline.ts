/** Time limits. Timers are cleared when the promise settles, so they do not keep the process alive. */

/**
 * Waits for a promise, up to a limit in milliseconds. When late, returns or throws what `whenLate` does; the promise
 * continues, and its failure is ignored.
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

/** Runs `body` with a signal that aborts at the limit, or earlier with `outer`. `body` must then end. */
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
