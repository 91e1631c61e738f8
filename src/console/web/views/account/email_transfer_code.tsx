import { useSignal } from "@preact/signals";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { StrongName } from "../../components/name.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { navigate } from "../../router.ts";
import { reloadAll } from "../../use_load.ts";
import { ChangePage } from "./change_page.tsx";
import {
  completeTransfer,
  describeCode,
  describeSending,
  mailedTo,
  sendCode,
} from "./email_transfer_request.ts";
import { PROFILE } from "./profile.tsx";

/** The second step of a change of the address: the code from the mail. */
export function EmailTransferCode() {
  const { address } = texts.value.accountData;
  const code = useSignal("");
  /** The old address, once replaced. */
  const from = useSignal<string | undefined>(undefined);
  const email = mailedTo();
  const complete = async (): Promise<void> => {
    const old = me.value?.email ?? "";
    await completeTransfer(code.value);
    from.value = old;
    reloadAll();
  };
  if (from.value !== undefined) return <Moved from={from.value} />;
  return (
    <ChangePage title={address.codeTitle} backTo={PROFILE}>
      <ProblemForm
        submit={texts.value.accountData.address.change}
        onSubmit={complete}
        describe={describeCode}
        actions={
          <button type="button" onClick={() => navigate("/account/address")}>{address.another}</button>
        }
      >
        <p>
          {email === undefined
            ? address.sentBefore
            : <Phrase text={address.sent} parts={{ email: <StrongName>{email}</StrongName> }} />}
        </p>
        <Field
          label={texts.value.signIn.emailOtp}
          hint={address.codeHint}
          autocomplete="one-time-code"
          {...bindTo(code)}
        />
      </ProblemForm>
      {email !== undefined && <SendAgain email={email} />}
    </ChangePage>
  );
}

/** Sends another code to the same address, after a wait. */
function SendAgain({ email }: { readonly email: string }) {
  const { address } = texts.value.accountData;
  const isSent = useSignal(false);
  const send = async (): Promise<void> => {
    isSent.value = false;
    await sendCode(email);
    isSent.value = true;
  };
  return (
    <div class="aside">
      <ProblemForm submit={texts.value.signIn.sendAgain} onSubmit={send} describe={describeSending}>
        <p class="hint" role="status">{isSent.value ? address.sentAgain : address.notArrived}</p>
      </ProblemForm>
    </div>
  );
}

function Moved({ from }: { readonly from: string }) {
  const { moved } = texts.value.accountData.address;
  return (
    <ChangePage key="moved" title={moved.title} backTo={PROFILE}>
      {me.value && (
        <p>
          <Phrase text={moved.now} parts={{ email: <StrongName>{me.value.email}</StrongName> }} />
        </p>
      )}
      <p>
        <Phrase text={moved.undo} parts={{ email: <StrongName>{from}</StrongName> }} />
      </p>
      <p>{moved.sessions}</p>
    </ChangePage>
  );
}
