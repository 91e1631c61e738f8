/** Lifetime of a mailed reset link, in seconds, and the maximum number of live ones per user. */
export const RESET_LINK_SECONDS = 1800;
export const LIVE_RESET_LINKS = 3;

/** 256 random bits, which nobody can guess in any number of attempts. */
export const LINK_TOKEN_BYTES = 32;

/** Length of a reset code: 30 bits, which are enough against ten guesses (NIST SP 800-63B, 3.1.3.2). */
export const RESET_CODE_LENGTH = 6;

/**
 * Wrong guesses after which a reset code is void, and those from one network (an IPv4 /24 or an IPv6 /48), so that
 * nobody alone makes the code void for its owner. No guesses end a link.
 */
export const RESET_CODE_GUESSES = 10;
export const RESET_CODE_GUESSES_PER_NETWORK = 5;
