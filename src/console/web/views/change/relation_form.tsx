import { useSignal } from "@preact/signals";
import { RightsTicks } from "../../components/rights.tsx";
import { texts } from "../../language.ts";
import { isSame } from "../../rights.ts";
import { query, withQuery } from "../../router.ts";
import type { Manages, Role } from "../../schemas.ts";
import { forEachRight } from "../../../../graph/rights.ts";
import { ChangeForm } from "./change_form.tsx";
import { ChangeFrame, Instead } from "./change_frame.tsx";
import { DeleteForm } from "./delete_form.tsx";
import { GivingRights, presetRights } from "./giving_rights.tsx";
import { loadRelation } from "./loaders.ts";
import { updateRelation } from "./requests.ts";
import { RoleName } from "./role_name.tsx";
import { changedRights, type Previewed } from "./summary.ts";

interface RelationFormProps {
  readonly relation: Manages;
  /** Undefined if the viewer does not see it. */
  readonly parent: Role | undefined;
  readonly child: Role | undefined;
}

/** The form for the rights of a relation, or its deletion. */
export function RelationForm(props: RelationFormProps) {
  if (query.value.get("how") !== "delete") return <RightsForm {...props} />;
  return <DeleteForm {...props} instead={{ how: undefined }} />;
}

function RightsForm({ relation, parent, child }: RelationFormProps) {
  const { relation: words, giving } = texts.value.change;
  const now = forEachRight((name) => relation[name]);
  // By default the relation's rights, even if another user changes them.
  const chosen = useSignal(presetRights());
  const rights = chosen.value ?? now;
  const mayGive = parent?.userRights.roleManagement === true && child?.userRights.roleManagement === true;
  return (
    <ChangeFrame title={words.title(<RoleName role={parent} />, <RoleName role={child} />)}>
      <ChangeForm
        request={isSame(rights, now) ? undefined : updateRelation(relation, rights)}
        basis={{ was: relation, look: () => loadRelation(relation.id, relation.childRoleId) }}
        missing={words.unchanged}
        submit={(shown) => nameChange(shown)}
        words={words}
        done={words.changed}
        elsewhere={relation.parentRoleId}
      >
        <p class="now">
          {words.now} <RightsTicks rights={relation} />
        </p>
        <GivingRights
          label={words.rights}
          value={rights}
          onValue={(next) => chosen.value = next}
          now={now}
          onlyTake={mayGive ? undefined : giving.onlyTake}
        />
      </ChangeForm>
      <Instead to={withQuery({ how: "delete" })}>{words.delete}</Instead>
    </ChangeFrame>
  );
}

/** Returns the text of the button, such as "Take device management away". */
function nameChange(shown: Previewed | undefined): string {
  const { relation: words } = texts.value.change;
  if (shown === undefined) return words.change;
  const [given, taken] = [changedRights(shown, "gained"), changedRights(shown, "lost")];
  if (given.length === 0 && taken.length > 0) return words.take(taken);
  if (taken.length === 0 && given.length > 0) return words.give(given);
  return words.change;
}
