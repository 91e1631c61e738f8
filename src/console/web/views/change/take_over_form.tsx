import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../api.ts";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { PasswordField } from "../../components/password_field.tsx";
import { texts } from "../../language.ts";
import { NONE } from "../../rights.ts";
import { navigate, readId } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { reloadAll } from "../../use_load.ts";
import { ChangeFrame, closeForm } from "./change_frame.tsx";
import { describeWith } from "./describe_refusal.ts";
import { GivingRights } from "./giving_rights.tsx";
import { RoleName } from "./role_name.tsx";

/**
 * The form that places a role below this one by its password, as an installer takes over a customer. It takes no rights
 * away, so there is no effect to preview: a preview would count as a guess of the password.
 */
export function TakeOverForm({ role }: { readonly role: Role }) {
  const { takeOver: words } = texts.value.change;
  const number = useSignal("");
  const password = useSignal("");
  const rights = useSignal(NONE);
  const childRoleId = readId(number.value.trim());
  const hasFault = number.value.trim() !== "" && (childRoleId === undefined || childRoleId === role.id);
  const send = async (): Promise<void> => {
    if (childRoleId === undefined) return;
    await dataOf(api.PUT("/v1/role/{parentRoleId}/manages", {
      params: {
        path: { parentRoleId: role.id },
        query: { childRoleId },
        header: { "X-Child-Role-Password": toHeader(password.value) },
      },
      body: rights.value,
    }));
    navigate(`/role/${childRoleId}`, { replace: true });
    say(words.done);
    reloadAll();
  };
  return (
    <ChangeFrame title={words.title(<RoleName role={role} />)}>
      <p>{words.text}</p>
      <ProblemForm
        submit={words.submit}
        isReady={childRoleId !== undefined && !hasFault && password.value !== ""}
        onSubmit={send}
        describe={describeWith(words.forbidden)}
        actions={<button type="button" onClick={closeForm}>{texts.value.cancel}</button>}
      >
        <Field
          label={words.number}
          hint={words.numberHint}
          {...bindTo(number)}
          inputMode="numeric"
          fault={hasFault ? words.numberFault : undefined}
        />
        <PasswordField
          label={texts.value.words.rolePassword}
          {...bindTo(password)}
          autocomplete="current-password"
        />
        <GivingRights label={texts.value.change.join.rights} {...bindTo(rights)} />
        <p class="hint">{words.atMost}</p>
      </ProblemForm>
    </ChangeFrame>
  );
}

/** Returns the text as a header carries UTF-8: a character for each byte. */
function toHeader(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
