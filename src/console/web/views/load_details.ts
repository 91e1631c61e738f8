import { loadTexts } from "../language.ts";
import { page } from "../page.ts";
import { provideParts } from "./late_parts.ts";

/** The files of the build that come after the first picture: `details.ts` says how they build on each other. */

export const loadDetails = () => loadStyled(import("./details.ts"));
export const loadDevices = () => loadStyled(import("./devices.ts"));
export const loadForms = () => loadStyled(import("./forms.ts"));
export const loadPages = () => loadStyled(import("./pages.ts"));
export const loadRole = () => loadStyled(import("./role.ts"));
export const loadWhy = () => loadStyled(import("./why.ts"));

provideParts({ loadForms, loadRole });

let style: Promise<void> | undefined;

/** Loads the files that the first view does not need, so that no click waits for them. A click shows a failure. */
export function loadRest(): void {
  void Promise.allSettled([loadDevices(), loadWhy(), loadPages(), loadForms()]);
}

/** Loads a file, and with it the style and the texts that it is shown with. */
async function loadStyled<Exports>(file: Promise<Exports>): Promise<Exports> {
  style ??= loadStyle(page.lateStyle);
  style.catch(() => style = undefined);
  return (await Promise.all([file, style, loadTexts()]))[0];
}

function loadStyle(href: string): Promise<void> {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  return new Promise((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new TypeError("The style did not load"));
    };
    document.head.append(link);
  });
}
