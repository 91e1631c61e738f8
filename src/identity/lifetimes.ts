/**
 * Lifetimes of sessions and their tokens, in seconds (NIST SP 800-63B, 2.2.3; OWASP ASVS 5.0, V7.3), and their number
 * per user (OWASP ASVS 5.0, V7.1.2).
 */

/** Maximum number of live sessions per user. One more ends the session whose latest token is the oldest. */
export const SESSIONS_PER_USER = 100;

/** Maximum number of pending sign-ins per user. One more ends another, the oldest from an unknown address first. */
export const PARTIAL_LOGINS_PER_USER = 100;

/** Lifetime of a refresh token, from its issue. */
export const REFRESH_IDLE_SECONDS = 14 * 86_400;

/** Absolute session lifetime, from the login. */
export const SESSION_SECONDS = 90 * 86_400;

/** Lifetime of the link that confirms a new factor. */
export const FACTOR_LINK_SECONDS = 7 * 86_400;

/** Lifetime of a sudo token, which is not renewed (RFC 9470). */
export const SUDO_SECONDS = 300;

/**
 * How long a refresh token's parent stays valid after the token's first use, and how long a repeated rotation gets
 * the same token. Covers requests in flight and lost responses.
 */
export const REFRESH_OVERLAP_SECONDS = 10;
