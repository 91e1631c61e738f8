import { makeLate } from "../components/late.tsx";

/** Fetches the layout, which is larger than all else of a picture. */
export async function loadLayout() {
  return (await import("./layout.ts")).layOut;
}

/** The layout, once it is there. */
export const useLayout = makeLate(loadLayout);
