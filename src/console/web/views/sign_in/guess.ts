import type { Method } from "../../../../identity/factors.ts";
import { dataOf } from "../../api.ts";
import type { Client } from "../../client.ts";
import type { Describe } from "../../components/form.tsx";
import { formatWait, texts } from "../../language.ts";
import { Problem, toProblem } from "../../problem.ts";

/** A factor that is proved by a code. */
export type CodeMethod = Exclude<Method, "passkey">;

/** The service's errors for a wrong code. */
const WRONG: readonly string[] = ["TOTP_INVALID", "OTP_INVALID_EXPIRED", "RECOVERY_CODE_INVALID"];
/** The code of a problem if a guess was wrong and the next has to wait. */
const WRONG_AND_WAIT = "WRONG_AND_WAIT";

/** Sends a guess. If it is wrong, adds the wait before the next one to the problem. */
export async function withNextGuess<T>(
  client: Client,
  method: CodeMethod,
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

/** Returns the wait in seconds; 0 for mailed codes, whose wait only the next guess tells. */
async function nextGuess(client: Client, method: CodeMethod): Promise<number> {
  switch (method) {
    case "emailOtp":
      return 0;
    case "totp":
      return (await dataOf(client.GET("/user/2fa/totp/next-guess"))).duration;
    case "recoveryCode":
      return (await dataOf(client.GET("/user/2fa/recovery-code/next-guess"))).duration;
  }
}

/** Reads the six digits of a code. Throws a `Problem` for other texts, which do not count as guesses. */
export function readDigits(text: string): string {
  const digits = text.replaceAll(/\s/g, "");
  if (!/^[0-9]{6}$/.test(digits)) throw new Problem(400, "NO_CODE", undefined, {});
  return digits;
}

/** Describes the result of a guess. */
export const describeGuess: Describe = ({ status, code }, left) => {
  const { guesses } = texts.value.signIn;
  if (status === 400) return guesses.malformed;
  if (status !== 429) return WRONG.includes(code) ? guesses.wrong : undefined;
  const time = formatWait(left);
  return code === WRONG_AND_WAIT ? guesses.wrongAndWait(time) : guesses.wait(time);
};
