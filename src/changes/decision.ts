import { AppError, type ErrorCode } from "../core/errors.ts";
import { acrOf, type Meets } from "../identity/session_proof.ts";
import { SUDO_SECONDS } from "../identity/lifetimes.ts";
import type { Decision } from "./log_words.ts";

export type { Decision } from "./log_words.ts";

/** The part of a change log row that every change reads back. A missing row means that the session has ended. */
export interface DecisionRow {
  readonly decision: Decision;
  /** In closure rows; of `too_much_stored`, the seconds to wait; of `too_much_to_end`, the number of things. */
  readonly cost: number | null;
  /** The number of the change log row. */
  readonly revision: number;
  /** JSON: the roles and devices that a refusal names, as fields of its response. */
  readonly named?: string | null;
  /** The level that the session would have to meet, of `needs_step_up`. */
  readonly needs?: number | null;
}

const REFUSALS: Readonly<Record<Exclude<Decision, "ok" | "noop">, ErrorCode>> = {
  proof_required: "SUDO_TOKEN_REQUIRED",
  denied: "FORBIDDEN",
  needs_step_up: "STEP_UP_REQUIRED",
  cycle: "WOULD_CREATE_CYCLE",
  unmanaged: "ROLE_WITHOUT_MANAGER",
  would_delete: "WOULD_DELETE",
  root_without_member: "ROOT_WITHOUT_MEMBER",
  root_without_manager: "ROOT_WITHOUT_MANAGER",
  root_without_awake: "ROOT_WITHOUT_AWAKE_MANAGER",
  node_id_taken: "NODE_ID_TAKEN",
  node_id_fixed: "NODE_ID_FIXED",
  external_id_taken: "EXTERNAL_ID_TAKEN",
  modified: "DEVICE_MODIFIED",
  properties_too_large: "PROPERTIES_TOO_LARGE",
  too_many_invitations: "TOO_MANY_INVITATIONS",
  too_many_additions: "TOO_MANY_ADDITIONS",
  too_many_role_passwords: "TOO_MANY_ROLE_PASSWORD_CHECKS",
  too_many_keys: "TOO_MANY_KEYS",
  too_many_monitors: "TOO_MANY_MONITORS",
  period_outside: "OUTSIDE_PERIOD",
  cannot_end: "CANNOT_END_MONITORS",
  period_begins_earlier: "PERIOD_BEGINS_EARLIER",
  period_empty: "PERIOD_EMPTY",
  too_large: "CLOSURE_CHANGE_TOO_LARGE",
  too_much_to_end: "TOO_MUCH_TO_END",
  too_many_roles: "TOO_MANY_ROLES",
  too_many_devices: "TOO_MANY_DEVICES",
  too_much_stored: "CHANGE_BUCKET_FULL",
  moved: "UNAVAILABLE",
  key_reused: "IDEMPOTENCY_KEY_REUSED",
  changed_since: "CHANGED_SINCE",
  cannot_undo: "CANNOT_UNDO",
};

/** The decisions of refused changes, as the log names them. */
export const REFUSED_DECISIONS: readonly string[] = Object.keys(REFUSALS);

/** Refusals that a later retry can overcome. Their errors carry the option `retryAfterSeconds`. */
const REFUSED_FOR_NOW: ReadonlySet<Decision> = new Set([
  "too_many_invitations",
  "too_many_additions",
  "too_many_role_passwords",
]);

/** Returns the row of a change that was made or a noop. Throws the error of a refused one. */
export function accepted<T extends DecisionRow>(
  row: T | undefined,
  options: { maxCost?: number; retryAfterSeconds?: number } = {},
): T {
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.decision === "ok" || row.decision === "noop") return row;
  const code = REFUSALS[row.decision];
  if (code === "CLOSURE_CHANGE_TOO_LARGE") {
    throw new AppError(code, { message: tooLarge(row, options.maxCost) });
  }
  if (code === "TOO_MUCH_TO_END") throw new AppError(code, { message: tooMuchToEnd(row) });
  if (code === "STEP_UP_REQUIRED") throw new AppError(code, { acr: acrOf(row.needs as Meets) });
  if (code === "SUDO_TOKEN_REQUIRED") throw new AppError(code, { maxAgeSeconds: SUDO_SECONDS });
  if (code === "CHANGE_BUCKET_FULL") {
    throw new AppError(code, { retryAfterSeconds: Math.max(1, Math.ceil(row.cost ?? 0)) });
  }
  if (typeof row.named === "string") {
    throw new AppError(code, { extra: JSON.parse(row.named) as Record<string, unknown> });
  }
  const { retryAfterSeconds } = options;
  if (retryAfterSeconds === undefined || !REFUSED_FOR_NOW.has(row.decision)) throw new AppError(code);
  throw new AppError(code, { retryAfterSeconds });
}

function tooLarge(row: DecisionRow, maxCost: number | undefined): string {
  return `The change affects about ${row.cost} pairs of roles, more than the ${maxCost} allowed ` +
    "(CLOSURE_MAX_CHANGE): change smaller parts of the hierarchy one by one, or ask the administrator";
}

/** Without more things than may end, there is too much to look through to find them. */
function tooMuchToEnd({ cost }: DecisionRow): string {
  const way =
    "name a role further down, or end without `granted` and then the access of those who were brought in";
  return (cost ?? 0) > 1000
    ? `About ${cost} memberships, keys and role passwords would end, more than can end at once (1000): ${way}`
    : `There is too much to look through at and below the role at once: ${way}`;
}
