import { makeLate } from "../components/late.tsx";

/** Loads the layout, the largest part of a picture. */
export async function loadLayout() {
  return (await import("./layout.ts")).layOut;
}

/** Returns the layout once it is loaded. */
export const useLayout = makeLate(loadLayout);
