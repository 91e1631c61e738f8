import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { describeMatch, describeParents, findBest, type FoundRole, LONGEST } from "../find.ts";
import { texts } from "../language.ts";
import { loadRoles } from "../roles.ts";
import type { Role } from "../schemas.ts";
import { useLoad } from "../use_load.ts";
import { usePaused } from "../use_paused.ts";
import { describeProblem, useCountdown } from "./form.tsx";
import { Marked } from "./marked.tsx";
import { Name } from "./name.tsx";

const RESULTS = 8;

interface RoleFieldProps {
  readonly label: string;
  readonly onRole: (role: Role) => void;
  /** The name of the chosen role, shown while the input is empty. */
  readonly chosen?: string | undefined;
  readonly fault?: string | undefined;
}

/** Returns the properties of a field whose role is in a signal. */
export function bindToRole(role: Signal<Role | undefined>): Pick<RoleFieldProps, "chosen" | "onRole"> {
  return { chosen: role.value?.name, onRole: (chosen) => role.value = chosen };
}

/** Finds a role by any part of its name, or by its id (WAI-ARIA Authoring Practices, combobox). */
export function RoleField({ label, onRole, chosen, fault }: RoleFieldProps) {
  const { noRole, others } = texts.value.find;
  const id = useId();
  const text = useSignal<string | undefined>(undefined);
  const pointed = useSignal(0);
  const hasFocus = useSignal(false);
  /** Whether to choose the first matching role once it is loaded. */
  const isWanted = useSignal(false);
  const typed = text.value?.trim() ?? "";
  const { value: asked } = usePaused(typed);
  const { data, problem } = useLoad(`roles ${asked}`, async (signal) => {
    if (asked === "") return { text: asked };
    const found = await findBest(asked, ["role"], signal);
    return {
      text: asked,
      found,
      loaded: await loadRoles(found.role.slice(0, RESULTS).map(({ id }) => id), signal),
    };
  });
  const left = useCountdown(problem);
  const roles = asked === "" ? [] : data?.found?.role.slice(0, RESULTS) ?? [];
  const isLate = data?.text !== typed;
  const isOpen = asked !== "" && hasFocus.value;
  const hasMore = typeof data?.found?.nextCursor.role === "string" ||
    (data?.found?.role.length ?? 0) > RESULTS;
  // A wait is announced once, and visibly counts down.
  const noteAt = (wait: number | undefined): string | undefined =>
    problem !== undefined
      ? describeProblem(problem, wait)
      : data?.found === undefined || isLate
      ? undefined
      : roles.length === 0
      ? noRole
      : describeMatch(asked, data.found) ?? (hasMore ? others : undefined);
  const note = noteAt(left);
  const close = (): void => {
    text.value = undefined;
    pointed.value = 0;
    isWanted.value = false;
  };
  const choose = ({ id }: FoundRole): void => {
    const role = data?.loaded?.get(id);
    close();
    // It may have gone away meanwhile.
    if (role !== undefined) onRole(role);
  };
  useEffect(() => {
    if (isWanted.value && !isLate && roles[0] !== undefined) choose(roles[0]);
    isWanted.value &&= isLate;
  }, [data]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = roles.length - 1;
    if (event.isComposing) return;
    if (event.key === "ArrowDown") pointed.value = Math.min(last, pointed.value + 1);
    else if (event.key === "ArrowUp") pointed.value = Math.max(0, pointed.value - 1);
    else if (event.key === "Escape" && isOpen) close();
    else if (event.key === "Enter" && typed !== "") {
      const role = roles[pointed.value];
      // The matches are not shown yet.
      if (isLate && pointed.value === 0) isWanted.value = true;
      else if (role !== undefined) choose(role);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="field search">
      <label for={id}>{label}</label>
      <input
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={roles.length > 0 ? `${id}-${pointed.value}` : undefined}
        aria-autocomplete="list"
        aria-invalid={fault === undefined ? undefined : "true"}
        aria-describedby={fault === undefined ? undefined : `${id}-note`}
        autocomplete="off"
        maxLength={LONGEST}
        value={text.value ?? chosen ?? ""}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          pointed.value = 0;
          isWanted.value = false;
        }}
        onFocus={() => hasFocus.value = true}
        onBlur={() => hasFocus.value = false}
        onKeyDown={onKeyDown}
      />
      <p class="visually-hidden" role="status">
        {isOpen && roles.length === 0 && noteAt(problem?.retryAfter)}
      </p>
      {fault !== undefined && <p id={`${id}-note`} class="fault">{fault}</p>}
      <ul id={`${id}-list`} class="sheet" role="listbox" aria-label={label} hidden={!isOpen}>
        {roles.map((role, i) => (
          <li
            key={role.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === pointed.value}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(role)}
          >
            <Name>
              <Marked typed={asked}>{role.name}</Marked>
            </Name>{" "}
            <small>{describeParents(role) ?? role.id}</small>
          </li>
        ))}
        {note !== undefined && (
          <li class={problem === undefined ? "hint" : "fault"} role="presentation">{note}</li>
        )}
      </ul>
    </div>
  );
}
