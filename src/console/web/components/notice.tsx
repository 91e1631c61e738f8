import { signal } from "@preact/signals";

const SHOWN_MS = 8000;

const notice = signal("");
let timer: number | undefined;

/** Says that something was done: "Invitation sent." It goes away by itself, so nothing may be said here alone. */
export function say(text: string): void {
  clearTimeout(timer);
  notice.value = text;
  timer = setTimeout(() => notice.value = "", SHOWN_MS);
}

/** Where it is said, to screen readers, too. */
export function Notice() {
  return <p class="notice" role="status">{notice.value}</p>;
}
