import { useSignal } from "@preact/signals";
import { Field } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { forEachRight } from "../../../../graph/rights.ts";
import { isSame } from "../../rights.ts";
import { loadRoles } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import { ChangeForm } from "./change_form.tsx";
import { ChangeFrame } from "./change_frame.tsx";
import { GivingRights, presetRights } from "./giving_rights.tsx";
import { updateRole } from "./requests.ts";
import { ExternalIdField, isExternalId, isRoleName, RoleName } from "./role_name.tsx";

/** The form for a role's name, its external id, and the rights of its direct members on it. */
export function EditForm({ role }: { readonly role: Role }) {
  const { edit: words, create } = texts.value.change;
  const now = forEachRight((name) => role.selfRights[name]);
  // Untouched fields follow the role, even if another user changes it.
  const typed = useSignal<string | undefined>(undefined);
  const typedId = useSignal<string | undefined>(undefined);
  const chosen = useSignal(presetRights());
  const text = typed.value ?? role.name;
  const rights = chosen.value ?? now;
  const name = text.trim();
  const idNow = role.externalId ?? "";
  const idText = typedId.value ?? idNow;
  const externalId = idText.trim();
  const given = externalId === idNow ? {} : { externalId: externalId === "" ? null : externalId };
  const isChanged = name !== role.name || externalId !== idNow || !isSame(rights, now);
  const isPossible = isRoleName(name) && isExternalId(externalId);
  return (
    <ChangeFrame title={words.title(<RoleName role={role} />)}>
      <ChangeForm
        request={isChanged && isPossible
          ? updateRole(role.id, { name, selfRights: rights, ...given })
          : undefined}
        basis={{ was: role, look: async () => (await loadRoles([role.id])).get(role.id) }}
        missing={words.unchanged}
        submit={() => words.submit}
        words={words}
        done={words.done}
      >
        <Field
          label={texts.value.words.name}
          value={text}
          onValue={(value) => typed.value = value}
          fault={isRoleName(name) ? undefined : create.nameFault}
        />
        <ExternalIdField value={idText} onValue={(value) => typedId.value = value} />
        <GivingRights
          label={words.selfRights}
          value={rights}
          onValue={(next) => chosen.value = next}
          now={now}
        />
      </ChangeForm>
    </ChangeFrame>
  );
}
