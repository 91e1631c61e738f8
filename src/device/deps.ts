import type { RoleDeps } from "../role/deps.ts";

/** Dependencies of the device area. */
export type DeviceDeps = Pick<RoleDeps, "database" | "clock" | "secrets" | "storeLimits">;
