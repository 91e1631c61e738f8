import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../../api.ts";
import { bindTo, type Describe, Field, ProblemForm } from "../../../components/form.tsx";
import { texts } from "../../../language.ts";
import { hasPasskeys, makePasskey } from "../../../passkey.ts";
import { CancelButton, ChangePage } from "../change_page.tsx";
import { readClient } from "../client_name.ts";
import { sudoApi } from "../sudo.ts";
import { useNewCodes } from "./recovery_codes.tsx";

/** The setup of a passkey, which the browser makes. With the account's first factor come recovery codes. */
export function PasskeySetup() {
  const { accountSecurity: { passkey }, problems } = texts.value;
  const name = useSignal(suggestName());
  const { newCodes, finish } = useNewCodes();
  const add = async (): Promise<void> => {
    const { options } = await dataOf(sudoApi.POST("/user/2fa/passkey/setup", { body: {} }));
    const response = await makePasskey(options);
    const body = { response, ...name.value.trim() !== "" && { name: name.value.trim() } };
    const { recoveryCodes } = await dataOf(sudoApi.POST("/user/2fa/passkey/enable", { body }));
    finish(await isConfirmed(response.id) ? passkey.done : passkey.unconfirmed, recoveryCodes);
  };
  if (newCodes !== undefined) return newCodes;
  return (
    <ChangePage title={passkey.title}>
      <ProblemForm
        submit={passkey.submit}
        working={passkey.working}
        onSubmit={add}
        isReady={hasPasskeys}
        actions={<CancelButton />}
        describe={describeAdding}
      >
        {!hasPasskeys && <p class="note">{problems.PASSKEYS_UNSUPPORTED}</p>}
        <p>{passkey.text}</p>
        <Field label={texts.value.words.name} hint={passkey.nameHint} {...bindTo(name)} />
      </ProblemForm>
    </ChangePage>
  );
}

/** Whether the passkey signs in alone already: where the session proved as much, no mail has to confirm it. */
async function isConfirmed(credentialId: string): Promise<boolean> {
  const list = await dataOf(api.GET("/user/2fa/passkey")).catch(() => undefined);
  return list?.passkey.find((each) => each.credentialId === credentialId)?.confirmed === true;
}

/** Where the passkey is made. */
function suggestName(): string {
  const client = readClient(navigator.userAgent);
  return client === undefined ? "" : texts.value.accountData.sessions.client(client.browser, client.system);
}

/** Describes a refusal of a name. */
export const describeName: Describe = ({ status }) =>
  status === 400 ? texts.value.accountSecurity.passkey.noName : undefined;

const describeAdding: Describe = (problem, left) =>
  problem.status === 409 && problem.code !== "PASSKEY_ALREADY_ACTIVE"
    ? texts.value.accountSecurity.passkey.tooMany
    : describeName(problem, left);
