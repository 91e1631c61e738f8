import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { texts } from "../language.ts";
import { sessionState } from "../session.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks for something before anything else goes on. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // An open one would lock the page where one signs in again. It comes back afterwards, with what was typed.
  const isAway = sessionState.value !== "in";
  useEffect(() => {
    if (isAway) return element.current?.close();
    const before = document.activeElement;
    element.current?.showModal();
    // A browser does this if it is closed, and not if it goes away.
    return () => before instanceof HTMLElement && before.focus();
  }, [isAway]);
  // A browser gives the focus back before it tells of the end: Enter would then find the dialog still open.
  const onCancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={onCancel}
      onClose={() => sessionState.value === "in" && onClose()}
    >
      <header>
        <h2 id={id} class="title">{title}</h2>
        <button type="button" class="plain" aria-label={texts.value.close} onClick={onClose}>×</button>
      </header>
      {children}
    </dialog>
  );
}
