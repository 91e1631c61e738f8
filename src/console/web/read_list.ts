import type { Page, PageStart } from "./use_pages.ts";

/**
 * Reads on from `start` until there are `size` items, the list ends, or that would take too many requests: pages of the
 * interface may be short or empty although others follow. `ask` gets the number of items that are missing.
 */
export async function fillPage<T>(
  start: PageStart,
  size: number,
  ask: (start: PageStart, missing: number) => Promise<Page<T>>,
  mostRequests = Infinity,
): Promise<Page<T>> {
  const items: T[] = [];
  let next: PageStart | undefined = start;
  for (let i = 0; i < mostRequests && next !== undefined && items.length < size; i++) {
    const page: Page<T> = await ask(next, size - items.length);
    items.push(...page.items);
    next = typeof page.next === "string" ? { cursor: page.next } : undefined;
  }
  return { items, next: next?.cursor };
}

/** Maximum number of lines of a file that is read page by page. */
const MOST_LINES = 10_000;

/** Reads a list page by page, up to `MOST_LINES`. Calls `onLines` with the number of lines so far. */
export async function readList<T>(
  loadPage: (start: PageStart) => Promise<Page<T>>,
  onLines: (lines: number) => void,
): Promise<{ readonly items: readonly T[]; readonly hasMore: boolean }> {
  const items: T[] = [];
  for (let start: PageStart | undefined = {}; start !== undefined && items.length < MOST_LINES;) {
    const { items: found, next }: Page<T> = await loadPage(start);
    items.push(...found);
    onLines(items.length);
    start = typeof next === "string" ? { cursor: next } : undefined;
    if (start === undefined) return { items, hasMore: false };
  }
  return { items, hasMore: true };
}
