import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Problem } from "../../problem.ts";
import { type Pages, usePages } from "../../use_pages.ts";
import { isInUse } from "./page_activity.ts";
import { followLog } from "./follow_log.ts";
import { addNames, type NamedChange } from "./named_change.ts";
import type { LogFilter } from "../../ask_lists.ts";
import { findSpan, readBack, type Span } from "./read_log.ts";

/** The shown log: newest first, with later arrivals. */
export interface Log extends Pages<NamedChange> {
  /** Number of arrived changes that are not shown yet. */
  readonly waiting: number;
  showWaiting(): void;
  /** Number of changes that last arrived and were shown at once. */
  readonly arrived: number;
  /** The reason why updates pause. */
  readonly liveProblem: Problem | undefined;
}

/** Arrivals after the first page, newest first. */
interface News {
  readonly span: Span | undefined;
  readonly shown: readonly NamedChange[];
  readonly waiting: readonly NamedChange[];
  /** Number of shown changes that arrived last. */
  readonly arrived: number;
  readonly after: number;
  readonly problem: Problem | undefined;
}

/**
 * Loads the log page by page into the past, and new changes unless `isPaused`. While `isReading()`, new ones wait to
 * be shown.
 */
export function useLog(filter: LogFilter, isPaused: boolean, isReading: () => boolean): Log {
  const key = JSON.stringify(filter);
  const span = useSignal<Span | undefined>(undefined);
  const kept = useSignal<News>(toNews(undefined));
  const pages = usePages(`changes ${key}`, async ({ cursor }, signal) => {
    const asked = cursor === undefined || span.value === undefined
      ? await findSpan(filter, signal)
      : { ...span.value, end: Number(cursor) };
    const { changes, bottom } = await readBack(filter, asked, signal);
    const items = await addNames(changes, signal);
    if (cursor === undefined && !signal.aborted) span.value = asked;
    return { items, next: bottom > asked.floor ? String(bottom) : null };
  });
  const current = span.value;
  // Arrivals after another first page belong to another list, or are in this one already.
  const news = kept.value.span === current ? kept.value : toNews(current);
  const isFollowing = current !== undefined && !isPaused && isInUse.value && filter.to === undefined;
  useEffect(() => {
    if (!isFollowing) return;
    const abort = new AbortController();
    const onProblem = (problem: Problem | undefined): void => {
      kept.value = { ...kept.value, problem };
    };
    kept.value = { ...news, problem: undefined };
    void followLog(filter, news.after, {
      onProblem,
      onChanges: async (changes, after, signal) => {
        const added = (await addNames(changes, signal)).reverse();
        if (signal.aborted) return;
        const { shown, waiting } = kept.value;
        const isHeld = added.length > 0 && (waiting.length > 0 || isReading());
        kept.value = {
          ...kept.value,
          after,
          ...(isHeld
            ? { waiting: [...added, ...waiting] }
            : { shown: [...added, ...shown], arrived: added.length }),
        };
      },
    }, abort.signal);
    return () => abort.abort();
  }, [current, isFollowing]);
  return {
    ...pages,
    items: pages.items && [...news.shown, ...pages.items],
    waiting: news.waiting.length,
    showWaiting: () => {
      const { shown, waiting } = kept.value;
      kept.value = { ...kept.value, shown: [...waiting, ...shown], waiting: [], arrived: waiting.length };
    },
    arrived: news.arrived,
    liveProblem: news.problem,
  };
}

function toNews(span: Span | undefined): News {
  return { span, shown: [], waiting: [], arrived: 0, after: span?.end ?? 0, problem: undefined };
}
