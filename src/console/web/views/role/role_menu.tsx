import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { isolate, texts } from "../../language.ts";
import { NODE, type Point } from "../../picture/scene.ts";
import { query } from "../../router.ts";
import type { Role } from "../../schemas.ts";
import { addressOfForm } from "../change/change_frame.tsx";
import { useAllowed } from "./allowed.ts";

interface RoleMenuProps {
  readonly role: Role;
  /** Whether the viewer is a direct member of the role. */
  readonly isMember: boolean;
  /** Whether the viewer sees a role above it. */
  readonly hasParents: boolean;
  /** The middle of the role's box. */
  readonly place: Point;
}

const ID = "role-menu";
/** How far the button reaches into the box, whose text begins there. */
const INSIDE = 6;

/** A button at the box of a role, with what the viewer may do with the role. On the box, the key M opens it. */
export function RoleMenu({ place, ...rest }: RoleMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || (key !== "m" && key !== "ContextMenu")) return;
      if (!(target instanceof Element) || !target.matches(".graph .box[aria-current]")) return;
      event.preventDefault();
      // Scrolling would close it.
      button.current?.focus({ preventScroll: true });
      button.current?.click();
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    // It stands where the button was, which the buttons of the zoom move, too.
    const close = ({ target }: Event): void => {
      const isWithin = target instanceof Node &&
        (target === button.current || sheet.current?.contains(target));
      if (!isWithin) sheet.current?.hidePopover();
    };
    const listening = new AbortController();
    const { signal } = listening;
    for (const name of ["scroll", "resize", "focusin"]) {
      addEventListener(name, close, { capture: true, signal });
    }
    return () => listening.abort();
  }, [isOpen.value]);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="box-menu"
        popovertarget={ID}
        aria-label={texts.value.role.menu(isolate(rest.role.name))}
        style={{ left: `${place.x + NODE.width / 2 - INSIDE}px`, top: `${place.y}px` }}
      >
        ⋯
      </button>
      <div
        id={ID}
        ref={sheet}
        class="box-sheet sheet"
        popover="auto"
        onBeforeToggle={({ currentTarget }) =>
          button.current !== null && putAt(currentTarget, button.current)}
        onToggle={({ newState }) => isOpen.value = newState === "open"}
        onClick={({ target, currentTarget }) =>
          target instanceof HTMLAnchorElement && currentTarget.hidePopover()}
      >
        {isOpen.value && <Actions {...rest} />}
      </div>
    </>
  );
}

/** Puts a sheet below a button. The style keeps it within the window. */
function putAt({ style }: HTMLElement, button: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect();
  style.setProperty("--left", `${left}px`);
  style.setProperty("--top", `${bottom}px`);
}

function Actions({ role, isMember, hasParents }: Omit<RoleMenuProps, "place">) {
  const { role: { about, relations, people }, views } = texts.value;
  const { allowed, problem } = useAllowed(role, isMember);
  if (allowed === undefined) return <LoadingNote problem={problem} />;
  const person = query.value.get("person");
  const asked = new URLSearchParams({ role: String(role.id), ...person === null ? {} : { person } });
  return (
    <>
      {allowed.mayExtend && <Link to={addressOfForm("create")}>{relations.create}</Link>}
      {allowed.mayManagePeople && <Link to={addressOfForm("member")}>{people.invite}</Link>}
      {allowed.mayChange && <Link to={addressOfForm("edit")}>{about.edit}</Link>}
      {allowed.mayChange && hasParents && <Link to={addressOfForm("delete")}>{about.delete}</Link>}
      <Link to={`/why?${asked}`}>{views.why}</Link>
    </>
  );
}
