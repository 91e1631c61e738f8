import type { Rights } from "../../graph/rights.ts";

/** A usual set of rights. The name of "" is for languages that have none. */
interface RightPreset {
  readonly names: Readonly<Record<string, string>>;
  readonly rights: Rights;
}

/** Data that the service put into the page. */
const { dataset } = document.getElementById("app") as HTMLElement;

/** Settings of this service. */
export const page = {
  /** The name of the service. */
  issuerName: dataset["issuer"] ?? "Rolegrid",
  /** The address of the style of the views that load after the first picture. */
  lateStyle: dataset["style"] ?? "",
  /** The origin at which the console signs in. */
  origin: dataset["origin"] ?? "",
  /** The domain that passkeys are bound to. */
  passkeyDomain: dataset["passkeys"] ?? "",
  /** For how many days changes can be undone. */
  historyDays: Number(dataset["history"]),
  /** For how many days deleted devices can be restored. */
  trashDays: Number(dataset["trash"]),
  /** The platform's usual sets of rights, the smallest first; none: those of the console. */
  rightPresets: JSON.parse(dataset["presets"] ?? "[]") as readonly RightPreset[],
  /** Whether to offer one-click sign-in as the demo's people. */
  hasDemo: dataset["demo"] === "true",
} as const;
