import { FACTORS, MAIN_FACTORS } from "../../../../../identity/factors.ts";
import { dataOf } from "../../../api.ts";
import { ProblemForm } from "../../../components/form.tsx";
import { texts } from "../../../language.ts";
import { Problem } from "../../../problem.ts";
import { type AccountChangeProps, CancelButton, ChangePage, finishChange } from "../change_page.tsx";
import { sudoApi } from "../sudo.ts";

/** Asks before turning off the authenticator app. */
export function TurnTotpOff({ factors }: AccountChangeProps) {
  const turnOff = () => dataOf(sudoApi.DELETE("/user/2fa/totp"));
  return <TurnOff factor="totp" factors={factors} onSubmit={turnOff} />;
}

/** Asks before turning off codes by mail. */
export function TurnEmailOtpOff({ factors }: AccountChangeProps) {
  const turnOff = () => dataOf(sudoApi.DELETE("/user/2fa/email-otp"));
  return <TurnOff factor="emailOtp" factors={factors} onSubmit={turnOff} />;
}

interface TurnOffProps extends AccountChangeProps {
  readonly factor: "totp" | "emailOtp";
  readonly onSubmit: () => Promise<unknown>;
}

function TurnOff({ factor, factors, onSubmit }: TurnOffProps) {
  const { turnOff } = texts.value.accountSecurity;
  const words = turnOff[factor];
  const others = MAIN_FACTORS.map((kind) => FACTORS[kind].name).filter((name) => name !== factor);
  const isLast = others.every((name) => factors[name] === undefined);
  const send = async (): Promise<void> => {
    await onSubmit().catch((error) => {
      // Done already, in another tab or with a lost response.
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
