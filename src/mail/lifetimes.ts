/** Every number of mail delivery, in seconds and counts. */

/** Delivery of a mail is given up so long after it was written, or when what it carries expires. */
export const GIVE_UP_SECONDS = 86_400;

/** How long whoever claimed a mail has it to himself: longer than a sending can take, with the writes around it. */
export const DELIVERY_LEASE_SECONDS = 120;

/** Mails that one claim takes, and sends at once. */
export const DELIVERY_CLAIM_SIZE = 8;

/** Mails that one statement gives up at most. */
export const DROP_BATCH = 500;

/** Waits after the 1st, 2nd, … failed attempt; the last one holds for all further ones. */
export const RETRY_WAITS_SECONDS = [30, 60, 120, 300, 900, 3600] as const;

/** Greatest duration of connecting to a mail server, of its greeting, and of its silence. */
export const SMTP_CONNECT_SECONDS = 10;
export const SMTP_SILENCE_SECONDS = 20;

/** Greatest duration of handing a mail over by HTTP. */
export const HTTP_SECONDS = 20;

/** Greatest duration of sending one mail by SMTP, whatever the server does meanwhile. */
export const SEND_SECONDS = 45;

/** Between the commit of a mail and its delivery: the answer goes out first, and mails of one moment go together. */
export const WAKE_DELAY_SECONDS = 0.1;

/** How long a shutdown waits for mails that are being sent; the rest is sent again once its lease is over. */
export const STOP_SECONDS = 3;
