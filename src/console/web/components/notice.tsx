import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { focusContent } from "../focus_content.ts";
import { texts } from "../language.ts";
import { follow, navigate, query, type QueryChange, ROOT, withQuery } from "../router.ts";

/** What can be done about the content of a notice: a dialog in the address of whatever view is shown. */
export interface NoticeAction {
  readonly label: string;
  readonly query: QueryChange;
}

interface Said {
  readonly text: string;
  readonly action: NoticeAction | undefined;
}

/** How long a notice stays, from the last moment in which the pointer or the focus was on it. */
const SHOWN_MS = 8000;
/** With something to do about it. */
const ACTION_MS = 30_000;

const notice = signal<Said | undefined>(undefined);
let timer: number | undefined;

/**
 * Shows a notice such as "Invitation sent." It disappears, so never say or offer anything here alone. Names in it are
 * isolated (`isolate`).
 */
export function say(text: string, action?: NoticeAction): void {
  notice.value = { text, action };
  waitAgain();
}

function waitAgain(): void {
  clearTimeout(timer);
  timer = setTimeout(close, notice.value?.action === undefined ? SHOWN_MS : ACTION_MS);
}

function close(): void {
  clearTimeout(timer);
  notice.value = undefined;
}

/** The place of the notice, also for screen readers. */
export function Notice() {
  const box = useRef<HTMLDivElement>(null);
  const said = notice.value;
  const action = said?.action;
  const to = action && withQuery(action.query);
  const hadFocus = box.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) focusContent();
  });
  useEffect(() => {
    if (to === undefined) return;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      if (isTyping(event) || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      navigate(to);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [to]);
  // The focus returns to the link when its dialog closes.
  const isOpen = action !== undefined && Object.keys(action.query).some((name) => query.value.has(name));
  useEffect(() => {
    if (isOpen) clearTimeout(timer);
    else if (notice.value !== undefined) waitAgain();
  }, [isOpen]);
  return (
    <div
      ref={box}
      class="notice"
      role="status"
      onPointerEnter={() => clearTimeout(timer)}
      onPointerLeave={waitAgain}
      onFocusIn={() => clearTimeout(timer)}
      onFocusOut={waitAgain}
    >
      {said !== undefined && (
        <>
          <p>{said.text}</p>
          {action !== undefined && to !== undefined && (
            <a href={ROOT + to} onClick={follow} aria-keyshortcuts="Control+Z Meta+Z">{action.label}</a>
          )}
          <button type="button" class="plain" aria-label={texts.value.close} onClick={close}>×</button>
        </>
      )}
    </div>
  );
}

/** Whether the key undoes what was typed in a field. */
function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.matches("textarea, select, input:not([type='checkbox'])");
}
