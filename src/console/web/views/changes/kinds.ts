import type { components } from "../../openapi_types.ts";
import type { Policy } from "../../schemas.ts";
import type { ChangeKind as Kind } from "../../../../changes/log_words.ts";

export type { ChangeKind as Kind, Decision } from "../../../../changes/log_words.ts";

/** An entry of the log. */
export type Change = components["schemas"]["Change"] & {
  /** What a role demanded before a change of that, and since. */
  readonly oldAuthenticationPolicy?: Policy | null;
  readonly newAuthenticationPolicy?: Policy | null;
};

/** The subject of a sentence. Some kinds are divided further. */
export type Subject = Kind | "role.rename" | "member.time" | "role.delete";

/** Whether the change was refused. */
export function isRefused({ decision }: Change): boolean {
  return decision !== "ok" && decision !== "noop";
}
