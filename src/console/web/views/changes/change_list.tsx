import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ProblemNote } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import type { Problem } from "../../problem.ts";
import { useKeptFocus } from "../../use_kept_focus.ts";
import { groupActions } from "./actions.ts";
import { ChangeRow } from "./change_row.tsx";
import { isOnline } from "./page_activity.ts";
import { findUndone } from "./named_change.ts";
import type { LogFilter } from "../../ask_lists.ts";
import { type Log, useLog } from "./use_log.ts";

/**
 * The matching changes, newest first, page by page. New ones appear at the top, or wait behind a button while the
 * list is being read.
 */
export function ChangeList(filter: LogFilter) {
  const { changes, loading, list } = texts.value;
  const top = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLUListElement>(null);
  const box = useKeptFocus<HTMLDivElement>();
  const isTopVisible = useIsVisible(top);
  const isPaused = useSignal(false);
  const isReading = (): boolean => !isTopVisible() || rows.current?.contains(document.activeElement) === true;
  const log = useLog(filter, isPaused.value, isReading);
  const { items, hasMore, isLoading, problem, more } = log;
  const showWaiting = (): void => {
    log.showWaiting();
    top.current?.scrollIntoView({ block: "center" });
    rows.current?.focus({ preventScroll: true });
  };
  const undone = findUndone(items);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <div ref={box} class="changes" aria-busy={isLoading}>
      <div ref={top} class="live">
        {filter.to === undefined && items !== undefined && problem === undefined && (
          <LiveMark log={log} isPaused={isPaused} />
        )}
      </div>
      <div class="waiting">
        {log.waiting > 0 && (
          <button type="button" class="go" onClick={showWaiting}>↑ {changes.showNew(log.waiting)}</button>
        )}
      </div>
      <ul ref={rows} class="change-rows" tabIndex={-1} aria-label={texts.value.views.changes}>
        {groupActions(items ?? []).map(({ head, hasParts }) => (
          <ChangeRow
            key={head.revision}
            change={head}
            undoneIn={undone.get(head.revision)}
            hasParts={hasParts}
          />
        ))}
      </ul>
      {items?.length === 0 && (
        <p class="hint">
          {hasMore ? changes.emptySoFar : isFiltered ? changes.emptyFiltered : changes.empty}
        </p>
      )}
      <ProblemNote problem={problem} />
      {items === undefined && isLoading && <p class="hint" role="status">{loading}</p>}
      {hasMore && (
        <button type="button" aria-disabled={isLoading} onClick={() => void more()}>
          {isLoading ? loading : items?.length === 0 ? changes.further : list.more}
        </button>
      )}
    </div>
  );
}

interface LiveMarkProps {
  readonly log: Log;
  readonly isPaused: Signal<boolean>;
}

/** The state of live updates, and a button to stop them. */
function LiveMark({ log, isPaused }: LiveMarkProps) {
  const { changes } = texts.value;
  const { liveProblem, waiting, arrived } = log;
  const fault = !isOnline.value ? changes.offline : liveProblem && describe(liveProblem);
  const news = waiting > 0 ? waiting : arrived;
  return (
    <>
      <span class={isPaused.value || fault !== undefined ? "live-mark" : "live-mark on"} role="status">
        {isPaused.value ? changes.paused : fault ?? changes.live}
        {news > 0 && <span class="visually-hidden">{changes.showNew(news)}</span>}
      </span>
      <button type="button" class="plain" onClick={() => isPaused.value = !isPaused.value}>
        {isPaused.value ? changes.resume : changes.pause}
      </button>
    </>
  );
}

function describe({ status }: Problem): string {
  const { changes } = texts.value;
  return status === 429 ? changes.tooManyWindows : changes.trying;
}

/** Whether an element is on the screen, below the bar at the top. */
function useIsVisible(element: RefObject<Element | null>): () => boolean {
  const isVisible = useRef(true);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      isVisible.current = entry?.isIntersecting ?? true;
    }, { rootMargin: "-56px 0px 0px" });
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return () => isVisible.current;
}
