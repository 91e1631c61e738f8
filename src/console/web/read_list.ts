import type { Page, PageStart } from "./use_pages.ts";

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
