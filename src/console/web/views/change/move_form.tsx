import { useSignal } from "@preact/signals";
import { Choice } from "../../components/choice.tsx";
import { bindTo } from "../../components/form.tsx";
import { bindToRole, RoleField } from "../../components/role_field.tsx";
import { texts } from "../../language.ts";
import { query } from "../../router.ts";
import type { Manages, Role } from "../../schemas.ts";
import { forEachRight } from "../../../../graph/rights.ts";
import { ChangeForm } from "./change_form.tsx";
import { ChangeFrame } from "./change_frame.tsx";
import { GivingRights, presetRights } from "./giving_rights.tsx";
import { putRelation } from "./requests.ts";
import { RoleName } from "./role_name.tsx";

interface MoveFormProps {
  readonly role: Role;
  /** The relations to the role. */
  readonly entering: readonly Manages[];
  /** Their parents that the viewer sees. */
  readonly roles: ReadonlyMap<number, Role>;
}

/** The form that replaces a parent of the role. */
export function MoveForm({ role, entering, roles }: MoveFormProps) {
  const { move: words, join, hiddenRole } = texts.value.change;
  const asked = query.value.get("relation");
  const from = useSignal(String((entering.find(({ id }) => String(id) === asked) ?? entering[0])?.id));
  const replaced = entering.find(({ id }) => String(id) === from.value);
  const to = useSignal<Role | undefined>(undefined);
  const chosen = useSignal(presetRights());
  const title = words.title(<RoleName role={role} />);
  if (replaced === undefined) {
    return (
      <ChangeFrame title={title}>
        <p>{words.noParents}</p>
      </ChangeFrame>
    );
  }
  // By default, the new relation carries the same rights.
  const rights = chosen.value ?? forEachRight((name) => replaced[name]);
  const fault = to.value?.id === role.id
    ? join.same
    : to.value?.id === replaced.parentRoleId
    ? words.same
    : undefined;
  const isComplete = to.value !== undefined && fault === undefined;
  const options = entering.map(({ id, parentRoleId }) =>
    [String(id), roles.get(parentRoleId)?.name ?? hiddenRole] as const
  );
  return (
    <ChangeFrame title={title}>
      <ChangeForm
        request={isComplete && to.value !== undefined
          ? putRelation(to.value, role, rights, replaced)
          : undefined}
        missing={join.choose}
        submit={() => words.submit}
        words={{ ...words, forbidden: join.forbidden }}
        done={words.done}
        elsewhere={to.value?.id}
      >
        <Choice label={words.from} options={Object.fromEntries(options)} {...bindTo(from)} />
        <RoleField label={words.to} {...bindToRole(to)} fault={fault} />
        <GivingRights label={words.rights} value={rights} onValue={(next) => chosen.value = next} />
      </ChangeForm>
    </ChangeFrame>
  );
}
