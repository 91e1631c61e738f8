import { signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 48rem)");

/** Whether the window is that of a phone: there is no room for a picture beside what people come for. */
export const isPhone = signal(narrow.matches);

narrow.addEventListener("change", ({ matches }) => {
  isPhone.value = matches;
});
