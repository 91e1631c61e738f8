/** An attacker who has the whole database and none of the keys finds no secret in it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { forEachApp, login, query, send, succeed, tokenFrom } from "../helpers/http.ts";
import { lastCode, lastLinkToken } from "../helpers/mails.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { type Activated, activateTotp, mailedCode, stepUp, type Tokens } from "../helpers/second_factors.ts";
import { addPasskey } from "../helpers/software_passkey.ts";
import { holds, recordSecrets, spellingsOf } from "../every_operation/secret_recorder.ts";
import { openHashingApp, type TestApp } from "../helpers/test_app.ts";

const GUEST = "guest@example.com";
const ROLE_PASSWORD = "a role's own password";

/** Kinds of secrets that the flow must record; otherwise the test proves nothing. */
const KINDS_OF_SECRETS = [
  "accessToken",
  "bearer token",
  "bearer token's last part",
  "key's hidden part",
  "link token",
  "mailed otp",
  "newPassword",
  "otp",
  "partialAuthToken",
  "password",
  "recoveryCode",
  "recoveryCodes",
  "refresh family",
  "role password",
  "secret",
  "sudoToken",
  "token",
  "token text",
  "totp",
  "totp secret",
];

forEachApp(
  "a leaked database contains no secret in clear, encoded or hashed without a key",
  async (opened, kind) => {
    const { target, secrets, recordMails } = recordSecrets(opened);
    await liveThrough(target);
    await recordMails();
    const missing = KINDS_OF_SECRETS.filter((name) => !secrets.has(name));
    assert.deepEqual(missing, [], "the flow brought none of these");
    const families = [...secrets.get("refresh family") ?? []];
    await assertFamilyHashes(target, families);

    const cells = await dumpCells(target);
    assert.ok(cells.length > 500, `${cells.length} cells`);
    const found: string[] = [];
    for (const [name, texts] of secrets) {
      for (const secret of texts) {
        const spellings = spellingsOf(secret);
        for (const { place, text } of cells) {
          const isFound = spellings.values().some((spelling) => holds(text, spelling));
          if (isFound) found.push(`${name} in ${place}: ${text}`);
        }
      }
    }
    assert.deepEqual(found, []);
    if (kind === "file") await assertNotInFile(target.url, secrets);
  },
  // A file in memory has pages of earlier tests.
  (kind) => openHashingApp(kind, {}, { onDisk: true }),
);

Deno.test("the search finds any encoding of a secret, but no code inside a number", () => {
  const digest = createHash("sha1").update("ABC123").digest("base64url");
  for (const stored of ["ABC123", "x abc123.", '["414243313233"]', digest]) {
    assert.ok([...spellingsOf("ABC123")].some((spelling) => holds(stored, spelling)), stored);
  }
  assert.ok(![...spellingsOf("672256")].some((spelling) => holds("1767225600000", spelling)));
});

/** Uses every kind of secret. Some codes and links stay unused and valid. */
async function liveThrough(target: TestApp): Promise<void> {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Child");
  await joinByPassword(admin, rootId, roleId);
  const { secret } = await admin.post<{ secret: string }>(`/v1/role/${roleId}/key`, { name: "Gateway" });
  await new Person(target, secret).roleIds();
  const guest = await invite(target, admin, roleId, GUEST);
  await invite(target, admin, roleId, "friend@example.com");
  await admin.put(`/v1/role/${roleId}/member?userEmail=late@example.com`);
  assert.equal((await login(target, GUEST, "not the password")).status, 401);

  const activated = await activateTotp(target, guest.accessToken);
  await succeed(target, "POST", "/user/2fa/confirm", {
    body: { token: await lastLinkToken(target, "factor_confirmation") },
  });
  await addPasskey(target, await stepUp(target, guest.accessToken, activated.app));
  const sudo = await stepUp(target, guest.accessToken, activated.app);
  await succeed(target, "POST", "/user/2fa/email-otp/setup", { token: sudo, body: { email: GUEST } });
  const enable = { token: guest.accessToken, body: { otp: await mailedCode(target, GUEST) } };
  await succeed(target, "POST", "/user/2fa/email-otp/enable", enable);
  target.clock.advance(60);
  const password = `the first password of ${GUEST}`;
  await signInByEveryFactor(target, password, activated);

  const moved = await resetPassword(target);
  const tokens = await prove(target, await startSignIn(target, moved), "totp", activated.app.code());
  await moveAddress(target, tokens.sudoToken);
  // The codes and links that were sent last are neither used nor expired.
  target.clock.advance(600);
  for (const path of ["/user/password/reset/email", "/user/password/reset/send"]) {
    await send(target, "POST", path, { body: { email: "friend@example.com" } });
    target.clock.advance(61);
  }
}

async function joinByPassword(admin: Person, rootId: number, roleId: number): Promise<void> {
  await admin.put(`/v1/role/${roleId}/password`, { password: ROLE_PASSWORD });
  for (const password of ["a wrong role password", ROLE_PASSWORD]) {
    const headers = { "X-Child-Role-Password": password };
    const path = `/v1/role/${rootId}/manages?childRoleId=${roleId}`;
    await admin.ask("PUT", path, rights("roleManagement"), { headers });
  }
}

