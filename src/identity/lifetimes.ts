/** How long sessions and their tokens live, in seconds (NIST SP 800-63B, 2.2.3; OWASP ASVS 5.0, V7.3). */

/** A refresh token serves so long after the rotation that made it. */
export const REFRESH_IDLE_SECONDS = 14 * 86_400;

/** A session ends so long after its sign-in, whatever happens. */
export const SESSION_SECONDS = 90 * 86_400;

/**
 * How long a predecessor of the current refresh token still serves after its successor was first used: requests in
 * flight, and answers that were lost on the way.
 */
export const REFRESH_OVERLAP_SECONDS = 10;
