import { normalizeEmail } from "../../../../core/email.ts";
import { useSignal } from "@preact/signals";
import { dataOf } from "../../api.ts";
import { Field, ProblemForm, ProblemNote } from "../../components/form.tsx";
import { Name } from "../../components/name.tsx";
import { Phrase } from "../../components/sentence.tsx";
import { RoleLink } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { Problem } from "../../problem.ts";
import type { Role } from "../../schemas.ts";
import { signOut } from "../../session.ts";
import { useLoad } from "../../use_load.ts";
import { CancelButton, ChangePage } from "./change_page.tsx";
import { hasLeft } from "./goodbye.tsx";
import { OWN_DATA } from "./own_data.tsx";
import { findLeavingEffect, type LeavingEffect } from "./own_data_effect.ts";
import { sudoApi } from "./sudo.ts";

/** The deletion of the account: its meaning, roles left without a manager, and a confirmation. */
export function Leave() {
  const { leave } = texts.value.accountData;
  const email = me.value?.email;
  const { data, problem } = useLoad(
    `leaving ${email}`,
    async (signal) => email === undefined ? undefined : await findLeavingEffect(email, signal),
  );
  return (
    <ChangePage title={leave.title} backTo={OWN_DATA}>
      <ul>{leave.means.map((text) => <li key={text}>{text}</li>)}</ul>
      <h2>{leave.roles}</h2>
      <ProblemNote problem={problem} isRetried />
      {data === undefined
        ? problem === undefined && <p class="hint" role="status">{leave.looking}</p>
        : <Effect effect={data} />}
      {data?.keeps.length === 0 && email !== undefined && <Confirmation email={email} />}
    </ChangePage>
  );
}

function Effect({ effect }: { readonly effect: LeavingEffect }) {
  const { leave } = texts.value.accountData;
  const { memberships, hasMore, keeps, unmanaged, moreUnmanaged, isPartial } = effect;
  if (keeps.length > 0) {
    return (
      <div class="note">
        <p>{leave.keeps}</p>
        <RoleList roles={keeps} />
      </div>
    );
  }
  const isCalm = unmanaged.length === 0 && moreUnmanaged === 0;
  return (
    <>
      {isCalm
        ? <p>{memberships === 0 ? leave.noRoles : leave.allManaged(memberships)}</p>
        : (
          <div class="note">
            <p>{leave.unmanaged}</p>
            <RoleList roles={unmanaged} />
            {moreUnmanaged > 0 && <p>{leave.moreUnmanaged(moreUnmanaged)}</p>}
          </div>
        )}
      {(hasMore || isPartial) && <p class="hint">{leave.partial}</p>}
      {memberships > 1 && <p class="hint">{leave.oneByOne}</p>}
    </>
  );
}

function RoleList({ roles }: { readonly roles: readonly Role[] }) {
  return (
    <ul>
      {roles.map(({ id, name }) => (
        <li key={id}>
          <RoleLink id={id} name={name} />
        </li>
      ))}
    </ul>
  );
}

function Confirmation({ email }: { readonly email: string }) {
  const { leave } = texts.value.accountData;
  const typed = useSignal("");
  const fault = useSignal<string | undefined>(undefined);
  const erase = async (): Promise<void> => {
    const isRight = normalizeEmail(typed.value) === normalizeEmail(email);
    fault.value = isRight ? undefined : leave.different;
    if (!isRight) return;
    await dataOf(sudoApi.DELETE("/user"));
    hasLeft.value = true;
    // The session has ended with the account; only a worthless cookie remains.
    await signOut().catch(() => undefined);
  };
  return (
    <div class="risky">
      <ProblemForm
        submit={leave.submit}
        onSubmit={erase}
        describe={describe}
        actions={<CancelButton backTo={OWN_DATA} />}
      >
        <p>
          <Phrase text={leave.typeAddress} parts={{ email: <Name>{email}</Name> }} />
        </p>
        <Field
          label={leave.confirm}
          value={typed.value}
          fault={fault.value}
          onValue={(value) => {
            typed.value = value;
            fault.value = undefined;
          }}
        />
      </ProblemForm>
    </div>
  );
}

function describe({ status, code }: Problem): string | undefined {
  const { leave } = texts.value.accountData;
  if (code === "TRANSFER_TOO_SOON") return leave.transferred;
  return status === 409 ? leave.keepsNow : undefined;
}
