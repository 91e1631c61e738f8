import { Check } from "../../components/check.tsx";
import { Name } from "../../components/name.tsx";
import { RoleField } from "../../components/role_field.tsx";
import { texts } from "../../language.ts";
import { loadChildren } from "../../related_roles.ts";
import type { Role } from "../../schemas.ts";
import { useKeptFocus } from "../../use_kept_focus.ts";
import { useLoad } from "../../use_load.ts";

interface OtherRolesProps {
  /** The role of the form. */
  readonly role: Role;
  readonly others: readonly Role[];
  readonly onOthers: (others: readonly Role[]) => void;
  /** How many there may be. */
  readonly most: number;
}

/** Chooses further roles that a form is for: one by one, or all directly below. */
export function OtherRoles({ role, others, onOthers, most }: OtherRolesProps) {
  const { several } = texts.value.demands;
  const box = useKeptFocus<HTMLDivElement>();
  const { data } = useLoad(`directly below ${role.id}`, async (signal) => {
    const { items, next } = await loadChildren(role.id, {}, signal, most);
    return { children: items.flatMap(({ role }) => role ?? []), hasMore: typeof next === "string" };
  });
  const { children = [], hasMore = false } = data ?? {};
  const isChosen = ({ id }: Role): boolean => others.some((other) => other.id === id);
  const withChildren = [...others, ...children.filter((child) => !isChosen(child))];
  const areChosen = children.length > 0 && children.every(isChosen);
  return (
    <div class="other-roles" ref={box}>
      {others.length >= most ? <p class="hint">{several.full(most + 1)}</p> : (
        <RoleField
          label={several.also}
          onRole={(found) => {
            if (found.id !== role.id && !isChosen(found)) onOthers([...others, found]);
          }}
        />
      )}
      {hasMore ? <p class="hint">{several.manyBelow(most)}</p> : children.length > 0 && (
        <Check
          value={areChosen}
          isDisabled={!areChosen && withChildren.length > most}
          onValue={(isChosen) =>
            onOthers(
              isChosen ? withChildren : others.filter(({ id }) => !children.some((child) => child.id === id)),
            )}
        >
          {several.below(children.length)}
        </Check>
      )}
      {others.length > 0 && (
        <ul>
          {others.map(({ id, name }) => (
            <li key={id}>
              <button
                type="button"
                class="filter"
                onClick={() => onOthers(others.filter((other) => other.id !== id))}
              >
                <span class="visually-hidden">{several.leaveOut}</span>
                <span>
                  <Name>{name}</Name>
                </span>
                <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
