/**
 * Retention of rows after they expire, in seconds. Nothing depends on their deletion: every read checks expiry itself.
 */

/** Codes, links, reservations and counters. A day, in case clocks differ or an administrator investigates. */
export const EXPIRED_KEPT_SECONDS = 86_400;

/** Sessions, from the time at which they would expire, even if they ended earlier. */
export const SESSION_KEPT_SECONDS = 30 * 86_400;

/** Leaky buckets, from their last use. By then all of them are empty, since none may take longer to drain. */
export const DRAINED_SECONDS = 86_400;

/** Client addresses, from the last sign-in. */
export const KNOWN_ADDRESS_KEPT_SECONDS = 400 * 86_400;

/** Mails, from the time they were queued. Delivery gives up after a day, so this is at least 30 days after delivery. */
export const MAIL_KEPT_SECONDS = 31 * 86_400;

/** Accounts that never had a password and are in no role, from their creation. */
export const UNOPENED_ACCOUNT_KEPT_SECONDS = 30 * 86_400;

/** Rows of the logs of changes and of account security, and among them refused ones. */
export const LOG_KEPT_SECONDS = 400 * 86_400;
export const DENIAL_KEPT_SECONDS = 90 * 86_400;

/** Previews in the log of changes: long enough to merge equal ones, and for an administrator who investigates. */
export const PREVIEW_KEPT_SECONDS = 86_400;

/** Maximum number of rows that one statement deletes, so that other writes get their turn. */
export const PURGE_BATCH = 500;
