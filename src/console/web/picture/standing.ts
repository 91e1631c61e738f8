import type { SomeRights } from "../rights.ts";

/**
 * What somebody may do on a role: rights, which may be none of the six; "none" without any access; "unknown" if whoever
 * looks may not ask.
 */
export type Standing = SomeRights | "none" | "unknown";

/** The rights of a standing, if they are known. */
export function rightsOf(standing: Standing | undefined): SomeRights | undefined {
  return typeof standing === "object" ? standing : undefined;
}
