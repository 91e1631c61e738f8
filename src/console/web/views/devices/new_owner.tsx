import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { bindTo, Field, ProblemNote, useWork } from "../../components/form.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { bindToRole, RoleField } from "../../components/role_field.tsx";
import { texts } from "../../language.ts";
import { ALL } from "../../rights.ts";
import { loadRoles } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import { createRole } from "../change/create_role.ts";
import { describeWith } from "../change/describe_refusal.ts";
import { carriedBy, useOwnMemberships } from "../change/own_memberships.ts";
import { isRoleName } from "../change/role_name.tsx";

/**
 * The role that takes over, made within the form where there is none yet. Below which role is always chosen: beside the
 * seller's may be below the seller.
 */
export function NewOwner({ onMade }: { readonly onMade: (role: Role) => void }) {
  const { deviceForms: { handOver }, change: { create: words } } = texts.value;
  const isOpen = useSignal(false);
  const summary = useRef<HTMLElement>(null);
  const typed = useSignal("");
  const chosen = useSignal<Role | undefined>(undefined);
  const memberships = useOwnMemberships();
  const { isWorking, isHeld, problem, run } = useWork();
  const { value: parent } = chosen;
  const name = typed.value.trim();
  const isReady = isRoleName(name) && parent !== undefined;
  // The same key for a retry after a lost response, so that it makes one role.
  const key = useMemo(() => crypto.randomUUID(), [name, parent?.id]);
  const make = async (): Promise<void> => {
    if (!isReady) return;
    const manages = carriedBy(memberships);
    const { role: { id } } = await createRole(parent.id, { role: { name, selfRights: ALL }, manages }, key);
    const made = (await loadRoles([id ?? 0])).get(id ?? 0);
    if (made === undefined) return;
    isOpen.value = false;
    typed.value = "";
    // The button disappears with the fields.
    summary.current?.focus();
    onMade(made);
  };
  return (
    <details
      class="more"
      open={isOpen.value}
      onToggle={(event) => isOpen.value = event.currentTarget.open}
    >
      <summary ref={summary}>{handOver.newOwner}</summary>
      <div
        onKeyDown={(event) => {
          const isName = event.target instanceof Element && event.target.matches("input:not([role])");
          if (event.key !== "Enter" || !isName) return;
          // Not the form around it.
          event.preventDefault();
          void run(make);
        }}
      >
        <Field
          label={texts.value.words.name}
          {...bindTo(typed)}
          fault={typed.value !== "" && !isRoleName(name) ? words.nameFault : undefined}
        />
        <RoleField label={texts.value.words.managedBy} {...bindToRole(chosen)} />
        {parent !== undefined && (
          <p class="beside">
            {words.relation} <RightsTicks rights={carriedBy(memberships)} />
          </p>
        )}
        <ProblemNote problem={problem} describe={describeWith(words.forbidden)} />
        <button type="button" aria-disabled={isHeld || !isReady} onClick={() => void run(make)}>
          {isWorking.value ? texts.value.working : words.submit}
        </button>
      </div>
    </details>
  );
}
