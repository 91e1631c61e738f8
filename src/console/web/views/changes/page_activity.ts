import { computed, signal } from "@preact/signals";
import { sessionState } from "../../session.ts";

const isVisible = signal(document.visibilityState === "visible");
document.addEventListener("visibilitychange", () => {
  isVisible.value = document.visibilityState === "visible";
});

/** Whether the browser has a connection, as far as it knows. */
export const isOnline = signal(navigator.onLine);
for (const name of ["online", "offline"]) {
  addEventListener(name, () => {
    isOnline.value = navigator.onLine;
  });
}

/** Whether the page should load news: its user is signed in, and the page is visible. */
export const isInUse = computed(() => isVisible.value && isOnline.value && sessionState.value === "in");
