import { render } from "preact";
import { addressFault } from "./address.ts";
import { App } from "./app.tsx";
import { startLanguage } from "./language.ts";
import { path } from "./router.ts";
import { start } from "./session.ts";
import { startTheme } from "./theme.ts";
import { isView, VIEWS } from "./views.ts";

// A held Enter would press each next button, and resend refused forms.
addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter") event.preventDefault();
});
startTheme();
if (addressFault === undefined) void start();
// Not awaited here: the texts of a language import the file of the build that this is in.
void startLanguage().then(() => {
  loadFirstView();
  render(<App />, document.getElementById("app") as HTMLElement);
});

/** Preloads the first view while the session is being checked. */
function loadFirstView(): void {
  const [name = "role"] = path.value;
  // A failure shows when the view opens.
  if (isView(name)) VIEWS[name].load().catch(() => undefined);
}
