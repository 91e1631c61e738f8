import { loadTexts } from "../language.ts";
import { page } from "../page.ts";

let style: Promise<void> | undefined;

/** Loads the views that come after the first picture, with their style and texts and before they are shown. */
export async function loadDetails() {
  style ??= loadStyle(page.lateStyle);
  style.catch(() => style = undefined);
  return (await Promise.all([import("./details.ts"), style, loadTexts()]))[0];
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
