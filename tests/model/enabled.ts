/** What the service has by now of the operations below; random sequences leave the others out. */
export const ENABLED: ReadonlySet<
  "bounds" | "keys" | "move" | "preview" | "preview members" | "explain" | "access"
> = new Set(["bounds", "keys", "access", "explain", "preview", "move"]);
