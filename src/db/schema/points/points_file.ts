/** The tables of a file that keeps points apart from rights: some of the database's. Its migrations are apart, too. */
export { setting } from "../mail.ts";
export {
  block,
  blockRange,
  carryState,
  countedSeries,
  hourSummary,
  point,
  recentPoint,
  rootPoints,
} from "../telemetry.ts";
