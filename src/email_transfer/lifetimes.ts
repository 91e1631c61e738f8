/**
 * Lifetime of the undo link that is mailed to the old address, in seconds. Until it ends, no other account can take
 * that address and no further transfer can start: a second one would mail its link to the first one's new address.
 */
export const UNDO_SECONDS = 72 * 3600;

/**
 * Undoing a transfer also removes the second factors that were activated, deletes the keys that were made, and voids the
 * role passwords that were set, this many seconds or less before it began, because a thief may secure a way back first.
 */
export const SUSPECT_SECONDS = 72 * 3600;

/** Bytes of an undo token: 256 random bits. */
export const UNDO_TOKEN_BYTES = 32;

/** Characters of a transfer code: 30 bits. */
export const TRANSFER_CODE_LENGTH = 6;
