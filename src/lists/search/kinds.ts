/** What a search finds. */
export const KINDS = ["role", "person", "device"] as const;
export type Kind = typeof KINDS[number];
