import type { ComponentChildren } from "preact";
import { describeAsOf, PastBand } from "../../components/as_of.tsx";
import { ProblemNote } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { Placeholder } from "../../picture/placeholder.tsx";
import { isPassing, type Problem } from "../../problem.ts";

interface CanvasProps {
  readonly isLoading?: boolean;
  readonly problem?: Problem | undefined;
  /** Loads again what was refused. */
  readonly onAgain: () => void;
  /** What stands above the picture. */
  readonly toolbar?: ComponentChildren;
  /** The picture; while there is none, its place is kept. */
  readonly children?: ComponentChildren;
  /** What stands beside it. */
  readonly panel?: ComponentChildren;
}

/** Where everything of the view is, also before it is there. */
export function Canvas({ isLoading = true, problem, onAgain, toolbar, children, panel }: CanvasProps) {
  const { hierarchy, loading, list } = texts.value;
  const isMissing = children === undefined;
  return (
    <main class="hierarchy" aria-busy={isLoading}>
      <h1 class="visually-hidden">{hierarchy.title}</h1>
      <div class="canvas">
        <div class="toolbar">
          <PastBand />
          {toolbar}
        </div>
        <ProblemNote problem={problem} describe={describeAsOf} isRetried={isMissing} />
        {isMissing && problem !== undefined && !isPassing(problem) && (
          <button type="button" class="again" aria-disabled={isLoading} onClick={onAgain}>
            {list.again}
          </button>
        )}
        {!isMissing && <a class="skip" href="#panel">{hierarchy.skip}</a>}
        {children ?? (
          <>
            <div class="stage">
              {isLoading && <p class="visually-hidden" role="status">{loading}</p>}
              <Placeholder />
            </div>
            <div class="foot" />
          </>
        )}
      </div>
      {panel ?? <aside class="panel" />}
    </main>
  );
}
