/** How long a mailed reset link serves, in seconds, and how many of a user serve at the same time. */
export const RESET_LINK_SECONDS = 1800;
export const LIVE_RESET_LINKS = 3;

/** 256 random bits: nobody guesses a link, however often he may try. */
export const LINK_TOKEN_BYTES = 32;

/** Characters of a reset code: 30 bits, which five guesses hardly touch (NIST SP 800-63B, 3.1.3.2). */
export const RESET_CODE_LENGTH = 6;
