import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../../api.ts";
import { bindTo, Field, ProblemForm } from "../../../components/form.tsx";
import { language, texts } from "../../../language.ts";
import { me } from "../../../me.ts";
import { describeGuess, readDigits } from "../../sign_in/guess.ts";
import { describeMailWait, SendAgain } from "../../sign_in/send_mail.tsx";
import { type AccountChangeProps, CancelButton, ChangePage } from "../change_page.tsx";
import { sudoApi } from "../sudo.ts";
import { useNewCodes } from "./recovery_codes.tsx";

/** The setup of codes by mail, or of another address for them: the address, then its code. */
export function EmailOtpSetup({ factors }: AccountChangeProps) {
  const { emailOtp } = texts.value.accountSecurity;
  const isMailed = useSignal(false);
  const { newCodes, finish } = useNewCodes();
  const typed = useSignal<string | undefined>(undefined);
  const address = typed.value ?? factors.emailOtp?.email ?? me.value?.email ?? "";
  const send = async (): Promise<void> => {
    const params = { query: { language: language.value } };
    const body = { email: address.trim() };
    await dataOf(sudoApi.POST("/user/2fa/email-otp/setup", { params, body }));
    isMailed.value = true;
  };
  if (newCodes !== undefined) return newCodes;
  return (
    <ChangePage title={factors.emailOtp ? emailOtp.changeTitle : emailOtp.title}>
      {isMailed.value
        ? <Confirm address={address.trim()} onAgain={send} onDone={(codes) => finish(emailOtp.done, codes)} />
        : (
          <ProblemForm
            submit={emailOtp.send}
            onSubmit={send}
            actions={<CancelButton />}
            describe={(problem, left) =>
              problem.status === 400 ? texts.value.notAnAddress : describeMailWait(problem, left)}
          >
            <p>{emailOtp.text}</p>
            <Field
              label={emailOtp.address}
              type="email"
              hint={emailOtp.addressHint}
              value={address}
              onValue={(value) => typed.value = value}
            />
          </ProblemForm>
        )}
    </ChangePage>
  );
}

interface ConfirmProps {
  readonly address: string;
  readonly onAgain: () => Promise<void>;
  readonly onDone: (recoveryCodes: readonly string[]) => void;
}

function Confirm({ address, onAgain, onDone }: ConfirmProps) {
  const { accountSecurity: { emailOtp }, signIn } = texts.value;
  const code = useSignal("");
  const confirm = async (): Promise<void> => {
    const body = { otp: readDigits(code.value) };
    const { recoveryCodes } = await dataOf(api.POST("/user/2fa/email-otp/enable", { body }));
    onDone(recoveryCodes);
  };
  return (
    <ProblemForm
      submit={texts.value.accountSecurity.totp.submit}
      onSubmit={confirm}
      actions={<CancelButton />}
      describe={(problem, left) =>
        problem.code === "EMAIL_OTP_UNINITIALIZED" ? emailOtp.over : describeGuess(problem, left)}
    >
      <SendAgain client={api} address={address} onSend={onAgain} />
      <Field
        label={signIn.emailOtp}
        hint={signIn.hints.emailOtp}
        autocomplete="one-time-code"
        inputMode="numeric"
        {...bindTo(code)}
        takesFocus
      />
    </ProblemForm>
  );
}
