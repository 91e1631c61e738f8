/** The tables of a file that keeps points apart from rights: some of the database's. Its migrations are apart, too. */
export { setting } from "../mail.ts";
export { block, blockRange, carryState, hourSummary, point, recentPoint } from "../telemetry.ts";
