import { FACTORS, MAIN_FACTORS } from "../../../../../identity/factors.ts";
import { dataOf } from "../../../api.ts";
import { ProblemForm } from "../../../components/form.tsx";
import { texts } from "../../../language.ts";
import { Problem } from "../../../problem.ts";
import { type AccountChangeProps, CancelButton, ChangePage, finishChange } from "../change_page.tsx";
import { sudoApi } from "../sudo.ts";

interface TurnOffProps extends AccountChangeProps {
  readonly factor: "totp" | "emailOtp";
}

/** Asks before a factor is turned off. */
export function TurnOff({ factor, factors }: TurnOffProps) {
  const { turnOff } = texts.value.accountSecurity;
  const words = turnOff[factor];
  const others = MAIN_FACTORS.map((kind) => FACTORS[kind].name).filter((name) => name !== factor);
  const isLast = others.every((name) => factors[name] === undefined);
  const send = async (): Promise<void> => {
    await dataOf(sudoApi.DELETE(PATHS[factor])).catch((error) => {
      // Done already, in another tab or with a lost response.
      if (!(error instanceof Problem) || !ALREADY_OFF.includes(error.code)) throw error;
    });
    finishChange(words.done);
  };
  return (
    <ChangePage title={words.title}>
      <ProblemForm
        submit={texts.value.accountSecurity.overview.turnOff}
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

const PATHS = { totp: "/user/2fa/totp", emailOtp: "/user/2fa/email-otp" } as const;
const ALREADY_OFF: readonly string[] = ["TOTP_ALREADY_INACTIVE", "EMAIL_OTP_ALREADY_INACTIVE"];
