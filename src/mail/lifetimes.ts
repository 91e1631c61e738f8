/** All limits of mail delivery, in seconds and counts. */

/** Age at which delivery is given up, unless the mail's code or link expires earlier. */
export const GIVE_UP_SECONDS = 86_400;

/** Lease of a claimed mail: longer than a delivery and the writes around it can take. */
export const DELIVERY_LEASE_SECONDS = 120;

/** Maximum number of mails per claim, sent concurrently. */
export const DELIVERY_CLAIM_SIZE = 8;

/** Maximum number of mails that one statement drops. */
export const DROP_BATCH = 500;

/** Number of waiting mails among which the oldest is looked for. */
export const AGE_SAMPLE = 1000;

/** Waits after the 1st, 2nd, … failed attempt; the last one also applies to all later attempts. */
export const RETRY_WAITS_SECONDS = [30, 60, 120, 300, 900, 3600] as const;

/** Time limits of SMTP: for connection and greeting, and for silence of the server. */
export const SMTP_CONNECT_SECONDS = 10;
export const SMTP_SILENCE_SECONDS = 20;

/** Time limit for sending one mail over HTTP. */
export const HTTP_SECONDS = 20;

/** Time limit for sending one mail by SMTP, whatever the server does. */
export const SEND_SECONDS = 45;

/**
 * Delay between commit and delivery, so that the response goes out first and mails committed together are sent
 * together.
 */
export const WAKE_DELAY_SECONDS = 0.1;

/** How long a shutdown waits for mails under way. Unfinished ones are sent again after their lease. */
export const STOP_SECONDS = 3;
