/** The ways to reach an authenticator (WebAuthn Level 3, 5.8.4, and the older `cable`). */
export const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Returns the known ways, each once, as JSON. Clients may name others, which are of no use. */
export function toTransports(given: readonly string[]): string {
  return JSON.stringify(TRANSPORTS.filter((known) => given.includes(known)));
}
