import type { ComponentProps } from "preact";
import { texts } from "../language.ts";
import { Dialog } from "./dialog.tsx";
import { ProblemForm } from "./form.tsx";

interface FormDialogProps extends Omit<ComponentProps<typeof ProblemForm>, "actions"> {
  readonly title: string;
  readonly onClose: () => void;
}

/** A form in a modal dialog, with a button that closes it. */
export function FormDialog({ title, onClose, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <ProblemForm
        {...form}
        actions={<button type="button" onClick={onClose}>{texts.value.cancel}</button>}
      />
    </Dialog>
  );
}
