/**
 * Lifetime of the undo link mailed to the old address, in seconds. Until then no other account can take that address,
 * and no further transfer can start: its undo link would go to the new address of the first one.
 */
export const UNDO_SECONDS = 72 * 3600;

/**
 * Seconds before a transfer from which on its undoing also removes activated factors, made keys and set role
 * passwords: a thief may have secured a way back first.
 */
export const SUSPECT_SECONDS = 72 * 3600;

/** Bytes of an undo token: 256 random bits. */
export const UNDO_TOKEN_BYTES = 32;

/** Characters of a transfer code: 30 bits. */
export const TRANSFER_CODE_LENGTH = 6;
