import { texts } from "../language.ts";
import type { Problem } from "../problem.ts";
import { AgainButton } from "./again_button.tsx";
import { ProblemNote } from "./form.tsx";

interface LoadingNoteProps {
  readonly problem?: Problem | undefined;
  /** Loads again what was refused. */
  readonly onAgain?: () => void;
  /** "hint" within content, "loading" in place of a page. */
  readonly class?: "hint" | "loading";
}

/** A note in place of data of `useLoad`, or of what is `late`: loading, or the problem. */
export function LoadingNote({ problem, onAgain, class: name = "hint" }: LoadingNoteProps) {
  return problem === undefined ? <p class={`${name} pending`} role="status">{texts.value.loading}</p> : (
    <>
      <ProblemNote problem={problem} isRetried />
      {onAgain && <AgainButton problem={problem} onAgain={onAgain} />}
    </>
  );
}
