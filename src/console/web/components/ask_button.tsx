import { useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentProps } from "preact";
import { FormDialog } from "./form_dialog.tsx";

interface AskButtonProps extends Omit<ComponentProps<typeof FormDialog>, "onClose"> {
  /** What the button says. */
  readonly button: ComponentChildren;
  /** What screen readers say instead. */
  readonly label?: string;
  readonly class?: string;
}

/** A button that asks in a dialog before it does something. Once that is done, the dialog closes. */
export function AskButton({ button, label, class: name, onSubmit, ...form }: AskButtonProps) {
  const isAsked = useSignal(false);
  const close = (): void => void (isAsked.value = false);
  return (
    <>
      <button type="button" class={name} aria-label={label} onClick={() => isAsked.value = true}>
        {button}
      </button>
      {isAsked.value && <FormDialog {...form} onClose={close} onSubmit={() => onSubmit().then(close)} />}
    </>
  );
}
