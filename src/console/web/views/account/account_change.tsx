import type { FunctionComponent } from "preact";
import { LoadingNote } from "../../components/loading_note.tsx";
import { UnknownPage } from "../../components/unknown_page.tsx";
import type { AccountChangeProps } from "./change_page.tsx";
import { EmailTransfer } from "./email_transfer.tsx";
import { EmailTransferCode } from "./email_transfer_code.tsx";
import { Leave } from "./own_data_leave.tsx";
import { PasswordChange } from "./password_change.tsx";
import { EmailOtpSetup } from "./second_factor/email_otp_setup.tsx";
import { PasskeySetup } from "./second_factor/passkey_setup.tsx";
import { RecoveryReset } from "./second_factor/recovery_reset.tsx";
import { TotpSetup } from "./second_factor/totp_setup.tsx";
import { TurnOff } from "./second_factor/turn_off.tsx";
import { useFactors } from "./use_factors.ts";

/** The pages by the path after `/account/`. */
const CHANGES: Readonly<Record<string, FunctionComponent<AccountChangeProps>>> = {
  "password": PasswordChange,
  "passkey": PasskeySetup,
  "totp": TotpSetup,
  "totp-off": (props) => <TurnOff factor="totp" {...props} />,
  "email-otp": EmailOtpSetup,
  "email-otp-off": (props) => <TurnOff factor="emailOtp" {...props} />,
  "recovery-codes": RecoveryReset,
  "address": EmailTransfer,
  "address-code": EmailTransferCode,
  "delete": Leave,
};

/** `/account/totp`: a change of the account. */
export function AccountChange({ name }: { readonly name: string }) {
  const { data, problem } = useFactors();
  const Page = Object.hasOwn(CHANGES, name) ? CHANGES[name] : undefined;
  if (Page === undefined) return <UnknownPage />;
  if (data === undefined) return <LoadingNote problem={problem} class="loading" />;
  return <Page factors={data} />;
}
