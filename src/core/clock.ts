/** The source of time: milliseconds since the Unix epoch. Injected everywhere, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
