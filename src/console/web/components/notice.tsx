import { signal } from "@preact/signals";

const SHOWN_MS = 8000;

const notice = signal("");
let timer: number | undefined;

/** Shows a notice such as "Invitation sent." It disappears, so never say anything here alone. */
export function say(text: string): void {
  clearTimeout(timer);
  notice.value = text;
  timer = setTimeout(() => notice.value = "", SHOWN_MS);
}

/** The place of the notice, also for screen readers. */
export function Notice() {
  return <p class="notice" role="status">{notice.value}</p>;
}
