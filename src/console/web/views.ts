import type { FunctionComponent } from "preact";
import { late } from "./components/late.tsx";
import { loadTexts } from "./language.ts";
import { loadLayout } from "./picture/late_layout.ts";
import { Hierarchy } from "./views/hierarchy/hierarchy.tsx";
import { loadDetails, loadDevices, loadPages, loadWhy } from "./views/load_details.ts";
import type { ViewProps } from "./views/view_props.ts";

/** A view, and how it is loaded. */
interface View {
  readonly View: ReturnType<typeof late<ViewProps>>;
  /** Loads its files; otherwise `View` does when first shown. */
  readonly load: () => Promise<unknown>;
  /** Whether it is in the navigation, by its name in `texts.views`. */
  readonly isInNavigation: boolean;
}

function loadView(
  load: () => Promise<FunctionComponent<ViewProps>>,
  isInNavigation = true,
): View {
  const loadWithTexts = async () => (await Promise.all([load(), loadTexts()]))[0];
  return { View: late(loadWithTexts), load: loadWithTexts, isInNavigation };
}

/**
 * All views by the first part of their path, in the order of the navigation. `role` is part of the page's script.
 */
export const VIEWS = {
  home: loadView(() => loadPages().then(({ Home }) => Home)),
  role: loadView(() => {
    // Loaded while the first requests are under way.
    loadLayout().catch(() => undefined);
    return Promise.resolve(Hierarchy);
  }),
  why: loadView(() => loadWhy().then(({ Why }) => Why)),
  changes: loadView(() => loadDetails().then(({ Changes }) => Changes)),
  devices: loadView(() => loadDevices().then(({ Devices }) => Devices)),
  person: loadView(() => loadPages().then(({ Person }) => Person), false),
  account: loadView(() => loadPages().then(({ Account }) => Account), false),
  people: loadView(() => loadPages().then(({ People }) => People), false),
};

/** The first part of the path of a view. */
export type ViewName = keyof typeof VIEWS;

/** Whether a path's first part names a view. */
export function isView(name: string): name is ViewName {
  return Object.hasOwn(VIEWS, name);
}
