import { useSignal } from "@preact/signals";
import { Field } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { forEachRight } from "../../../../role/rights.ts";
import { isSame } from "../../rights.ts";
import { loadRoles } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import { ChangeForm } from "./change_form.tsx";
import { ChangeFrame } from "./change_frame.tsx";
import { GivingRights, presetRights } from "./giving_rights.tsx";
import { updateRole } from "./requests.ts";
import { isRoleName, RoleName } from "./role_name.tsx";

/** The form for a role's name, and the rights of its direct members on it. */
export function EditForm({ role }: { readonly role: Role }) {
  const { edit: words, create } = texts.value.change;
  const now = forEachRight((name) => role.selfRights[name]);
  // Untouched fields follow the role, even if another user changes it.
  const typed = useSignal<string | undefined>(undefined);
  const chosen = useSignal(presetRights());
  const text = typed.value ?? role.name;
  const rights = chosen.value ?? now;
  const name = text.trim();
  const isChanged = name !== role.name || !isSame(rights, now);
  return (
    <ChangeFrame title={words.title(<RoleName role={role} />)}>
      <ChangeForm
        request={isChanged && isRoleName(name) ? updateRole(role.id, name, rights) : undefined}
        basis={{ was: role, look: async () => (await loadRoles([role.id])).get(role.id) }}
        missing={words.unchanged}
        submit={() => words.submit}
        working={words.working}
        nothing={words.nothing}
        forbidden={words.forbidden}
        done={words.done}
      >
        <Field
          label={words.name}
          value={text}
          onValue={(value) => typed.value = value}
          fault={isRoleName(name) ? undefined : create.nameFault}
        />
        <GivingRights
          label={words.selfRights}
          rights={rights}
          onRights={(next) => chosen.value = next}
          now={now}
        />
      </ChangeForm>
    </ChangeFrame>
  );
}
