import { texts } from "../language.ts";
import { isPassing, type Problem } from "../problem.ts";

interface AgainButtonProps {
  readonly problem: Problem | undefined;
  readonly isLoading?: boolean;
  readonly onAgain: () => void;
}

/** A button that loads again what was refused. Problems that may pass by themselves are retried without it. */
export function AgainButton({ problem, isLoading = false, onAgain }: AgainButtonProps) {
  if (problem === undefined || isPassing(problem)) return null;
  const send = ({ currentTarget: { form } }: { readonly currentTarget: HTMLButtonElement }): void => {
    if (isLoading) return;
    // In a form, this goes away while it is loaded.
    form?.querySelector<HTMLElement>("[type=submit]")?.focus();
    onAgain();
  };
  return (
    <button type="button" class="again" aria-disabled={isLoading} onClick={send}>
      {texts.value.list.again}
    </button>
  );
}
