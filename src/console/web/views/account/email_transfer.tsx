import { useSignal } from "@preact/signals";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { navigate } from "../../router.ts";
import { CancelButton, ChangePage } from "./change_page.tsx";
import { describeSending, sendCode } from "./email_transfer_request.ts";
import { PROFILE } from "./profile.tsx";

/** The page for the code. */
const CODE = "/account/address-code";

/** The first step of a change of the address: a code is mailed to the new one. */
export function EmailTransfer() {
  const { address } = texts.value.accountData;
  const email = useSignal("");
  const send = async (): Promise<void> => {
    await sendCode(email.value.trim());
    navigate(CODE);
  };
  return (
    <ChangePage title={address.title} backTo={PROFILE}>
      <p>{address.intro}</p>
      <ul>{address.means.map((text) => <li key={text}>{text}</li>)}</ul>
      <ProblemForm
        submit={address.send}
        onSubmit={send}
        describe={describeSending}
        actions={<CancelButton backTo={PROFILE} />}
      >
        <Field label={address.email} type="email" {...bindTo(email)} />
      </ProblemForm>
      <p class="aside">
        <Link to={CODE}>{address.haveCode}</Link>
      </p>
    </ChangePage>
  );
}
