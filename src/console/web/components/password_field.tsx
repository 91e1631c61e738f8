import { useSignal } from "@preact/signals";
import { texts } from "../language.ts";
import { me } from "../me.ts";
import { Field, type FieldProps } from "./form.tsx";

interface PasswordFieldProps extends Omit<FieldProps, "type" | "inputMode" | "list"> {
  readonly autocomplete: "current-password" | "new-password";
}

/** A password field whose text can be shown. */
export function PasswordField(props: PasswordFieldProps) {
  const { show, hide, showLabel, hideLabel } = texts.value.passwordField;
  const isShown = useSignal(false);
  return (
    <div class="password-field">
      <Field {...props} type={isShown.value ? "text" : "password"} />
      <button
        type="button"
        class="plain"
        aria-label={isShown.value ? hideLabel : showLabel}
        onClick={() => isShown.value = !isShown.value}
      >
        {isShown.value ? hide : show}
      </button>
    </div>
  );
}

/** A hidden field that tells password managers the account. */
export function OwnUsername() {
  return (
    <input
      class="visually-hidden"
      autocomplete="username"
      value={me.value?.email ?? ""}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}
