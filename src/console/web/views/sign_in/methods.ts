/** Second factors by the names of the interface, most convenient first. */
export const METHODS = ["totp", "emailOtp", "recoveryCode"] as const;
/** One of them. */
export type Method = (typeof METHODS)[number];
