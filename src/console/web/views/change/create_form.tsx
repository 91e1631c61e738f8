import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { bindTo, Field, ProblemForm } from "../../components/form.tsx";
import { say } from "../../components/notice.tsx";
import { RightsField } from "../../components/rights_field.tsx";
import { isolate, texts } from "../../language.ts";
import { NEW_ID } from "../../picture/to_be.ts";
import { ALL, NONE } from "../../rights.ts";
import { navigate } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { reloadAll } from "../../use_load.ts";
import { ChangeFrame, closeForm } from "./change_frame.tsx";
import { createRole } from "./create_role.ts";
import { describeWith } from "./describe_refusal.ts";
import { carriedBy, useOwnMemberships } from "./own_memberships.ts";
import { GivingRights } from "./giving_rights.tsx";
import { ExternalIdField, isExternalId, isRoleName, RoleName } from "./role_name.tsx";
import { findUndo } from "./undoable.ts";
import { useInPicture } from "./use_in_picture.ts";
import type { Rights } from "../../../../graph/rights.ts";

/** The form for a new role below this one. It takes no rights away, so there is no effect to preview. */
export function CreateForm({ role }: { readonly role: Role }) {
  const { create: words, giving, effect } = texts.value.change;
  const text = useSignal("");
  const idText = useSignal("");
  const memberships = useOwnMemberships();
  const chosen = useSignal<Rights | undefined>(undefined);
  const rights = chosen.value ?? carriedBy(memberships);
  const selfRights = useSignal(ALL);
  const name = text.value.trim();
  const hasFault = text.value !== "" && !isRoleName(name);
  const externalId = idText.value.trim();
  const given = externalId === "" ? {} : { externalId };
  const body = { role: { name, selfRights: selfRights.value, ...given }, manages: rights };
  const planned = { id: NEW_ID, name, selfRights: selfRights.value, userRights: NONE };
  const put = { parentRoleId: role.id, childRoleId: NEW_ID, rights, ends: [planned] };
  useInPicture(
    isRoleName(name) ? { drawing: { roleId: NEW_ID, put }, shown: undefined } : undefined,
    memberships,
  );
  // The same key for a retry after a lost response, so that it makes one role.
  const key = useMemo(() => crypto.randomUUID(), [JSON.stringify(body)]);
  const create = async (): Promise<void> => {
    const { role: made, authenticationPolicy: policy, revision } = await createRole(role.id, body, key);
    const undo = findUndo(revision);
    navigate(`/role/${made.id}`, { replace: true });
    const done = policy === undefined || policy.secondFactor === "none" ? words.done : words.doneDemanding;
    void undo.then((action) => say(done(isolate(made.name)), action));
    reloadAll();
  };
  return (
    <ChangeFrame title={words.title(<RoleName role={role} />)}>
      <ProblemForm
        submit={words.submit}
        onSubmit={create}
        isReady={isRoleName(name) && isExternalId(externalId) && rights.roleManagement}
        describe={describeWith(words.forbidden)}
        actions={<button type="button" onClick={closeForm}>{texts.value.cancel}</button>}
      >
        <Field
          label={texts.value.words.name}
          {...bindTo(text)}
          fault={hasFault ? words.nameFault : undefined}
        />
        <ExternalIdField {...bindTo(idText)} />
        <GivingRights
          label={words.relation}
          value={rights}
          onValue={(next) => chosen.value = next}
          needed={giving.needed}
        />
        <RightsField label={words.selfRights} {...bindTo(selfRights)} />
        <h3>{effect.title}</h3>
        <div class="effect-box">
          <p>{words.text(<RoleName role={role} />)}</p>
        </div>
      </ProblemForm>
    </ChangeFrame>
  );
}
