import type { FunctionComponent } from "preact";
import { lazy } from "preact/compat";
import { loadTexts } from "./language.ts";

export interface ViewProps {
  /** What follows the view's name in the path: `["12"]` for `/role/12`. */
  readonly parts: readonly string[];
}

interface View {
  readonly View: FunctionComponent<ViewProps>;
  /** Fetches its files, which `View` otherwise does when it is first shown. */
  readonly load: () => Promise<unknown>;
  /** Whether the navigation leads to it, by its name in `texts.views`. */
  readonly isInNavigation: boolean;
}

function loadView(
  load: () => Promise<{ default: FunctionComponent<ViewProps> }>,
  isInNavigation = true,
): View {
  const loadWithTexts = async () => (await Promise.all([load(), loadTexts()]))[0];
  return { View: lazy(loadWithTexts), load: loadWithTexts, isInNavigation };
}

/** All views by the first part of their path, in the order of the navigation. The first one is also the page's first. */
export const VIEWS = {
  role: loadView(() => import("./views/hierarchy/hierarchy.tsx")),
  why: loadView(() => import("./views/why/why.tsx")),
  changes: loadView(() => import("./views/changes/changes.tsx")),
  devices: loadView(() => import("./views/devices/devices.tsx")),
  account: loadView(() => import("./views/account/account.tsx"), false),
};

export type ViewName = keyof typeof VIEWS;

export function isView(name: string): name is ViewName {
  return Object.hasOwn(VIEWS, name);
}
