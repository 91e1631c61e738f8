import { signal } from "@preact/signals";

/** The appearance; "system" is that of the device. */
export type Theme = "system" | "light" | "dark";

const KEPT = "rolegrid-theme";

/** The appearance that was chosen. */
export const theme = signal<Theme>("system");

/** Shows the appearance that was chosen here before. */
export function startTheme(): void {
  const kept = localStorage.getItem(KEPT);
  showTheme(kept === "light" || kept === "dark" ? kept : "system");
}

/** Shows it from now on, on this device. */
export function chooseTheme(chosen: Theme): void {
  showTheme(chosen);
  if (chosen === "system") localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, chosen);
}

function showTheme(chosen: Theme): void {
  theme.value = chosen;
  const { dataset } = document.documentElement;
  if (chosen === "system") delete dataset["theme"];
  else dataset["theme"] = chosen;
}
