import type { RoleDeps } from "../role/deps.ts";

/** Dependencies of the Authorization API. */
export type AuthzenDeps = Pick<RoleDeps, "database" | "clock" | "secrets" | "publicUrl" | "metrics">;
