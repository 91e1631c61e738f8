import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { focusContent } from "../focus_content.ts";
import { texts } from "../language.ts";
import { follow, navigate, type QueryChange, ROOT, turns, withQuery } from "../router.ts";

/** What can be done about the content of a notice: a dialog in the address of whatever view is shown. */
export interface NoticeAction {
  readonly label: string;
  readonly query: QueryChange;
}

interface Said {
  readonly text: string;
  readonly action: NoticeAction | undefined;
  /** The turn in which it is shown. */
  readonly turn: number;
}

/** How long a notice stays, in seconds, after the pointer or the focus was on it, or a dialog over it. */
const SHOWN = 8;
/** With something to do about it. */
const ACTION_SHOWN = 20;

/** Where it may stand, the usual place first. */
const PLACES = ["", "left", "top"];

const notice = signal<Said | undefined>(undefined);

/**
 * Shows a notice such as "Invitation sent." It disappears after a while, or on another page, so never say or offer
 * anything here alone. Names in it are isolated (`isolate`). `turn`: that of the page that it belongs to.
 */
export function say(text: string, action?: NoticeAction, turn = turns.value): void {
  notice.value = { text, action, turn };
}

function close(): void {
  notice.value = undefined;
}

/** The place of the notice, also for screen readers. */
export function Notice() {
  const box = useRef<HTMLDivElement>(null);
  const said = notice.value?.turn === turns.value ? notice.value : undefined;
  const action = said?.action;
  const to = action && withQuery(action.query);
  const hadFocus = box.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) focusContent();
  });
  useEffect(() => close, []);
  useEffect(() => {
    if (said === undefined) return;
    const shown = action === undefined ? SHOWN : ACTION_SHOWN;
    let left = shown;
    const timer = setInterval(() => {
      const isHeld = isDialogOpen() || document.hidden || box.current?.matches(":hover, :focus-within");
      left = isHeld ? shown : left - 1;
      if (left === 0) close();
    }, 1000);
    return () => clearInterval(timer);
  }, [said]);
  useLayoutEffect(() => {
    const { current } = box;
    if (said === undefined || current === null) return;
    delete current.dataset["place"];
    const move = (): void => uncover(current);
    move();
    addEventListener("focusin", move);
    return () => removeEventListener("focusin", move);
  }, [said]);
  useEffect(() => {
    if (said === undefined) return;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isDialogOpen()) return;
      if (event.key === "Escape") return close();
      if (to === undefined || event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) {
        return;
      }
      if (isTyping(event)) return;
      event.preventDefault();
      navigate(to);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [said, to]);
  return (
    <div ref={box} class="notice" role="status">
      {said !== undefined && (
        <>
          <p>{said.text}</p>
          {action !== undefined && to !== undefined && (
            <a href={ROOT + to} onClick={follow} aria-keyshortcuts="Control+Z Meta+Z">{action.label}</a>
          )}
          <button
            type="button"
            class="plain"
            aria-label={texts.value.close}
            aria-keyshortcuts="Escape"
            onClick={close}
          >
            ×
          </button>
        </>
      )}
    </div>
  );
}

/** Moves the notice to where it covers the fewest controls, and not the one with the focus, unless it is in use itself. */
function uncover(box: HTMLElement): void {
  if (box.matches(":hover, :focus-within")) return;
  const places = [box.dataset["place"] ?? "", ...PLACES].map((place) => {
    box.dataset["place"] = place;
    return { place, covered: countCovered(box) };
  });
  box.dataset["place"] = places.reduce((best, each) => each.covered < best.covered ? each : best).place;
}

/** Pixels between the points of a notice at which it is looked for what is below. */
const STEP = 16;

/** Counts the controls that the notice covers; the one with the focus counts more than all others. */
function countCovered(box: HTMLElement): number {
  const { left, top, right, bottom } = box.getBoundingClientRect();
  const covered = new Set<Element>();
  for (let x = left; x < right; x += STEP) {
    for (let y = top; y < bottom; y += STEP) {
      for (const element of document.elementsFromPoint(x, y)) {
        const control = element === document.activeElement && element !== document.body
          ? element
          : element.closest("a, button, input, select, textarea, summary");
        if (control !== null && !box.contains(control)) covered.add(control);
      }
    }
  }
  return [...covered].reduce((sum, each) => sum + (each === document.activeElement ? 1000 : 1), 0);
}

function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

/** Whether the key undoes what was typed in a field. */
function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.matches("textarea, select, input:not([type='checkbox'])");
}
