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

/**
 * A stranger is a client from whose address the account knows no sign-in and no password set by mail. Strangers count
 * per client (an IPv4 address or an IPv6 /64) and per network around it: prefix length, and factor of a client's
 * allowance. Above 1 for the other clients there, but small, since one attacker may have many addresses of a network.
 */
export const IPV4_NETWORKS = [[24, 3]] as const;
/**
 * A household gets a /56, an organization a /48 (RFC 6177; RIPE-690, section 4.2). A /24 and a /48 are also the
 * smallest networks that the Internet routes on their own, so beyond them the owner differs.
 */
export const IPV6_NETWORKS = [[56, 2], [48, 3]] as const;

/**
 * Wrong passwords of strangers in an hour, from one client over all accounts; and accounts on which a client failed for
 * the first time. The second limit is for clients that try one password on many accounts.
 */
export const CLIENT_FAILURES_PER_HOUR = 50;
export const CLIENT_ACCOUNTS_PER_HOUR = 20;

/**
 * Wrong passwords of strangers in a day for one account, from one client. No single network reaches
 * `STRANGER_FAILURES_CROWDED`.
 */
export const STRANGER_FAILURES_PER_DAY = 20;

/**
 * After this many over all networks (NIST SP 800-63B, section 3.2.2: at most 100 failures), strangers need a network
 * that has not failed on this account today. So a user in a new place gets in while others guess.
 */
export const STRANGER_FAILURES_CROWDED = 100;

/**
 * Maximum over all networks, which takes a thousand networks: 365,000 guesses a year on uncommon passwords. Those that
 * people choose should bear a million (Florêncio, Herley, van Oorschot, "An Administrator's Guide to Internet Password
 * Research", 2014). Then strangers set a new password by mail until the day ends, and their address is known.
 */
export const STRANGER_FAILURES_OVERALL = 1000;

/**
 * Wrong responses of passkeys in an hour from one client, over all accounts. They count to no account: there is
 * nothing to guess, and no owner may be locked out by others.
 */
export const PASSKEY_FAILURES_PER_HOUR = 50;

/** New passkeys of an account in a day. A mail announces each, so more would bury what the owner should read. */
export const PASSKEYS_PER_DAY = 20;

/** Invitations that one caller may send, and that one address may get, in the window. */
export const INVITATIONS_PER_CALLER = 50;
export const INVITATIONS_PER_ADDRESS = 1;
export const INVITATION_WINDOW_SECONDS = 86_400;

/** Invitations that are mailed again to one account in that window, besides the one of an addition. */
export const INVITATIONS_AGAIN_PER_ACCOUNT = 1;

/** Reset mails (link or code) that one client may request for one address: gap in seconds, per hour, per day. */
export const RESET_MAIL_GAP_SECONDS = 60;
export const RESET_MAILS_PER_HOUR = 3;
export const RESET_MAILS_PER_DAY = 6;

/** Reset mails in an hour that a stranger may request, over all addresses. */
export const RESET_MAILS_PER_CLIENT_AND_HOUR = 20;

/**
 * Reset mails to one address in a day that strangers request, over all networks. After the first number, each network
 * without a request gets one; after the second, none does. This bounds the mails in the owner's mailbox.
 */
export const RESET_MAILS_CROWDED = 20;
export const RESET_MAILS_OVERALL = 50;

/** Codes mailed for a change of address, per account: gap in seconds, per hour. */
export const TRANSFER_MAIL_GAP_SECONDS = 60;
export const TRANSFER_MAILS_PER_HOUR = 3;

/**
 * Mails in a day to one account about keys and role passwords that it made. More would tell it nothing new, and each
 * key could be made and deleted again at once.
 */
export const MADE_NOTICES_PER_DAY = 20;

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

/** Seconds without such a mail after which the next one counts as the first. */
export const FACTOR_MAIL_MEMORY_SECONDS = 86_400;

/** Such mails to one account, in a window that begins with the first. */
export const FACTOR_MAILS_PER_WINDOW = 10;

/**
 * Those mails that may go to sign-ins from addresses that never signed in to the account before. The rest is kept for
 * known addresses and sessions, so that a stranger with the password alone cannot use them up.
 */
export const STRANGER_FACTOR_MAILS_PER_WINDOW = 5;
export const FACTOR_MAIL_WINDOW_SECONDS = 86_400;

/**
 * Maximum cost of a list of evaluations: one for each evaluation and for each membership that it scans, at about a
 * microsecond each.
 */
export const EVALUATION_STEPS = 250_000;

/** The names of the counters, in `throttle.scope`. */
export const THROTTLE_SCOPES = {
  /** Wrong passwords per account and client address, on the guess schedule. */
  password: "password",
  /** Wrong passwords of strangers per network, and the accounts that they failed on. */
  passwordOfNetwork: "password.address",
  passwordAccountsOfNetwork: "password.accounts",
  /** Wrong passwords of strangers per account, and per account and network. */
  passwordOfStrangers: "password.strangers_by_network",
  /** Wrong responses of passkeys per network. */
  passkeyOfNetwork: "passkey.network",
  /** New passkeys per account. */
  passkeyMade: "passkey.made",
  invitationByCaller: "invitation.caller",
  invitationToAddress: "invitation.address",
  /** Invitations that are mailed again, per account. */
  invitationAgain: "invitation.again",
  /** Members that the keys of one maker add. */
  provisionByMaker: "provision.maker",
  /** Previews of a new member that one of these two counts, per caller, role and address. */
  memberPreviewed: "member.previewed",
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
  /** Reset mails that strangers request, per address, and per address and network. */
  resetMailOfStrangers: "reset_mail.address",
  /** Reset mails that strangers request, per network, over all addresses. */
  resetMailOfNetwork: "reset_mail.client",
  /** Wrong guesses per reset code and network. */
  resetCodeGuess: "reset_code.network",
  /** Transfer codes per account. */
  transferMailGap: "transfer_mail.gap",
  transferMailHour: "transfer_mail.hour",
  /** Mails to an account about what was made with it and outlasts the session. */
  madeNotice: "notice.made",
} as const;

export type ThrottleScope = (typeof THROTTLE_SCOPES)[keyof typeof THROTTLE_SCOPES];
