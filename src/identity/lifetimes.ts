/** Lifetimes of sessions and their tokens, in seconds (NIST SP 800-63B, 2.2.3; OWASP ASVS 5.0, V7.3). */

/** Lifetime of a refresh token, from the rotation that issued it. */
export const REFRESH_IDLE_SECONDS = 14 * 86_400;

/** Absolute session lifetime, from the login. */
export const SESSION_SECONDS = 90 * 86_400;

/**
 * How long the predecessor of a refresh token remains valid after its successor is first used. This covers
 * requests in flight and lost responses.
 */
export const REFRESH_OVERLAP_SECONDS = 10;
