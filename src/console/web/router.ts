import { computed, signal } from "@preact/signals";
import { keepOpener } from "./focus_content.ts";

/** The address as the state of the page: each view can be linked, reloaded and left. */

export const ROOT = "/console";

const address = signal(new URL(location.href));

/** The parts of the path below the console: `["role", "12"]`. */
export const path = computed(() =>
  address.value.pathname.slice(ROOT.length).split("/").filter((part) => part !== "")
);
/** The query of the address. */
export const query = computed(() => address.value.searchParams);

/** How a view was reached. An entry of the history keeps it, also when the page is loaded again. */
interface Arrival {
  /** The address of the view before. */
  readonly from: string;
  /** The entries of the history since then: those of one path are one view. */
  readonly steps: number;
}

function readArrival(): Arrival | undefined {
  return history.state ?? undefined;
}

/** The address of the view that led to this one; undefined for an address that was opened by itself. */
export const cameFrom = computed(() => address.value && readArrival()?.from);

/** Goes back to the view that led to this one. */
export function goBack(): void {
  history.go(-(readArrival()?.steps ?? 1));
}

/** How many times the user went to another page, by a link or "Back". Forms that return to a page do not count. */
export const turns = signal(0);

addEventListener("popstate", () => turnTo(new URL(location.href)));

function turnTo(url: URL): void {
  keepOpener();
  if (url.pathname !== address.value.pathname) turns.value++;
  address.value = url;
}

/** Reads the id in a part of an address; undefined for other texts. */
export function readId(text: string | null | undefined): number | undefined {
  return /^[1-9][0-9]{0,14}$/.test(text ?? "") ? Number(text) : undefined;
}

/** Goes to an address below the console: `/role/12?tab=people`. */
export function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const url = new URL(ROOT + to, location.href);
  if (url.href === location.href) return;
  const arrival = readArrival();
  if (replace) {
    history.replaceState(arrival, "", url);
    address.value = url;
    return;
  }
  const isSameView = url.pathname === location.pathname;
  const next = isSameView
    ? arrival && { ...arrival, steps: arrival.steps + 1 }
    : { from: withQuery({}), steps: 1 };
  history.pushState(next, "", url);
  turnTo(url);
}

/** Parameters of an address to change; undefined removes one. */
export type QueryChange = Readonly<Record<string, string | undefined>>;

/** Returns the change that removes parameters. */
export function without(...names: readonly string[]): QueryChange {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Returns the address of this view with changed parameters. */
export function withQuery(change: QueryChange): string {
  const parameters = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  }
  const text = parameters.toString();
  return address.value.pathname.slice(ROOT.length) + (text === "" ? "" : `?${text}`);
}

/** Handles `onClick` of a link: navigates within the page, unless another tab or window is requested. `go` does it instead. */
export function follow(event: MouseEvent, go?: () => void): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  // As written: the `href` of an SVG link is an object.
  const href = (event.currentTarget as Element).getAttribute("href") ?? ROOT;
  event.preventDefault();
  if (go === undefined) navigate(href.slice(ROOT.length));
  else go();
}
