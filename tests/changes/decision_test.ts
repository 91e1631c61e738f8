/** Each decision of a change becomes its row or its error, with what the error tells. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import { accepted, type Decision } from "../../src/changes/decision.ts";

function refusal(
  decision: Decision,
  options?: { maxCost?: number; retryAfterSeconds?: number },
): Pick<AppError, "code" | "message" | "retryAfterSeconds" | "maxAgeSeconds"> {
  try {
    accepted({ decision, cost: 12, revision: 1 }, options);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  assert.fail(`${decision} was accepted`);
}

Deno.test("an accepted change or no-op returns its row", () => {
  for (const decision of ["ok", "noop"] as const) {
    const row = { decision, cost: 3, revision: 1, roleId: 7 };
    assert.equal(accepted(row), row);
  }
});

Deno.test("a missing row means that the session is over", () => {
  assert.throws(() => accepted(undefined), { code: "TOKEN_INVALID" });
});

Deno.test("each refusal has its own error", () => {
  const codes: Record<Exclude<Decision, "ok" | "noop">, string> = {
    proof_required: "SUDO_TOKEN_REQUIRED",
    needs_step_up: "STEP_UP_REQUIRED",
    root_without_awake: "ROOT_WITHOUT_AWAKE_MANAGER",
    denied: "FORBIDDEN",
    cycle: "WOULD_CREATE_CYCLE",
    unmanaged: "ROLE_WITHOUT_MANAGER",
    would_delete: "WOULD_DELETE",
    root_without_member: "ROOT_WITHOUT_MEMBER",
    root_without_manager: "ROOT_WITHOUT_MANAGER",
    node_id_taken: "NODE_ID_TAKEN",
    external_id_taken: "EXTERNAL_ID_TAKEN",
    node_id_fixed: "NODE_ID_FIXED",
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
  for (const [decision, code] of Object.entries(codes)) {
    assert.equal(refusal(decision as Decision).code, code);
  }
});

Deno.test("a missing proof names the maximal age of a proof", () => {
  assert.equal(refusal("proof_required").maxAgeSeconds, 300);
});

Deno.test("a change that is too large names its cost, the bound and what to do", () => {
  assert.equal(
    refusal("too_large", { maxCost: 10, retryAfterSeconds: 5 }).message,
    "The change affects about 12 pairs of roles, more than the 10 allowed (CLOSURE_MAX_CHANGE): " +
      "change smaller parts of the hierarchy one by one, or ask the administrator",
  );
});

Deno.test("only a temporary refusal has a retry time", () => {
  for (const decision of ["too_many_invitations", "too_many_additions", "too_many_role_passwords"] as const) {
    assert.equal(refusal(decision, { retryAfterSeconds: 30 }).retryAfterSeconds, 30);
    assert.equal(refusal(decision).retryAfterSeconds, undefined);
  }
  for (const decision of ["denied", "cycle", "too_large", "key_reused"] as const) {
    assert.equal(refusal(decision, { retryAfterSeconds: 30 }).retryAfterSeconds, undefined);
  }
});
