import { render } from "preact";
import { App } from "./app.tsx";
import { startLanguage } from "./language.ts";
import { path } from "./router.ts";
import { start } from "./session.ts";
import { startTheme } from "./theme.ts";
import { isView, VIEWS } from "./views.ts";

// Enter that is held down would press whatever comes next, and send each form that is refused again and again.
addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter") event.preventDefault();
});
startTheme();
void start();
await startLanguage();
loadFirstView();
render(<App />, document.getElementById("app") as HTMLElement);

/** Its files arrive while it is found out whether somebody is signed in. */
function loadFirstView(): void {
  const [name = "role"] = path.value;
  // Whether they can be had is asked again when the view is shown.
  if (isView(name)) VIEWS[name].load().catch(() => undefined);
}
