import { dataOf } from "../../../api.ts";
import { ProblemForm } from "../../../components/form.tsx";
import { texts } from "../../../language.ts";
import { Problem } from "../../../problem.ts";
import { type AccountChangeProps, CancelButton, ChangePage, finishChange } from "../change_page.tsx";
import { sudoApi } from "../sudo.ts";

/** Asks before the authenticator app is turned off. */
export function TurnTotpOff({ factors }: AccountChangeProps) {
  const { totp } = texts.value.accountSecurity.turnOff;
  return (
    <TurnOff
      words={totp}
      isLast={factors.emailOtp === undefined}
      onSubmit={() => dataOf(sudoApi.DELETE("/user/2fa/totp"))}
    />
  );
}

/** Asks before codes by mail are turned off. */
export function TurnEmailOtpOff({ factors }: AccountChangeProps) {
  const { emailOtp } = texts.value.accountSecurity.turnOff;
  return (
    <TurnOff
      words={emailOtp}
      isLast={factors.totp === undefined}
      onSubmit={() => dataOf(sudoApi.DELETE("/user/2fa/email-otp"))}
    />
  );
}

interface TurnOffProps {
  readonly words: { readonly title: string; readonly text: string; readonly done: string };
  /** Whether no other second factor is left then. */
  readonly isLast: boolean;
  readonly onSubmit: () => Promise<unknown>;
}

function TurnOff({ words, isLast, onSubmit }: TurnOffProps) {
  const { turnOff } = texts.value.accountSecurity;
  const send = async (): Promise<void> => {
    await onSubmit().catch((error) => {
      // Done before: in another tab, or with a response that was lost.
      if (!(error instanceof Problem) || !ALREADY_OFF.includes(error.code)) throw error;
    });
    finishChange(words.done);
  };
  return (
    <ChangePage title={words.title}>
      <ProblemForm
        submit={turnOff.submit}
        working={turnOff.working}
        onSubmit={send}
        actions={<CancelButton />}
        isLoss
      >
        <p>{words.text}</p>
        {isLast && <p class="note">{turnOff.last}</p>}
        <p>{turnOff.others}</p>
      </ProblemForm>
    </ChangePage>
  );
}

const ALREADY_OFF: readonly string[] = ["TOTP_ALREADY_INACTIVE", "EMAIL_OTP_ALREADY_INACTIVE"];
