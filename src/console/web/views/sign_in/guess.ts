import type { Method } from "../../../../identity/factors.ts";
import { dataOf } from "../../api.ts";
import type { Client } from "../../client.ts";
import type { Describe } from "../../components/form.tsx";
import { formatWait, texts } from "../../language.ts";
import { Problem, toProblem } from "../../problem.ts";

/** What the service says of a code that was looked at and is not right. */
const WRONG: readonly string[] = ["TOTP_INVALID", "OTP_INVALID_EXPIRED", "RECOVERY_CODE_INVALID"];
/** What a problem is called here if the code was wrong, and the next one has to wait. */
const WRONG_AND_WAIT = "WRONG_AND_WAIT";

/** Sends a guess of a code. If it is wrong, finds out how long the next one has to wait, which the problem then says. */
export async function withNextGuess<T>(
  client: Client,
  method: Method,
  guess: () => Promise<T>,
): Promise<T> {
  try {
    return await guess();
  } catch (error) {
    const problem = toProblem(error);
    if (!WRONG.includes(problem.code)) throw problem;
    const wait = await nextGuess(client, method).catch(() => 0);
    throw wait > 0 ? new Problem(429, WRONG_AND_WAIT, wait, {}) : problem;
  }
}

/** Seconds; 0 also for mailed codes, whose waits are told by the next guess alone. */
async function nextGuess(client: Client, method: Method): Promise<number> {
  switch (method) {
    case "emailOtp":
      return 0;
    case "totp":
      return (await dataOf(client.GET("/user/2fa/totp/next-guess"))).duration;
    case "recoveryCode":
      return (await dataOf(client.GET("/user/2fa/recovery-code/next-guess"))).duration;
  }
}

/** The six digits of a code, as they are sent. Throws a `Problem` for anything else, which is no guess. */
export function readDigits(text: string): string {
  const digits = text.replaceAll(/\s/g, "");
  if (!/^[0-9]{6}$/.test(digits)) throw new Problem(400, "NO_CODE", undefined, {});
  return digits;
}

/** What became of a guess. */
export const describeGuess: Describe = ({ status, code }, left) => {
  const { guesses } = texts.value.signIn;
  if (status === 400) return guesses.malformed;
  if (status !== 429) return WRONG.includes(code) ? guesses.wrong : undefined;
  const time = formatWait(left);
  return code === WRONG_AND_WAIT ? guesses.wrongAndWait(time) : guesses.wait(time);
};
