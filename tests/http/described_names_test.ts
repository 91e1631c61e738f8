/** Each operation that the platform's description names is the only one with that summary. */
import assert from "node:assert/strict";
import { type ApiDocument, operationsOf } from "../contract/api_document.ts";
import { succeed } from "../helpers/http.ts";
import { openQuickApp } from "../helpers/test_app.ts";

/** The operations of the platform's interface, as its description names them. */
const DESCRIBED: readonly (readonly [method: string, summary: string])[] = [
  ["POST", "Query manages relations"],
  ["GET", "Collect manages relations"],
  ["PUT", "Create or update a manages relation"],
  ["PUT", "Update an existing manages relation"],
  ["DELETE", "Delete a manages relation"],
  ["PUT", "Update a role"],
  ["GET", "Collect roles"],
  ["POST", "Query roles"],
  ["POST", "Create a new role"],
  ["POST", "Collect telemetry data"],
  ["POST", "Activate email OTP"],
  ["POST", "Activate TOTP"],
  ["GET", "Get active 2FA methods"],
  ["POST", "Set or reset email OTP"],
  ["POST", "Initiate email OTP challenge"],
  ["POST", "Complete email OTP challenge"],
  ["POST", "Initiate an email address transfer"],
  ["PUT", "Complete an email address transfer"],
  ["POST", "Set or reset TOTP"],
  ["GET", "Time until the next email OTP may be generated"],
  ["GET", "Time until the next recovery code guess"],
  ["GET", "Time until the next TOTP guess"],
  ["DELETE", "Deactivate email OTP"],
  ["DELETE", "Deactivate TOTP"],
  ["POST", "Reset the recovery codes of a user"],
  ["POST", "Send a password reset email"],
  ["POST", "Send a password reset OTP"],
  ["PUT", "Update password via OTP"],
  ["PUT", "Update password via sudo token"],
  ["POST", "Check a password reset OTP"],
  ["POST", "Verify a recovery code"],
  ["POST", "Verify TOTP code"],
];

Deno.test("each operation named in the platform's description is the only one with that summary", async () => {
  await using target = await openQuickApp();
  const operations = operationsOf(await succeed<ApiDocument>(target, "GET", "/openapi.json"));
  for (const [method, summary] of DESCRIBED) {
    const named = operations.filter((operation) => operation.summary === summary);
    assert.deepEqual(named.map((operation) => operation.method), [method], summary);
  }
});
