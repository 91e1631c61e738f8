import { useSignal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { skip } from "../../focus_content.ts";
import { AgainButton } from "../../components/again_button.tsx";
import { describeAsOf, PastBand } from "../../components/as_of.tsx";
import { ProblemNote } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { isPhone } from "../../phone.ts";
import { Placeholder } from "../../picture/placeholder.tsx";
import type { Problem } from "../../problem.ts";
import { query } from "../../router.ts";

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

/** Where everything of the view is, also before it is there. On a phone, the picture is below, unless asked for. */
export function Canvas(props: CanvasProps) {
  const { isLoading = true, problem, children, panel = <aside class="panel" /> } = props;
  const { loading } = texts.value;
  const isMissing = children === undefined;
  // The key keeps a form and what is typed in it when a phone is turned.
  const side = <Fragment key="panel">{panel}</Fragment>;
  return (
    <main class="hierarchy" aria-busy={isLoading}>
      <h1 class="visually-hidden">{texts.value.views.role}</h1>
      {isPhone.value && isMissing && problem === undefined
        ? isLoading && <p class="loading" role="status">{loading}</p>
        : isPhone.value && problem === undefined
        ? isPictureAsked()
          ? [<FoldedPicture key="picture" {...props} />, side]
          : [side, <FoldedPicture key="picture" {...props} />]
        : [<Picture key="picture" {...props} />, side]}
    </main>
  );
}

/** Whether the address asks what the picture shows: about a person, or the past. */
function isPictureAsked(): boolean {
  return query.value.has("person") || query.value.has("asOf");
}

/** The picture on a phone. */
function FoldedPicture(props: CanvasProps) {
  const isOpen = useSignal(isPictureAsked());
  return (
    <details
      class="folded"
      open={isOpen.value}
      onToggle={({ currentTarget }) => isOpen.value = currentTarget.open}
    >
      <summary>{texts.value.hierarchy.picture}</summary>
      {isOpen.value && <Picture {...props} />}
    </details>
  );
}

function Picture({ isLoading = true, problem, onAgain, toolbar, children }: CanvasProps) {
  const { hierarchy, loading } = texts.value;
  const isMissing = children === undefined;
  return (
    <div class="canvas">
      <div class="toolbar beside">
        <PastBand />
        {toolbar}
      </div>
      <ProblemNote problem={problem} describe={describeAsOf} isRetried={isMissing} />
      {isMissing && <AgainButton problem={problem} isLoading={isLoading} onAgain={onAgain} />}
      {!isMissing && <a class="skip" href="#panel" onClick={skip}>{hierarchy.skip}</a>}
      {children ?? (
        <>
          <div class="stage">
            {isLoading && <p class="visually-hidden" role="status">{loading}</p>}
            <Placeholder />
          </div>
          <div class="foot beside" />
        </>
      )}
    </div>
  );
}
