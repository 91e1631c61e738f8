import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { texts } from "../language.ts";

interface CopyButtonProps {
  readonly text: string;
  /** The element with the text. It is selected if the browser does not allow copying. */
  readonly shown: RefObject<HTMLElement | null>;
  readonly label?: string;
}

/** A button that copies a text, with a confirmation beside it. */
export function CopyButton({ text, shown, label = texts.value.copy.button }: CopyButtonProps) {
  const { copied, selected } = texts.value.copy;
  const done = useSignal("");
  const copy = async (): Promise<void> => {
    done.value = "";
    try {
      await navigator.clipboard.writeText(text);
      done.value = copied;
    } catch {
      // There is no clipboard without https, and access may be refused.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      done.value = selected;
    }
  };
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>{label}</button>
      <span class="hint" role="status">{done.value}</span>
    </span>
  );
}
