import { query, withQuery } from "../../router.ts";

/** The addresses of views with links to forms on the page of a role. Others in an address lead nowhere. */
const OPENERS = /^\/(people(\?[^#]*)?|person\/[1-9][0-9]{0,14}|why\?[^#]*)$/;

/** Returns the address of the view that a form returns to; undefined for the page of its role. */
export function openedFrom(): string | undefined {
  const back = query.value.get("back");
  return back !== null && OPENERS.test(back) ? back : undefined;
}

/** Returns the parameters of a form's address that let it return to this view; none on the page of a role. */
export function returningHere(): Readonly<Record<string, string>> {
  const here = withQuery({ undo: undefined });
  return OPENERS.test(here) ? { back: here } : {};
}
