/**
 * Lifetimes of sessions and their tokens, in seconds (NIST SP 800-63B, 2.2.3; OWASP ASVS 5.0, V7.3), and how many
 * of them a user may have (OWASP ASVS 5.0, V7.1.2).
 */

/** Live sessions of a user. A sign-in that makes one more ends the one whose latest token is the oldest. */
export const SESSIONS_PER_USER = 100;

/** Sign-ins of a user that wait for a second factor. One more ends another, the oldest from a strange address first. */
export const PARTIAL_LOGINS_PER_USER = 100;

/** Lifetime of a refresh token, from the rotation that issued it. */
export const REFRESH_IDLE_SECONDS = 14 * 86_400;

/** Absolute session lifetime, from the login. */
export const SESSION_SECONDS = 90 * 86_400;

/** Lifetime of a sudo token, which is not renewed (RFC 9470). */
export const SUDO_SECONDS = 300;

/**
 * How long the parent of a refresh token remains valid after the token is first used, and how long a repeated
 * rotation gets the same token. This covers requests in flight and lost responses.
 */
export const REFRESH_OVERLAP_SECONDS = 10;
