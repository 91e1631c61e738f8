import { useSignal } from "@preact/signals";
import { bindTo } from "../../components/form.tsx";
import { bindToRole, RoleField } from "../../components/role_field.tsx";
import { texts } from "../../language.ts";
import { NONE } from "../../rights.ts";
import type { Role } from "../../schemas.ts";
import { ChangeForm } from "./change_form.tsx";
import { ChangeFrame } from "./change_frame.tsx";
import { GivingRights, presetRights } from "./giving_rights.tsx";
import { putRelation } from "./requests.ts";
import { RoleName } from "./role_name.tsx";

interface JoinFormProps {
  readonly role: Role;
  /** Whether the other role goes above this one, or below. */
  readonly isParent: boolean;
}

/** The form for a relation between the role and another existing one. */
export function JoinForm({ role, isParent }: JoinFormProps) {
  const { join: words } = texts.value.change;
  const other = useSignal<Role | undefined>(undefined);
  const rights = useSignal(presetRights() ?? NONE);
  const [parent, child] = isParent ? [other.value, role] : [role, other.value];
  const isSame = other.value?.id === role.id;
  const isComplete = parent !== undefined && child !== undefined && !isSame;
  return (
    <ChangeFrame title={(isParent ? words.parentTitle : words.childTitle)(<RoleName role={role} />)}>
      <ChangeForm
        request={isComplete ? putRelation(parent, child, rights.value) : undefined}
        missing={words.choose}
        submit={(shown) => shown?.isNew === false ? texts.value.change.relation.change : words.submit}
        words={words}
        exists={words.exists}
        done={words.done}
      >
        <RoleField
          label={isParent ? texts.value.words.managedBy : texts.value.words.manages}
          {...bindToRole(other)}
          fault={isSame ? words.same : undefined}
        />
        <GivingRights label={words.rights} {...bindTo(rights)} />
        {isComplete && <p class="hint">{words.sees(<RoleName role={parent} />, <RoleName role={child} />)}
        </p>}
      </ChangeForm>
    </ChangeFrame>
  );
}
