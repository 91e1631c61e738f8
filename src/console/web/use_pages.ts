import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Problem, toProblem } from "./problem.ts";
import { useLoad } from "./use_load.ts";

/** A page of a list, as the interface gives them. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; null or undefined at the end. */
  readonly next: string | null | undefined;
}

/** Where a page begins, as requests have it: after a cursor, or at the start of the list. */
export interface PageStart {
  readonly cursor?: string;
}

/** The pages of a list that were loaded so far. */
export interface Pages<T> {
  /** Undefined until the first page is there. */
  readonly items: readonly T[] | undefined;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
  more(): Promise<void>;
  reload(): void;
}

interface Rest<T> {
  /** The first page, which these follow. */
  readonly after: Page<T> | undefined;
  readonly page: Page<T>;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
}

/** The most pages that one reload fetches, since each is a request. */
const MAX_AGAIN = 6;

/**
 * Loads the first page of a list whenever `key` changes, and each next one on `more`. On `reload`, the pages that were
 * there are loaded again.
 */
export function usePages<T>(
  key: string,
  loadPage: (start: PageStart, signal: AbortSignal) => Promise<Page<T>>,
): Pages<T> {
  const shown = useRef({ key, pages: 1 });
  const { state, reload } = useLoad(key, async (signal) => {
    if (shown.current.key !== key) shown.current = { key, pages: 1 };
    const { pages } = shown.current;
    let page = await loadPage({}, signal);
    for (let loaded = 1; loaded < Math.min(pages, MAX_AGAIN) && typeof page.next === "string"; loaded++) {
      const { items, next } = await loadPage({ cursor: page.next }, signal);
      page = { items: [...page.items, ...items], next };
    }
    return { key, page };
  });
  const rest = useSignal<Rest<T> | undefined>(undefined);
  const { data: loaded, isLoading, problem } = state.value;
  // The former list stays until the next one is there. After a refusal it goes, or it could be taken for the next one.
  const data = problem !== undefined && loaded?.key !== key ? undefined : loaded?.page;
  // Pages that followed another first page belong to another list, or to an earlier state of this one.
  const following = rest.value?.after === data ? rest.value : undefined;
  const { items, next } = following?.page ?? { items: [], next: data?.next };
  const more = async (): Promise<void> => {
    if (typeof next !== "string" || following?.isLoading) return;
    const begun = { after: data, page: { items, next }, isLoading: true, problem: undefined };
    rest.value = begun;
    const result = await loadPage({ cursor: next }, new AbortController().signal).catch(toProblem);
    if (rest.value !== begun) return;
    if (result instanceof Problem) {
      rest.value = { ...begun, isLoading: false, problem: result };
      return;
    }
    rest.value = {
      ...begun,
      isLoading: false,
      page: { items: [...items, ...result.items], next: result.next },
    };
    shown.current.pages++;
  };
  return {
    items: data && [...data.items, ...items],
    hasMore: typeof next === "string",
    isLoading: isLoading || following?.isLoading === true,
    problem: problem ?? following?.problem,
    more,
    reload,
  };
}
