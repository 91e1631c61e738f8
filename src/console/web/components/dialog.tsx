import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { texts } from "../language.ts";
import { sessionState } from "../session.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly class?: string;
  /** Whether its title is only for screen readers. */
  readonly isTitleHidden?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog. Escape closes it, and the focus returns to its previous place. */
export function Dialog({ title, onClose, class: name, isTitleHidden = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed while signed out, since it would lock the sign-in page. It returns afterwards, with its input.
  const isAway = sessionState.value !== "in";
  useEffect(() => {
    if (isAway) return element.current?.close();
    const before = document.activeElement;
    element.current?.showModal();
    // Browsers do this on close, but not on removal.
    return () => before instanceof HTMLElement && before.focus();
  }, [isAway]);
  // Browsers return the focus before the close event: Enter would still find the dialog open.
  const onCancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={element}
      class={name}
      aria-labelledby={id}
      onCancel={onCancel}
      onClose={() => sessionState.value === "in" && onClose()}
    >
      <div class="dialog-top">
        <h2 id={id} class={isTitleHidden ? "visually-hidden" : "title"}>{title}</h2>
        <button type="button" class="plain" aria-label={texts.value.close} onClick={onClose}>×</button>
      </div>
      {children}
    </dialog>
  );
}
