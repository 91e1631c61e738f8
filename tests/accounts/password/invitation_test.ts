/** An invitation's link signs in to an account that was never opened, and to no other. */
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { openInvitation } from "../../every_operation/request_catalogue.ts";
import { type Answer, execute, query, send, succeed, testApp, tokenFrom } from "../../helpers/http.ts";
import { bootstrap } from "../../helpers/person.ts";
import { lastLinkToken } from "../../helpers/mails.ts";
import type { TestApp } from "../../helpers/test_app.ts";

const NEW = "new@example.com";
const PASSWORD = "a first password of theirs";

async function inviteNew(target: TestApp): Promise<string> {
  const { admin, rootId } = await bootstrap(target);
  await admin.put(`/v1/role/${rootId}/member?userEmail=${NEW}`);
  return await openInvitation(target, NEW);
}

function redeem(target: TestApp, token: string, signIn = true): Promise<Answer> {
  const body = { token, newPassword: PASSWORD, signIn };
  return send(target, "PUT", "/user/password/link", { body, headers: { "User-Agent": "Firefox" } });
}

testApp("an invitation signs in with its first password, as the password itself does", async (target) => {
  const answer = await redeem(target, await inviteNew(target));
  assert.equal(answer.headers.get("Cache-Control"), "no-store");
  const { refreshToken, userEmail } = answer.body as { refreshToken: string; userEmail: string };
  assert.equal(userEmail, NEW);
  const token = await tokenFrom(target, "/auth/accesstoken", refreshToken);
  const { aal, amr, acr, sid, sub } = decodeJwt(token);
  assert.deepEqual({ aal, amr, acr }, { aal: 1, amr: ["pwd"], acr: undefined });
  const { session } = await succeed<{ session: Record<string, unknown>[] }>(target, "GET", "/user/session", {
    token,
  });
  assert.deepEqual(session.map(({ id, client, current }) => [id, client, current]), [[sid, "Firefox", true]]);
  const events =
    "SELECT event, result, session_id AS sid FROM security_event WHERE user_id = :sub ORDER BY id";
  assert.deepEqual(await query(target, events, { sub: Number(sub) }), [
    { event: "password.invitation_link", result: "ok", sid },
    { event: "login", result: "ok", sid },
  ]);
  const known = await query(target, "SELECT 1 FROM known_address WHERE user_id = :sub", { sub: Number(sub) });
  assert.equal(known.length, 1);
  // A fresh sign-in, so that a first passkey can be made.
  await succeed(target, "POST", "/user/2fa/passkey/setup", { token });
});

/** What an account may have or have had, so that it may have a second factor. */
const OPENED: Readonly<Record<string, string>> = {
  "a password": "UPDATE user_account SET password_hash = '$2b$05$' WHERE email = :email",
  "had a password": "UPDATE user_account SET password_changed_at = 1 WHERE email = :email",
  "had a factor": "UPDATE user_account SET security_version = 1 WHERE email = :email",
};

for (const [what, change] of Object.entries(OPENED)) {
  testApp(`an invitation does not sign in to an account that has or ${what}`, async (target) => {
    const token = await inviteNew(target);
    await execute(target, change, { email: NEW });
    assert.equal((await redeem(target, token)).text, "null");
    assert.deepEqual(
      await query(target, "SELECT 1 FROM security_event WHERE event = 'login' AND result = 'ok'"),
      [{ 1: 1 }],
    );
  });
}

testApp("neither a reset link nor an invitation signs in unasked", async (target) => {
  const invitation = await inviteNew(target);
  const asked = await send(target, "POST", "/user/password/reset/email", { body: { email: NEW } });
  assert.equal(asked.status, 204);
  const reset = await lastLinkToken(target, "password_reset_link");
  assert.equal((await redeem(target, invitation, false)).text, "null");
  assert.equal((await redeem(target, reset)).status, 401);
  await target.reset();
  await inviteNew(target);
  await send(target, "POST", "/user/password/reset/email", { body: { email: NEW } });
  assert.equal((await redeem(target, await lastLinkToken(target, "password_reset_link"))).text, "null");
});
