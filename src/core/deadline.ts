/** Time limits. The timer is gone when the returned promise is settled, so it never keeps the process alive by itself. */

/**
 * Waits for what was begun, up to a limit, and returns what `whenLate` returns (or throws) after that. What was begun goes
 * on, and a later failure of it is ignored.
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

/** Runs what ends when its signal is aborted: at the limit, or before, with `outer`. */
export async function runWithLimit<T>(
  limitMs: number,
  body: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer = setTimeout(end, limitMs);
  outer?.addEventListener("abort", end);
  try {
    return await body(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", end);
  }
}
