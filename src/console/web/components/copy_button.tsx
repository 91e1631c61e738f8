import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { texts } from "../language.ts";

interface CopyButtonProps {
  readonly text: string;
  /** The element that shows it. Where a browser lets no page copy, it is selected, and the person copies it. */
  readonly shown: RefObject<HTMLElement | null>;
  readonly label?: string;
}

/** Copies a text, and says so beside the button. */
export function CopyButton({ text, shown, label = texts.value.copy.button }: CopyButtonProps) {
  const { copied, selected } = texts.value.copy;
  const done = useSignal("");
  const copy = async (): Promise<void> => {
    done.value = "";
    try {
      await navigator.clipboard.writeText(text);
      done.value = copied;
    } catch {
      // Without https there is no clipboard, and it may be refused.
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
