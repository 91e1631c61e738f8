/** How long what is over is kept, in seconds. Nothing depends on its being gone: every read checks for itself. */

/** Codes, links, reservations, counters: a day, so that clocks that differ and an administrator who looks find them. */
export const EXPIRED_KEPT_SECONDS = 86_400;

/** Sessions after their end. One that was ended early goes when it would have ended by itself. */
export const SESSION_KEPT_SECONDS = 30 * 86_400;

/** Leaky buckets after their last use: by then every one is empty, since none may take longer to drain. */
export const DRAINED_SECONDS = 86_400;

/** Client addresses since the last sign-in from there. */
export const KNOWN_ADDRESS_KEPT_SECONDS = 400 * 86_400;

/** Mails after they were written: delivery gives up after a day, so this is 30 days after delivery at the least. */
export const MAIL_KEPT_SECONDS = 31 * 86_400;

/** Accounts that nobody ever set a password for, and that no role has as a member. */
export const UNOPENED_ACCOUNT_KEPT_SECONDS = 30 * 86_400;

/** The logs of changes and of account security, and in them what was refused. */
export const LOG_KEPT_SECONDS = 400 * 86_400;
export const DENIAL_KEPT_SECONDS = 90 * 86_400;

/** Rows that one statement takes at most: others write in between. */
export const PURGE_BATCH = 500;
