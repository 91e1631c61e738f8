import type { ComponentChildren } from "preact";
import { texts } from "../language.ts";
import type { Pages } from "../use_pages.ts";
import { isPassing } from "../problem.ts";
import { useKeptFocus } from "../use_kept_focus.ts";
import { type Describe, ProblemNote, useCountdown } from "./form.tsx";

interface PagedListProps<T> {
  readonly pages: Pages<T>;
  /** The text of an empty list. */
  readonly empty: string;
  /** Says what is wrong with what was asked. */
  readonly describe?: Describe;
  /** An `<li>` with a key. */
  readonly render: (item: T) => ComponentChildren;
}

/** A list, loaded page by page. */
export function PagedList<T>({ pages, empty, describe, render }: PagedListProps<T>) {
  const { items, hasMore, isLoading, problem, more, reload } = pages;
  const { loading, list } = texts.value;
  const left = useCountdown(problem);
  const isStuck = items === undefined && problem !== undefined && !isPassing(problem);
  const box = useKeptFocus<HTMLDivElement>();
  return (
    <div ref={box}>
      {items !== undefined && items.length > 0 && (
        <ul class="rows" aria-busy={isLoading}>{items.map(render)}</ul>
      )}
      {items?.length === 0 && <p class="hint">{empty}</p>}
      <ProblemNote problem={problem} describe={describe} isRetried={items === undefined} />
      {isStuck && (
        <button type="button" aria-disabled={isLoading} onClick={() => !isLoading && reload()}>
          {list.again}
        </button>
      )}
      {items === undefined && isLoading && <p class="hint" role="status">{loading}</p>}
      {hasMore && (
        <button
          type="button"
          aria-disabled={isLoading || left > 0}
          onClick={() => left === 0 && void more()}
        >
          {isLoading ? loading : list.more}
        </button>
      )}
    </div>
  );
}
