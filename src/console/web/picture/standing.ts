import type { SomeRights } from "../rights.ts";

/**
 * A person's rights on a role, possibly none of the six; "none" without access; "unknown" if the viewer may not know.
 */
export type Standing = SomeRights | "none" | "unknown";

/** Returns the rights of a standing, if known. */
export function rightsOf(standing: Standing | undefined): SomeRights | undefined {
  return typeof standing === "object" ? standing : undefined;
}
