import type { RoleDeps } from "../role/deps.ts";

/** What the device area needs from outside. */
export type DeviceDeps = Pick<RoleDeps, "database" | "clock">;
