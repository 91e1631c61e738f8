/** The bounds that hold during an attack. */

/** The bounds of the victim's slowest answers, in milliseconds: on an idle machine, … */
export const IDLE_BOUND_MS = 250;
/** … and on one that is busy: tests run side by side on two cores. */
export const BUSY_BOUND_MS = 500;
/**
 * If even the quiet run is slow because of other work, the slowest answer is at most this many times that of the quiet
 * run.
 */
const TIMES_QUIET = 20;
/** Resident memory of the process of the service. */
export const MAX_MEBIBYTES = 400;
/** With more than this, a process does not serve the next attack: it would be blamed for what others left. */
export const MAX_LEFT_MEBIBYTES = 200;

/** How long an attack goes on, in milliseconds: as long as what it holds up may take, so that it shows. */
export const ATTACK_MS = BUSY_BOUND_MS;
/** How long the victim asks undisturbed before an attack that is repeated, in milliseconds: for `boundOf`. */
export const QUIET_MS = 400;
/** How long it asks undisturbed before a first attack, to see whether an earlier one is over. */
export const PAUSE_MS = 50;
/** When a request of the attack, or of the victim, is given up. */
export const ATTACK_LIMIT_MS = 30_000;

/** The bound of the victim's slowest answer on a busy machine, in milliseconds. Reads and writes have one each. */
export function boundOf(quietSlowestMs: number): number {
  return Math.max(TIMES_QUIET * quietSlowestMs, BUSY_BOUND_MS);
}
