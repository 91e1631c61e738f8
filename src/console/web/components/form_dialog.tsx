import type { ComponentProps } from "preact";
import { texts } from "../language.ts";
import { Dialog } from "./dialog.tsx";
import { ProblemForm } from "./form.tsx";
import { StrongName } from "./name.tsx";

interface FormDialogProps extends Omit<ComponentProps<typeof ProblemForm>, "actions"> {
  readonly title: string;
  readonly onClose: () => void;
  /** The name of what it is about. */
  readonly about?: string;
}

/** A form in a modal dialog, with a button that closes it. */
export function FormDialog({ title, onClose, about, children, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <ProblemForm
        {...form}
        actions={<button type="button" onClick={onClose}>{texts.value.cancel}</button>}
      >
        {about !== undefined && (
          <p>
            <StrongName>{about}</StrongName>
          </p>
        )}
        {children}
      </ProblemForm>
    </Dialog>
  );
}
