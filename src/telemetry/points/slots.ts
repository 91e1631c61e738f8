/** How time is divided where a fleet's points lie (`recentPoint`, `block`). */

/** Nanoseconds of a slot: few enough that many devices fill its pages, and enough that an hour has few. */
export const SLOT_NS = 120_000_000_000;
export const HOUR_NS = 3_600_000_000_000;
export const HOUR_MS = 3_600_000;
export const HOUR_S = 3_600;
export const SLOTS_PER_HOUR = HOUR_NS / SLOT_NS;

/** The id of a block is its hour times this, plus the id of its series. */
export const BLOCKS_PER_HOUR = 2 ** 36;
