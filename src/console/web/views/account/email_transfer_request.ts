import { signal } from "@preact/signals";
import { dataOf } from "../../api.ts";
import { formatWait, language, texts } from "../../language.ts";
import type { Problem } from "../../problem.ts";
import { userId } from "../../session.ts";
import { sudoApi } from "./sudo.ts";

interface Mailed {
  readonly user: string | undefined;
  readonly email: string;
}

const mailed = signal<Mailed | undefined>(undefined);

/** Returns the address to which this page had the latest code mailed. */
export function mailedTo(): string | undefined {
  return mailed.value?.user === userId.value ? mailed.value?.email : undefined;
}

/** Mails a code to the new address of the account. */
export async function sendCode(email: string): Promise<void> {
  const params = { query: { language: language.value } };
  await dataOf(sudoApi.POST("/user/email/initiate", { params, body: { email } }));
  mailed.value = { user: userId.value, email };
}

/** Moves the account with the mailed code; case does not matter. */
export async function completeTransfer(code: string): Promise<void> {
  await dataOf(sudoApi.PUT("/user/email", { body: { otp: code.replaceAll(/\s/g, "") } }));
  mailed.value = undefined;
}

/** Returns the reason for refusing to mail a code. */
export function describeSending({ status, code }: Problem, left: number): string | undefined {
  const { faults } = texts.value.accountData.address;
  if (code === "TOO_MANY_TRANSFER_ATTEMPTS") return faults.wait(formatWait(left));
  if (code === "TRANSFER_TOO_SOON") return faults.tooSoon;
  return status === 400 ? texts.value.notAnAddress : undefined;
}

/** Returns the reason for refusing a code. */
export function describeCode({ status, code }: Problem): string | undefined {
  const { faults } = texts.value.accountData.address;
  if (code === "NEW_EMAIL_ALREADY_IN_USE") return faults.inUse;
  return code === "OTP_INVALID_EXPIRED" || status === 400 ? faults.code : undefined;
}
