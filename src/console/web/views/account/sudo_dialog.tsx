import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { METHODS } from "../../../../identity/factors.ts";
import { api, dataOf, fetchAsUser } from "../../api.ts";
import { Dialog } from "../../components/dialog.tsx";
import { bindTo, ProblemForm } from "../../components/form.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { OwnUsername, PasswordField } from "../../components/password_field.tsx";
import { texts } from "../../language.ts";
import { page } from "../../page.ts";
import { BY_CLICK } from "../../session.ts";
import { FactorForm } from "../sign_in/factor_form.tsx";
import { type Waiting, waiting } from "./sudo.ts";
import { useFactors } from "./use_factors.ts";

/** Asks for the proof of a waiting request: a second factor, or else the password; none, if a click began the session. */
export function SudoDialog() {
  // Leaving the view, or signing out, cancels the waiting request.
  useEffect(() => () => waiting.value?.cancel(), []);
  if (waiting.value === undefined) return null;
  return (
    <Dialog title={texts.value.accountSecurity.sudo.title} onClose={waiting.value.cancel}>
      <Proof {...waiting.value} />
    </Dialog>
  );
}

function Proof({ confirm, cancel }: Waiting) {
  const { data, problem } = useFactors();
  if (data === undefined) return <LoadingNote problem={problem} />;
  const close = <button type="button" onClick={cancel}>{texts.value.cancel}</button>;
  if (!data.enabled) return <PasswordProof confirm={confirm} close={close} />;
  const methods = METHODS.filter((method) =>
    method === "recoveryCode" ? (data.recoveryCodes?.remaining ?? 0) > 0 : data[method] !== undefined
  );
  return (
    <>
      <p>{texts.value.accountSecurity.sudo.byFactor}</p>
      <FactorForm
        client={api}
        methods={methods}
        onProven={({ sudoToken }) => confirm(sudoToken)}
        leave={close}
      />
    </>
  );
}

interface PasswordProofProps {
  readonly confirm: (sudoToken: string) => void;
  readonly close: ComponentChildren;
}

function PasswordProof({ confirm, close }: PasswordProofProps) {
  const { sudo } = texts.value.accountSecurity;
  const password = useSignal("");
  const isByClick = page.hasDemo && localStorage.getItem(BY_CLICK) === "true";
  const prove = async (): Promise<void> => {
    if (isByClick && password.value === "") return confirm(await proveByClick());
    const body = { password: password.value };
    const { sudoToken } = await dataOf(api.POST("/user/password/authenticate", { body }));
    password.value = "";
    confirm(sudoToken);
  };
  return (
    <ProblemForm
      submit={sudo.submit}
      onSubmit={prove}
      actions={close}
      describe={({ code }) => code === "PASSWORD_INCORRECT" ? sudo.wrong : undefined}
    >
      <p>{sudo.byPassword} {isByClick && sudo.byClick}</p>
      <OwnUsername />
      <PasswordField
        label={texts.value.words.password}
        autocomplete="current-password"
        {...bindTo(password)}
        takesFocus
      />
    </ProblemForm>
  );
}

async function proveByClick(): Promise<string> {
  const sent = fetchAsUser(new Request("/console/demo-proof", { method: "POST" }));
  return await dataOf(sent.then(async (response) => ({ response, data: await response.text() })));
}
