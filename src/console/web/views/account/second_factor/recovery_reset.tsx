import { useSignal } from "@preact/signals";
import { dataOf } from "../../../api.ts";
import { ProblemForm } from "../../../components/form.tsx";
import { texts } from "../../../language.ts";
import { CancelButton, ChangePage } from "../change_page.tsx";
import { sudoApi } from "../sudo.ts";
import { NewCodes } from "./recovery_codes.tsx";

/** The replacement of the recovery codes, after a confirmation. */
export function RecoveryReset() {
  const { recovery } = texts.value.accountSecurity;
  const codes = useSignal<readonly string[] | undefined>(undefined);
  const reset = async (): Promise<void> => {
    const { recoveryCodes } = await dataOf(sudoApi.POST("/user/2fa/recovery-code/reset", { body: {} }));
    codes.value = recoveryCodes;
  };
  if (codes.value !== undefined) return <NewCodes codes={codes.value} />;
  return (
    <ChangePage title={recovery.resetTitle}>
      <ProblemForm submit={recovery.reset} onSubmit={reset} actions={<CancelButton />}>
        <p>{recovery.resetText}</p>
      </ProblemForm>
    </ChangePage>
  );
}
