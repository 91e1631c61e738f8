import { signal } from "@preact/signals";

/** The theme; "system" is that of the device. */
export type Theme = "system" | "light" | "dark";

const KEPT = "rolegrid-theme";

/** The chosen theme. */
export const theme = signal<Theme>("system");

/** Applies the theme chosen earlier. */
export function startTheme(): void {
  const kept = localStorage.getItem(KEPT);
  showTheme(kept === "light" || kept === "dark" ? kept : "system");
}

/** Applies a theme, and remembers it on this device. */
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