async function startSignIn(target: TestApp, password: string): Promise<string> {
  const answer = await login(target, GUEST, password);
  const { partialAuthToken } = answer.body as { partialAuthToken?: string };
  assert.ok(partialAuthToken, answer.text);
  return partialAuthToken;
}

/** Completes a sign-in, and rotates its refresh token. */
async function prove(
  target: TestApp,
  token: string,
  factor: "totp" | "email-otp" | "recovery-code",
  code: string,
): Promise<Tokens> {
  const field = { "totp": "totp", "email-otp": "otp", "recovery-code": "recoveryCode" }[factor];
  const path = `/user/2fa/${factor}/authenticate`;
  const tokens = await succeed<Tokens>(target, "POST", path, { token, body: { [field]: code } });
  await tokenFrom(target, "/auth/refreshtoken", tokens.refreshToken);
  target.clock.advance(60);
  return tokens;
}

async function signInByEveryFactor(
  target: TestApp,
  password: string,
  { app, recoveryCodes }: Activated,
): Promise<void> {
  await prove(target, await startSignIn(target, password), "totp", app.code());
  await prove(target, await startSignIn(target, password), "recovery-code", recoveryCodes[3] ?? "");
  const token = await startSignIn(target, password);
  await send(target, "POST", "/user/2fa/totp/authenticate", { token, body: { totp: app.wrongCode() } });
  await succeed(target, "POST", "/user/2fa/email-otp/challenge", { token });
  await prove(target, token, "email-otp", await mailedCode(target, GUEST));
}

/** Resets the guest's password by code, after requesting a link as well. Returns the new password. */
async function resetPassword(target: TestApp): Promise<string> {
  const email = GUEST;
  assert.equal((await send(target, "POST", "/user/password/reset/email", { body: { email } })).status, 204);
  const reset = await lastLinkToken(target, "password_reset_link");
  assert.equal(reset.length, 43);
  target.clock.advance(61);
  await succeed(target, "POST", "/user/password/reset/send", { body: { email } });
  const otp = await lastCode(target, "password_reset_otp");
  await succeed(target, "POST", "/user/password/reset/validate", { body: { email, otp } });
  const newPassword = "the guest's second password";
  await succeed(target, "PUT", "/user/password/otp", { body: { userEmail: email, otp, newPassword } });
  target.clock.advance(61);
  return newPassword;
}

/** Moves the guest's account to another address, and back by the link in the mail to the old one. */
async function moveAddress(target: TestApp, token: string): Promise<void> {
  await succeed(target, "POST", "/user/email/initiate", { token, body: { email: "moved@example.com" } });
  const otp = await lastCode(target, "email_transfer_otp");
  await succeed(target, "PUT", "/user/email", { token, body: { otp } });
  const link = await lastLinkToken(target, "email_transferred_old");
  await succeed(target, "POST", "/user/email/undo", { body: { token: link } });
}

/**
 * Only a session holds the SHA-256 of its refresh tokens' family. That hash needs no key: a family is 256 random bits,
 * too many to guess, and a token also needs a MAC.
 */
async function assertFamilyHashes(target: TestApp, families: readonly string[]): Promise<void> {
  const known = new Set(
    families.flatMap((family) => [
      createHash("sha256").update(family).digest("base64url"),
      createHash("sha256").update(family, "base64url").digest("base64url"),
    ]),
  );
  const rows = await query<{ hash: string }>(target, "SELECT family_hash AS hash FROM session");
  assert.ok(rows.filter(({ hash }) => known.has(hash)).length >= families.length);
}

interface Cell {
  readonly place: string;
  readonly text: string;
}

/**
 * Every value of every table except the hashes of families. The indexes of texts have names alone, in a form that only
 * SQLite reads; the search of a file includes them.
 */
async function dumpCells(target: TestApp): Promise<Cell[]> {
  const tables = await query<{ name: string }>(
    target,
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'",
  );
  const cells: Cell[] = [];
  for (const { name } of tables) {
    for (const row of await query(target, `SELECT * FROM "${name}"`)) {
      for (const [column, value] of Object.entries({ ...row })) {
        if (value === null || (name === "session" && column === "family_hash")) continue;
        cells.push({ place: `${name}.${column}`, text: String(value) });
      }
    }
  }
  return cells;
}

/** Freed pages and the write-ahead log hold no secret either. Codes are too short to search for here. */
async function assertNotInFile(
  url: string,
  secrets: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  const path = url.startsWith("file:///") ? fileURLToPath(url) : url.replace(/^file:/, "");
  const files = await Promise.all(["", "-wal"].map((ending) => Deno.readFile(`${path}${ending}`)));
  const decoder = new TextDecoder("latin1");
  const bytes = files.map((file) => decoder.decode(file)).join("\n");
  for (const [name, texts] of secrets) {
    for (const secret of texts) {
      assert.ok(secret.length < 12 || !bytes.includes(secret), `${name} is in the file`);
    }
  }
}
