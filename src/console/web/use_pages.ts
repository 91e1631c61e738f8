import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Problem, toProblem } from "./problem.ts";
import { useLoad } from "./use_load.ts";

/** A page of a list in a response. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; null or undefined at the end. */
  readonly next: string | null | undefined;
}

/** The start of a page in a request: after a cursor, or at the beginning. */
export interface PageStart {
  readonly cursor?: string;
}

/** The loaded pages of a list. */
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
  /** The first page, before these. */
  readonly after: Page<T> | undefined;
  readonly page: Page<T>;
  readonly isLoading: boolean;
  readonly problem: Problem | undefined;
}

/** Maximum number of pages per reload, each a request. */
const MAX_AGAIN = 6;

/**
 * Loads the first page of a list whenever its name or an argument changes, and the next one on `more`. `reload` loads the
 * shown pages again.
 */
export function usePages<T, Args extends readonly unknown[]>(
  name: string,
  load: (...args: [...Args, PageStart, AbortSignal]) => Promise<Page<T>>,
  ...args: Args
): Pages<T> {
  const key = JSON.stringify([name, ...args]);
  const loadPage = (start: PageStart, signal: AbortSignal) => load(...args, start, signal);
  const shown = useRef({ key, pages: 1 });
  const { data: loaded, isLoading, problem, reload } = useLoad(key, async (signal) => {
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
  const isOld = loaded !== undefined && loaded.key !== key;
  // The old list stays until the next arrives, but not after a refusal: it could be taken for the next.
  const data = problem !== undefined && isOld ? undefined : loaded?.page;
  // Pages after another first page belong to another list, or an earlier state.
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
    isLoading: isLoading || (isOld && problem === undefined) || following?.isLoading === true,
    problem: problem ?? following?.problem,
    more,
    reload,
  };
}
