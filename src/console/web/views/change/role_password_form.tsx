import { useSignal } from "@preact/signals";
import { api, dataOf } from "../../api.ts";
import { bindTo, ProblemForm } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { PasswordField } from "../../components/password_field.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { RightsField } from "../../components/rights_field.tsx";
import { Time } from "../../components/time.tsx";
import { texts } from "../../language.ts";
import type { components } from "../../openapi_types.ts";
import { NONE } from "../../rights.ts";
import type { Role } from "../../schemas.ts";
import { reloadAll } from "../../use_load.ts";
import { lengthOf } from "../account/password_rules.ts";
import { lastingApi } from "../account/sudo.ts";
import { ChangeFrame, closeForm } from "./change_frame.tsx";
import { describeWith } from "./describe_refusal.ts";
import { RoleName } from "./role_name.tsx";

type RolePassword = components["schemas"]["RolePassword"];

/** The shortest and the longest password of a role, in code points. */
const SHORTEST = 12;
const LONGEST = 128;

/** Loads what is known of a role's password. */
export async function loadRolePassword(roleId: number, signal: AbortSignal): Promise<RolePassword> {
  return await dataOf(api.GET("/v1/role/{roleId}/password", { params: { path: { roleId } }, signal }));
}

interface RolePasswordFormProps {
  readonly role: Role;
  readonly known: RolePassword;
}

/** The form for a role's password, by which others who know it place the role below one of theirs. */
export function RolePasswordForm({ role, known }: RolePasswordFormProps) {
  const { password: words } = texts.value.change;
  const password = useSignal("");
  const rights = useSignal(known.rights ?? NONE);
  const length = lengthOf(password.value);
  const isPadded = password.value !== password.value.trim();
  const put = async (body: { password: string | null; rights?: RolePassword["rights"] & object }) => {
    const params = { path: { roleId: role.id } };
    await dataOf(lastingApi.PUT("/v1/role/{roleId}/password", { params, body }));
    closeForm();
    say(body.password === null ? words.removed : words.done);
    reloadAll();
  };
  const describe = describeWith(words.forbidden);
  const cancel = <button type="button" onClick={closeForm}>{texts.value.cancel}</button>;
  return (
    <ChangeFrame title={words.title(<RoleName role={role} />)}>
      <p>{words.text}</p>
      <Known known={known} />
      <ProblemForm
        describe={describe}
        submit={known.set ? words.replace : words.set}
        isReady={length >= SHORTEST && length <= LONGEST && !isPadded}
        onSubmit={() => put({ password: password.value, rights: rights.value })}
        actions={cancel}
      >
        <PasswordField
          label={words.field}
          hint={words.hint(SHORTEST)}
          {...bindTo(password)}
          autocomplete="new-password"
          fault={isPadded ? words.padded : undefined}
        />
        <RightsField label={words.rights} {...bindTo(rights)} />
      </ProblemForm>
      {known.set && (
        <ProblemForm
          describe={describe}
          submit={words.remove}
          isLoss
          onSubmit={() => put({ password: null })}
        >
          <p>{words.removeText}</p>
        </ProblemForm>
      )}
    </ChangeFrame>
  );
}

/** Since when the role has a password, and what it carries. */
function Known({ known: { set, setAt, rights, works } }: { readonly known: RolePassword }) {
  const { password: words } = texts.value.change;
  if (!set) return <p class="hint">{words.none}</p>;
  return (
    <div class="now">
      <p>
        {words.isSet} {setAt !== null && <Time at={setAt} />} {rights && <RightsTicks rights={rights} />}
      </p>
      {!works && <p class="note">{words.void}</p>}
    </div>
  );
}
