/** Lifetime of a reset link, in seconds, and the maximum number of live ones per user. */
export const RESET_LINK_SECONDS = 1800;
export const LIVE_RESET_LINKS = 3;

/** Bytes of a link token: 256 random bits, which cannot be guessed. */
export const LINK_TOKEN_BYTES = 32;

/** Length of a reset code: 30 bits, enough against ten guesses (NIST SP 800-63B, 3.1.3.2). */
export const RESET_CODE_LENGTH = 6;

/**
 * Wrong guesses that void a reset code, and the part of them that one network (an IPv4 /24 or IPv6 /48) may use, so
 * that no network alone voids the owner's code. Guesses never end a link.
 */
export const RESET_CODE_GUESSES = 10;
export const RESET_CODE_GUESSES_PER_NETWORK = 5;
