/** All limits of the throttles, in seconds and counts. Sources: OWASP ASVS 5.0, V6.3; NIST SP 800-63B, 3.2.2. */

/**
 * The guess schedule: seconds to wait after the nth consecutive failure. The last entry applies to all further ones.
 */
export const GUESS_WAITS_SECONDS = [0, 0, 0, 30, 60, 120, 300, 900, 3600] as const;

/** After this many consecutive failures, the wait is `GUESS_LOCK_SECONDS`. */
export const GUESS_LOCK_FAILURES = 100;
export const GUESS_LOCK_SECONDS = 86_400;

/**
 * Consecutive failures are forgotten this long after their last wait. It equals the longest wait, so a pause allows
 * no more guesses.
 */
export const GUESS_MEMORY_SECONDS = 86_400;

/** Wrong passwords from one client address, over all accounts. */
export const ADDRESS_FAILURES_PER_WINDOW = 50;
export const ADDRESS_WINDOW_SECONDS = 3600;

/**
 * After this many consecutive failures on one account from client addresses that never signed in to it, such
 * addresses get one attempt per `STRANGER_WAIT_SECONDS`. Addresses that did sign in are not affected, so an outsider
 * cannot lock a user out.
 */
export const STRANGER_FAILURES = 100;
export const STRANGER_WAIT_SECONDS = 60;
export const STRANGER_MEMORY_SECONDS = 30 * 86_400;

/** Invitations that one caller may send, and that one address may get. */
export const INVITATIONS_PER_CALLER = 50;
export const INVITATIONS_PER_ADDRESS = 1;
export const INVITATION_WINDOW_SECONDS = 86_400;

/** Reset mails (link or code) that one client may request for one address: gap in seconds, per hour, per day. */
export const RESET_MAIL_GAP_SECONDS = 60;
export const RESET_MAILS_PER_HOUR = 3;
export const RESET_MAILS_PER_DAY = 6;

/** Reset mails to one address per day, from all clients; requests of one client per hour, for all addresses. */
export const RESET_MAILS_PER_ADDRESS_AND_DAY = 20;
export const RESET_MAILS_PER_CLIENT_AND_HOUR = 20;

/** Codes mailed for a change of address, per account: gap in seconds, per hour. */
export const TRANSFER_MAIL_GAP_SECONDS = 60;
export const TRANSFER_MAILS_PER_HOUR = 3;

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;

/** Wrong passwords of one role, over all callers. Each caller also has a guess schedule. */
export const ROLE_PASSWORD_FAILURES_PER_WINDOW = 20;
export const ROLE_PASSWORD_WINDOW_SECONDS = 86_400;

/** Wrong role passwords of one caller, over all roles. Each costs a hash, whether or not the role exists. */
export const CALLER_ROLE_PASSWORD_FAILURES = 50;
export const CALLER_ROLE_PASSWORD_WINDOW_SECONDS = 3600;

/**
 * Codes mailed as a second factor: seconds to wait after the nth consecutive mail. The last entry applies to all
 * further ones.
 */
export const FACTOR_MAIL_WAITS_SECONDS = [60, 120, 300, 900] as const;

/** After this long without such a mail, the next one counts as the first. */
export const FACTOR_MAIL_MEMORY_SECONDS = 86_400;

/** Such mails to one account, in a window that begins with the first. */
export const FACTOR_MAILS_PER_WINDOW = 10;
export const FACTOR_MAIL_WINDOW_SECONDS = 86_400;

/** The names of the counters, in `throttle.scope`. */
export const THROTTLE_SCOPES = {
  /** Wrong passwords per account and client address, on the guess schedule. */
  password: "password",
  passwordOfAddress: "password.address",
  passwordOfStrangers: "password.strangers",
  invitationByCaller: "invitation.caller",
  invitationToAddress: "invitation.address",
  /** Wrong passwords per role and caller, on the guess schedule. */
  rolePasswordByCaller: "role_password.caller",
  rolePassword: "role_password",
  rolePasswordOverRoles: "role_password.all",
  /** Wrong passwords per account, entered in a session, on the guess schedule. */
  ownPassword: "password.own",
  /** Reset mails per address and client address. */
  resetMailGap: "reset_mail.gap",
  resetMailHour: "reset_mail.hour",
  resetMailDay: "reset_mail.day",
  /** Reset mails per address over all clients, and requests per client address over all addresses. */
  resetMailToAddress: "reset_mail.address",
  resetMailByClient: "reset_mail.client",
  /** Transfer codes per account. */
  transferMailGap: "transfer_mail.gap",
  transferMailHour: "transfer_mail.hour",
} as const;

export type ThrottleScope = (typeof THROTTLE_SCOPES)[keyof typeof THROTTLE_SCOPES];
