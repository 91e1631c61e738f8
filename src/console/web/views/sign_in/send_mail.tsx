import type { ComponentChildren } from "preact";
import { dataOf } from "../../api.ts";
import type { Client } from "../../client.ts";
import { type Describe, ProblemForm, ProblemNote, useCountdown, useWork } from "../../components/form.tsx";
import { Name } from "../../components/name.tsx";
import { formatWait, language, texts } from "../../language.ts";
import { Problem } from "../../problem.ts";
import { useLoad } from "../../use_load.ts";

/** Requests of codes by mail, and of further ones when allowed. */

interface SendMailProps {
  readonly client: Client;
  readonly leave: ComponentChildren;
  readonly onSent: (address: string) => void;
}

/** Requests a code by mail, valid for this login or session only. */
export function SendMail({ client, leave, onSent }: SendMailProps) {
  const { signIn } = texts.value;
  const { data } = useLoad("address of codes", (signal) => dataOf(client.GET("/user/2fa", { signal })));
  const address = data?.emailOtp?.email ?? "";
  const send = async (): Promise<void> => {
    await mailCode(client);
    onSent(address);
  };
  return (
    <ProblemForm submit={signIn.emailOtpSend} onSubmit={send} actions={leave} describe={describeMailWait}>
      <p>
        {signIn.emailOtpTo} <Name>{address}</Name>
      </p>
    </ProblemForm>
  );
}

/** Mails a code, to complete a login or before a sensitive change. */
export async function mailCode(client: Client): Promise<void> {
  const params = { query: { language: language.value } };
  await dataOf(client.POST("/user/2fa/email-otp/challenge", { params, body: {} }));
}

interface SendAgainProps {
  readonly client: Client;
  /** The address that received the code. */
  readonly address: string;
  readonly onSend: () => Promise<void>;
}

/** Confirms a mailed code, and offers another as soon as allowed. */
export function SendAgain({ client, address, onSend }: SendAgainProps) {
  const { signIn } = texts.value;
  const { data: wait, reload } = useLoad("next mail", async (signal) => {
    const { duration } = await dataOf(client.GET("/user/2fa/email-otp/next-email", { signal }));
    return new Problem(429, "", duration, {});
  });
  const left = useCountdown(wait);
  const { isHeld, problem, run } = useWork();
  return (
    <div class="field">
      <p>
        {signIn.emailOtpSent} <Name>{address}</Name>
      </p>
      <p class="hint">
        {wait === undefined
          ? null
          : left > 0
          ? signIn.nextMail(formatWait(left))
          : (
            <button type="button" aria-disabled={isHeld} onClick={() => void run(onSend).then(reload)}>
              {signIn.sendAgain}
            </button>
          )}
      </p>
      <ProblemNote problem={problem} describe={describeMailWait} />
    </div>
  );
}

/** Describes the wait before the next mail. */
export const describeMailWait: Describe = ({ status }, left) =>
  status === 429 ? texts.value.signIn.nextMail(formatWait(left)) : undefined;
