/**
 * For how long a transfer can be undone by the link that is mailed to the old address, in seconds. As long nobody else gets
 * that address, and no further transfer begins: two in a row would lead away from the address that can undo.
 */
export const UNDO_SECONDS = 72 * 3600;

/** 256 random bits. */
export const UNDO_TOKEN_BYTES = 32;

/** Characters of a transfer code: 30 bits. */
export const TRANSFER_CODE_LENGTH = 6;
