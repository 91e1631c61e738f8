import { useSignal } from "@preact/signals";
import { Choice } from "../../components/choice.tsx";
import { late } from "../../components/late.tsx";
import { texts } from "../../language.ts";
import { useReturningFocus } from "../change/change_frame.tsx";
import { lateParts } from "../late_parts.ts";
import type { NamedRole } from "../../schemas.ts";
import type { Person } from "./find_person.ts";

const EndForm = late(() => lateParts().loadForms().then(({ EndForm }) => EndForm));

interface EndPanelProps {
  readonly person: Person;
  readonly roles: readonly NamedRole[];
  /** The role to begin with. */
  readonly top: NamedRole;
}

/** The form in the address, `?do=end`: ends all access of the person at and below a role. */
export function EndPanel({ person: { id, email }, roles, top }: EndPanelProps) {
  const { person: words } = texts.value;
  useReturningFocus();
  const role = useSignal(top);
  return (
    <div class="person-form">
      <EndForm role={role.value} person={{ userId: id }} name={email ?? words.id(id)}>
        {roles.length > 1 && (
          <Choice
            label={words.under}
            value={String(role.value.id)}
            options={Object.fromEntries(roles.map(({ id, name }) => [String(id), name]))}
            onValue={(chosen) => role.value = roles.find(({ id }) => String(id) === chosen) ?? top}
          />
        )}
      </EndForm>
    </div>
  );
}
