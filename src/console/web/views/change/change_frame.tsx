import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Link } from "../../components/link.tsx";
import { takeFocus } from "../../focus_content.ts";
import { navigate, query, without, withQuery } from "../../router.ts";
import { SudoDialog } from "../account/sudo_dialog.tsx";
import { openedFrom } from "./opened_from.ts";

/** No form in an address. */
const NO_FORM = without("do", "how", "relation", "member", "rights", "email", "until", "back");

/** Returns the address of this view with a form, as if no other were open. */
export function addressOfForm(name: string): string {
  return withQuery({ ...NO_FORM, do: name });
}

/** Leaves the form, for the view that it was opened from. "Back" does not lead to it again. */
export function closeForm(): void {
  navigate(openedFrom() ?? withQuery(NO_FORM), { replace: true });
}

interface ChangeFrameProps {
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of every form: its heading, which takes the focus, Escape, which closes it, and the proof that it may need. */
export function ChangeFrame({ title, children }: ChangeFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    // On a phone, the form begins below the picture.
    if (takeFocus(heading.current)) heading.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <>
      <section class="change-form" onKeyDown={(event) => onEscape(event, closeForm)}>
        <h2 ref={heading} class="title" tabIndex={-1}>{title}</h2>
        {children}
      </section>
      {/* Not within the section: Escape closes the dialog alone. */}
      <SudoDialog />
    </>
  );
}

interface InsteadProps {
  readonly to: string;
  readonly children: ComponentChildren;
}

/** A link to what may be done instead of the form. */
export function Instead({ to, children }: InsteadProps) {
  return (
    <p class="instead">
      <Link to={to}>{children}</Link>
    </p>
  );
}

/** Handles keys in a form: Escape leaves it. */
export function onEscape(event: KeyboardEvent, leave: () => void): void {
  if (event.key !== "Escape" || event.defaultPrevented || hasPopup(event.target)) return;
  event.preventDefault();
  leave();
}

/** Whether Escape closes a popup of the browser for the field. */
function hasPopup(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("select, [type='datetime-local'], [list]");
}

/** Returns the focus when a form closes: to the element that opened it, or else to the heading shown instead. */
export function useReturningFocus(): void {
  useEffect(() => {
    const opened = location.pathname + location.search;
    return () =>
      requestAnimationFrame(() => {
        if (query.value.has("do") || document.activeElement !== document.body) return;
        const opener = document.querySelector<HTMLElement>(`[href="${CSS.escape(opened)}"]`);
        const heading = document.querySelector<HTMLElement>(".panel .title") ??
          document.querySelector<HTMLElement>("main h1");
        if (opener === null && heading !== null) heading.tabIndex = -1;
        (opener ?? heading)?.focus();
      });
  }, []);
}
