import { useEffect, useLayoutEffect } from "preact/hooks";
import { say } from "./components/notice.tsx";
import { texts } from "./language.ts";
import { afterOverlay, closeOverlay, overlay, typeAhead } from "./overlay.ts";
import { sessionState } from "./session.ts";
import { loadForms } from "./views/load_details.ts";
import { Boundary } from "./components/boundary.tsx";
import { late } from "./components/late.tsx";

const Palette = late(() => loadForms().then(({ Palette }) => Palette));
const KeyList = late(() => loadForms().then(({ KeyList }) => KeyList));

/** The search of every page, which "/" and Ctrl+K open, and the list of keys, which "?" opens. */
export function Finder() {
  useEffect(() => {
    addEventListener("keydown", openByKey);
    return () => removeEventListener("keydown", openByKey);
  }, []);
  useLayoutEffect(() => {
    if (overlay.value === undefined) afterOverlay();
  }, [overlay.value]);
  const { finder } = texts.value;
  return (
    <>
      <button
        type="button"
        class="finder"
        aria-haspopup="dialog"
        aria-keyshortcuts="/ Control+K"
        onClick={() => overlay.value = "find"}
      >
        {finder}
        <kbd aria-hidden="true">/</kbd>
      </button>
      {overlay.value && (
        <Boundary onFailed={fail}>
          {overlay.value === "find"
            ? <Palette waiting={null} />
            : <KeyList waiting={null} onClose={closeOverlay} />}
        </Boundary>
      )}
    </>
  );
}

/** Closes what did not load, which the same key can try again. */
function fail(): void {
  closeOverlay();
  say(texts.value.failure.text);
}

function openByKey(event: KeyboardEvent): void {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  const isTyping = target instanceof Element &&
    target.matches("input, textarea, select, [contenteditable]");
  if (overlay.value === "find" && document.querySelector("dialog[open]") === null) {
    if ([...key].length !== 1 || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    typeAhead(key);
    return;
  }
  const isPlain = !ctrlKey && !metaKey && !altKey && !isTyping;
  const isFind = (key === "/" && isPlain) || (key === "k" && ctrlKey !== metaKey && !altKey);
  if (!isFind && !(key === "?" && isPlain)) return;
  if (sessionState.value !== "in" || document.querySelector("dialog[open]") !== null) return;
  event.preventDefault();
  overlay.value = isFind ? "find" : "keys";
}
