/** What holds while somebody attacks. Generous, since tests run side by side on a machine with two cores. */

/** The victim's slowest answer is at most this many times the slowest of the quiet run … */
const TIMES_QUIET = 20;
/** … or at most this long, in milliseconds. */
const FLOOR_MS = 500;
/** Resident memory of the process of the service. With a copy of the database, it peaks at 390 with nothing else beside it. */
export const MAX_MEBIBYTES = 512;
/** With more than this, a process does not serve the next attack: it would be blamed for what others left. */
export const MAX_LEFT_MEBIBYTES = 200;

/** How long the victim asks undisturbed, and how long an attack goes on, in milliseconds. */
export const QUIET_MS = 400;
export const ATTACK_MS = 1000;
/** When a request of the attack, or of the victim, is given up. */
export const ATTACK_LIMIT_MS = 30_000;

/** The bound of the victim's slowest answer, in milliseconds. */
export function boundOf(quietSlowestMs: number): number {
  return Math.max(TIMES_QUIET * quietSlowestMs, FLOOR_MS);
}
