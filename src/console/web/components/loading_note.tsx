import { texts } from "../language.ts";
import type { Problem } from "../problem.ts";
import { ProblemNote } from "./form.tsx";

interface LoadingNoteProps {
  readonly problem: Problem | undefined;
  /** "hint" inside of something, "loading" where a page will be. */
  readonly class?: "hint" | "loading";
}

/** Instead of what `useLoad` loads: that it is under way, or why it is not there. */
export function LoadingNote({ problem, class: name = "hint" }: LoadingNoteProps) {
  return problem === undefined
    ? <p class={name} role="status">{texts.value.loading}</p>
    : <ProblemNote problem={problem} isRetried />;
}
