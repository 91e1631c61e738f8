/** What the service wrote into the page. */
const { dataset } = document.getElementById("app") as HTMLElement;

/** What differs from one service to another. */
export const page = {
  /** The name of the service. */
  issuerName: dataset["issuer"] ?? "Rolegrid",
  /** Whether the demo's people may be signed in by a click. */
  hasDemo: dataset["demo"] === "true",
} as const;
