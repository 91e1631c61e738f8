import assert from "node:assert/strict";
import fc from "fast-check";
import { type ApiDocument, type Described, operationsOf } from "./api_document.ts";
import { type Change, changesOf } from "./changes.ts";
import { weighted } from "./hostile_values.ts";
import { Live } from "./live.ts";
import { anyStep, type Step } from "./steps.ts";
import { PASSWORD_RIGHTS } from "./world.ts";

/** Flows of several requests that fit each other, which chance alone seldom finds. */

interface FlowStep {
  readonly route: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Seconds to wait before it is sent. */
  readonly wait?: number;
}

/** Ids in the order in which `openWorld` learns them. */
const UPPER = new Live("roleId", 0);
const LOWER = new Live("roleId", 1);
const ROOT = new Live("roleId", 2);
const OWN_ROOT = new Live("roleId", 4);
const withPassword = { "X-Child-Role-Password": new Live("rolePassword", 0) };
// The newest of each.
const otp = new Live("mailedCode", 0);
const token = new Live("linkToken", 0);

function linkTo(
  childRoleId: Live,
  parentRoleId: Live,
  header: Readonly<Record<string, Live>> = {},
): FlowStep {
  const parameters = { parentRoleId, childRoleId, ...header };
  return { route: "PUT /v1/role/{parentRoleId}/manages", parameters, body: PASSWORD_RIGHTS };
}

function resetOf(email: Live): FlowStep[] {
  const newPassword = "four words nobody guesses";
  return [
    { route: "POST /user/password/reset/send", body: { email }, wait: 90_000 },
    { route: "POST /user/password/reset/validate", body: { email, otp } },
    { route: "PUT /user/password/otp", body: { userEmail: email, otp, newPassword } },
    { route: "POST /auth/login", body: { username: email, password: newPassword } },
    { route: "GET /user/2fa" },
  ];
}

const FLOWS: readonly (readonly FlowStep[])[] = [
  [
    { route: "POST /user/2fa/email-otp/setup", body: { email: "codes@example.org" }, wait: 90_000 },
    { route: "POST /user/2fa/email-otp/enable", body: { otp } },
    { route: "POST /user/2fa/email-otp/challenge", wait: 90_000 },
    { route: "POST /user/2fa/email-otp/authenticate", body: { otp } },
    { route: "DELETE /user/2fa/email-otp" },
  ],
  [
    { route: "POST /user/2fa/totp/setup" },
    ...[0, 1, 2, 3].map((pick) => ({
      route: "POST /user/2fa/totp/enable",
      body: { totp: new Live("totp", pick) },
    })),
    { route: "POST /user/2fa/totp/authenticate", body: { totp: new Live("totp", 1) }, wait: 3700 },
    { route: "POST /user/2fa/recovery-code/reset" },
    ...[0, 1, 12].map((pick) => ({
      route: "POST /user/2fa/recovery-code/authenticate",
      body: { recoveryCode: new Live("recoveryCode", pick) },
    })),
    { route: "DELETE /user/2fa/totp" },
  ],
  resetOf(new Live("email", 0)),
  resetOf(new Live("email", 1)),
  [
    { route: "POST /user/password/reset/email", body: { email: new Live("email", 2) }, wait: 90_000 },
    { route: "PUT /user/password/link", body: { token, newPassword: "five words to keep secret" } },
  ],
  [
    { route: "POST /user/email/initiate", body: { email: "moved@example.org" }, wait: 90_000 },
    { route: "PUT /user/email", body: { otp } },
    { route: "POST /user/email/undo", body: { token } },
    { route: "POST /user/email/undo", body: { token: new Live("linkToken", 1) } },
  ],
  [linkTo(LOWER, ROOT), { route: "POST /v1/role/query" }],
  [linkTo(LOWER, OWN_ROOT, withPassword), linkTo(UPPER, LOWER, withPassword), linkTo(LOWER, UPPER)],
  [linkTo(LOWER, ROOT, withPassword), linkTo(ROOT, LOWER)],
];

const MAX_REPEATS = 14;

/** A sequence of requests: single ones, repeated ones, and flows. */
export function anySequence(
  document: ApiDocument,
  { open, maxLength }: { readonly open: boolean; readonly maxLength: number },
): fc.Arbitrary<Step[]> {
  const step = anyStep(document, { open });
  const operations = operationsOf(document);
  const flows = FLOWS.map((flow) => fc.tuple(...flow.map((part) => flowStep(operations, part))));
  const repeated = fc.tuple(step, fc.integer({ min: 2, max: MAX_REPEATS }))
    .map(([one, times]) => Array.from({ length: times }, (_, i) => i === 0 ? one : { ...one, wait: 0 }));
  const part = weighted<Step[]>([24, step.map((one) => [one])], [1, repeated], [2, fc.oneof(...flows)]);
  return fc.array(part, { minLength: 1, maxLength, size: "max" }).map((parts) => parts.flat());
}

function flowStep(operations: readonly Described[], part: FlowStep): fc.Arbitrary<Step> {
  const { route, parameters = {}, body, wait = 0 } = part;
  const operation = operations.find(({ method, path }) => `${method} ${path}` === route);
  assert.ok(operation, route);
  return fc.record({
    operation: fc.constant(operation),
    byAdministrator: fc.constant(false),
    token: fc.constant("suited" as const),
    pick: weighted([6, fc.constant(0)], [1, fc.constant(1)]),
    parameters: fc.constant(parameters),
    body: fc.constant(body),
    asLines: fc.constant(false),
    // Sometimes the right code is in a request that is wrong elsewhere.
    changes: weighted<Change[]>([12, fc.constant([])], [1, changesOf(body !== undefined)]),
    asksDetails: fc.boolean(),
    from: fc.constant("203.0.113.9"),
    wait: fc.constant(wait),
  });
}
