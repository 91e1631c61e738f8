/** The account task shows an account, and acts only with --yes. */
import assert from "node:assert/strict";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { openTestDatabase, type TestDatabase } from "../helpers/databases.ts";
import { execute, query, queryNumber } from "../helpers/http.ts";
import { assertRefused, runOn, type ScriptOutcome } from "./run_script.ts";

const SCENE = [
  "INSERT INTO user_account (id, email, created_at) VALUES (1, 'ada@b.example', 0)",
  "INSERT INTO second_factor (user_id, kind, activated_at, failures) VALUES (1, 'totp', 1767225600000, 100)",
  `INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at,
     client)
   VALUES ('s', 1, 'f', 1767225600000, 0, 9007199254740991, 9007199254740991, 0, 'Client' || char(27) || '[31m')`,
];

type Run = (...args: readonly string[]) => Promise<ScriptOutcome>;

function accountTest(name: string, body: (run: Run, file: TestDatabase) => Promise<void>): void {
  Deno.test(name, async () => {
    await using file = await openTestDatabase("file");
    await keepDevelopmentKeys(file.database);
    await execute(file, SCENE);
    await body((...args) => runOn(file.url, "account.ts", ...args), file);
  });
}

accountTest("the account task shows an account, and acts on it only with --yes", async (run, file) => {
  const shown = await run("Ada@B.example");
  assert.deepEqual([shown.code, shown.stderr], [0, ""]);
  assert.match(shown.stdout, /ada@b\.example \(id 1, language en\)\n.*1970-01-01.*\n.*none yet/);
  assert.match(shown.stdout, /totp +2026-01-01 00:00:00 +100/);
  assert.match(shown.stdout, /Client\[31m\n/, "control characters do not reach the terminal");
  assert.match(shown.stdout, /No event\.\n$/);

  const unsure = await run("ada@b.example", "--disable-factor", "totp");
  assertRefused(unsure, /^Add --yes to disable the factor totp and end all sessions of ada@b\.example/);
  assert.equal(await queryNumber(file, "SELECT count(*) FROM second_factor"), 1);

  const done = await run("ada@b.example", "--disable-factor", "totp", "--yes");
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  const after = await run("ada@b.example");
  assert.match(after.stdout, /No factor\.\n\nNo passkey\.\n\nNo active session\.\n/);
  assert.match(after.stdout, /operator\.factor_disabled +ok/);
  const mail = await runOn(file.url, "mail.ts", "--last");
  assert.match(mail.stdout, /^To: ada@b\.example\n/);
  assert.doesNotMatch(mail.stdout, /Unreadable/);

  const again = await run("ada@b.example", "--disable-factor", "totp", "--yes");
  assert.deepEqual([again.code, again.stderr], [1, "This factor is not active. Nothing was changed.\n"]);
});

accountTest("the account task ends the sessions of all users only with --yes", async (run, file) => {
  const live = "SELECT count(*) FROM session WHERE ended_at IS NULL";
  const unsure = /^Add --yes to end all sessions of all users without confirmation\.\n$/;
  assertRefused(await run("--end-all-sessions"), unsure);
  assert.equal(await queryNumber(file, live), 1);
  const done = await run("--end-all-sessions", "--yes");
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  assert.match(done.stdout, /^Done: ended 1 sessions, and 0 logins that waited for a second factor\./);
  assert.equal(await queryNumber(file, live), 0);
});

accountTest("the account task lifts the demand of a role, and records it", async (run, file) => {
  await execute(file, "INSERT INTO role (id, name, self_rights, needs) VALUES (7, 'Plant', 0, 2)");
  assertRefused(await run("--clear-demands", "7"), /^Add --yes to lift what role 7 demands of its members/);
  const done = await run("--clear-demands", "7", "--yes");
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  const [lifted] = await query(
    file,
    `SELECT needs, kind, session_id AS session, details ->> 'old' AS old FROM role
     JOIN change_log ON role_id = role.id`,
  );
  const expected = { needs: 0, kind: "role.authentication_policy", session: "operator", old: "[2,0,null]" };
  assert.deepEqual({ ...lifted }, expected);
  assertRefused(await run("--clear-demands", "7", "--yes"), /^No role 7 demands a second factor/);
});

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /^ADDRESS is missing/],
  [["ada@b.example", "--end-all-sessions", "--yes"], /neither an ADDRESS nor another action\.\n$/],
  [["--end-all-sessions", "--end-sessions", "--yes"], /neither an ADDRESS nor another action\.\n$/],
  [["ada@b.example", "--clear-demands", "7"], /neither an ADDRESS nor another action\.\n$/],
  [["--clear-demands", "Plant"], /^--clear-demands must be the id of a role\.\n$/],
  [["nobody"], /^ADDRESS must be an email address\.\n$/],
  [["nobody@b.example", "--unlock", "--yes"], /^No account has this address\.\n$/],
  [
    ["ada@b.example", "--disable-factor", "recovery_code"],
    /^--disable-factor must be passkey, totp, or email_otp\.\n$/,
  ],
  [["ada@b.example", "--unlock", "--end-sessions"], /^Give only one action at a time\.\n$/],
  [["ada@b.example", "--resend-invitation", "--yes"], /not a member of any role.*Nothing was changed\.\n$/],
];

accountTest("the account task explains each refusal", async (run) => {
  for (const [args, reason] of REFUSED) assertRefused(await run(...args), reason);
});
