import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { texts } from "../language.ts";
import type { Pages } from "../use_pages.ts";
import { useKeptFocus } from "../use_kept_focus.ts";
import { AgainButton } from "./again_button.tsx";
import { type Describe, ProblemNote, useCountdown } from "./form.tsx";
import { LoadingNote } from "./loading_note.tsx";

interface PagedListProps<T> {
  readonly pages: Pages<T>;
  /** The text of an empty list. */
  readonly empty: string;
  /** What is looked for. Screen readers are told what is found once it is another than at first. */
  readonly asked?: string;
  /** Says what is wrong with what was asked. */
  readonly describe?: Describe;
  /** An `<li>` with a key. */
  readonly render: (item: T) => ComponentChildren;
}

/** A list, loaded page by page. */
export function PagedList<T>({ pages, empty, asked, describe, render }: PagedListProps<T>) {
  const { items, hasMore, isLoading, problem, more, reload } = pages;
  const { loading, list, find } = texts.value;
  const left = useCountdown(problem);
  const box = useKeptFocus<HTMLDivElement>();
  const first = useRef(asked);
  const hasAsked = useRef(false);
  hasAsked.current ||= asked !== first.current;
  const isEmpty = items?.length === 0;
  return (
    <div ref={box}>
      {items !== undefined && items.length > 0 && (
        <ul class="rows" aria-busy={isLoading}>{items.map(render)}</ul>
      )}
      {hasAsked.current
        ? (
          <p class={isEmpty ? "hint" : "visually-hidden"} role="status">
            {items !== undefined && !isLoading && (isEmpty ? empty : find.hits(items.length))}
          </p>
        )
        : isEmpty && <p class="hint">{empty}</p>}
      <ProblemNote problem={problem} describe={describe} isRetried={items === undefined} />
      {items === undefined && <AgainButton problem={problem} isLoading={isLoading} onAgain={reload} />}
      {items === undefined && isLoading && <LoadingNote />}
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
