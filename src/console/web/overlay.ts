import { signal } from "@preact/signals";

/** What lies over every view: the search, or the list of keys. */
export const overlay = signal<"find" | "keys" | undefined>(undefined);

let next: (() => void) | undefined;

let ahead = "";

/** Keeps what is typed while the search loads. */
export function typeAhead(key: string): void {
  ahead += key;
}

/** Returns what was typed meanwhile, once. */
export function takeAhead(): string {
  const typed = ahead;
  ahead = "";
  return typed;
}

/** Closes it, and then does what was chosen in it: the focus has returned by then. */
export function closeOverlay(then?: () => void): void {
  next = then;
  overlay.value = undefined;
}

/** Does what was chosen. */
export function afterOverlay(): void {
  const then = next;
  next = undefined;
  then?.();
}
