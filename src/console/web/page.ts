/** Data that the service put into the page. */
const { dataset } = document.getElementById("app") as HTMLElement;

/** Settings of this service. */
export const page = {
  /** The name of the service. */
  issuerName: dataset["issuer"] ?? "Rolegrid",
  /** Whether to offer one-click sign-in as the demo's people. */
  hasDemo: dataset["demo"] === "true",
} as const;
