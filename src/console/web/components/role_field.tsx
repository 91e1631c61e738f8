import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useId } from "preact/hooks";
import { findRoles } from "../roles.ts";
import { texts } from "../language.ts";
import type { Role } from "../schemas.ts";
import { useLoad } from "../use_load.ts";
import { describeProblem, useCountdown } from "./form.tsx";
import { Name } from "./name.tsx";

const PAUSE_MS = 150;

interface RoleFieldProps {
  readonly label: string;
  readonly onRole: (role: Role) => void;
  /** The name of the chosen role, shown while the input is empty. */
  readonly chosen?: string | undefined;
  /** Shows the label only inside the empty input. */
  readonly isLabelInside?: boolean;
  readonly input?: RefObject<HTMLInputElement | null>;
  readonly fault?: string | undefined;
}

/** Finds a role by the beginning of its name, or by its id (WAI-ARIA Authoring Practices, combobox). */
export function RoleField(props: RoleFieldProps) {
  const { label, onRole, chosen, isLabelInside = false, input, fault } = props;
  const { none } = texts.value.roleField;
  const id = useId();
  const text = useSignal<string | undefined>(undefined);
  const asked = useSignal("");
  const pointed = useSignal(0);
  const hasFocus = useSignal(false);
  /** Whether to choose the first matching role once it is loaded. */
  const isWanted = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => asked.value = text.value?.trim() ?? "", PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text.value]);
  const { state } = useLoad(`roles ${asked.value}`, async (signal) => {
    const { value } = asked;
    return { text: value, roles: await findRoles(value, signal) };
  });
  const { data, problem, isLoading } = state.value;
  const left = useCountdown(problem);
  const roles = asked.value === "" ? [] : data?.roles ?? [];
  const isLate = data?.text !== text.value?.trim();
  // A wait is announced once, and visibly counts down.
  const said = isLoading
    ? undefined
    : problem === undefined
    ? none
    : describeProblem(problem, problem.retryAfter);
  const isOpen = asked.value !== "" && hasFocus.value;
  const close = (): void => {
    text.value = undefined;
    asked.value = "";
    pointed.value = 0;
    isWanted.value = false;
  };
  const choose = (role: Role): void => {
    close();
    onRole(role);
  };
  useEffect(() => {
    if (isWanted.value && !isLate && roles[0] !== undefined) choose(roles[0]);
    isWanted.value &&= isLate;
  }, [data]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = roles.length - 1;
    if (event.key === "ArrowDown") pointed.value = Math.min(last, pointed.value + 1);
    else if (event.key === "ArrowUp") pointed.value = Math.max(0, pointed.value - 1);
    else if (event.key === "Escape" && isOpen) close();
    else if (event.key === "Enter" && (text.value?.trim() ?? "") !== "") {
      const role = roles[pointed.value];
      // The matches are not shown yet.
      if (isLate && pointed.value === 0) isWanted.value = true;
      else if (role !== undefined) choose(role);
    } else return;
    event.preventDefault();
  };
  return (
    <div class={isLabelInside ? "search" : "field search"}>
      {!isLabelInside && <label for={id}>{label}</label>}
      <input
        ref={input ?? null}
        id={id}
        role="combobox"
        aria-label={isLabelInside ? label : undefined}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={roles.length > 0 ? `${id}-${pointed.value}` : undefined}
        aria-autocomplete="list"
        aria-invalid={fault === undefined ? undefined : "true"}
        aria-describedby={fault === undefined ? undefined : `${id}-note`}
        autocomplete="off"
        placeholder={isLabelInside ? label : undefined}
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
      <p class="visually-hidden" role="status">{isOpen && roles.length === 0 && said}</p>
      {fault !== undefined && <p id={`${id}-note`} class="fault">{fault}</p>}
      <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={!isOpen}>
        {roles.map((role, i) => (
          <li
            key={role.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === pointed.value}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(role)}
          >
            <Name>{role.name}</Name> <small>{role.id}</small>
          </li>
        ))}
        {roles.length === 0 && said !== undefined && (
          <li class={problem === undefined ? "hint" : "fault"} role="presentation">
            {problem === undefined ? said : describeProblem(problem, left)}
          </li>
        )}
      </ul>
    </div>
  );
}
