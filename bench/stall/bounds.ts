/** The bounds that hold during an attack. */

/** The bounds of the victim's slowest answers, in milliseconds, if the machine does nothing else: to aim at, … */
export const IDLE_BOUND_MS = 250;
/** … and not to exceed. Nor may the event loop be busy for so long meanwhile, however much other programs do. */
export const BOUND_MS = 500;
/** The least part of the machine with which a measurement counts. Others must not excuse everything. */
const LEAST_SHARE = 0.1;
/** Other programs left less than this: a request may have been refused because its time was up. */
const BUSY_SHARE = 0.8;
/** Resident memory of the process of the service. */
export const MAX_MEBIBYTES = 400;
/** With more than this, a process does not serve the next attack: it would be blamed for what others left. */
export const MAX_LEFT_MEBIBYTES = 200;

/** How long an attack goes on, in milliseconds: as long as what it holds up may take, so that it shows. */
export const ATTACK_MS = BOUND_MS;
/** How long the victim asks undisturbed before an attack, in milliseconds, to see whether an earlier one is over. */
export const QUIET_MS = 50;

/**
 * The bound of the victim's slowest answer, in milliseconds, if other programs left this part of the machine. Half of a
 * machine takes twice as long.
 */
export function boundOf(share: number, boundMs = BOUND_MS): number {
  return boundMs / Math.max(share, LEAST_SHARE);
}

/** Whether other programs left so little that a request of the attack may have been refused for lack of time. */
export function isBusy(share: number): boolean {
  return share < BUSY_SHARE;
}
