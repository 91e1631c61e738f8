import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import { THROTTLE_SCOPES } from "../../src/throttle/limits.ts";
import { query, type testApp } from "./http.ts";
import type { TestApp } from "./test_app.ts";
import { defineStatement } from "./text_statement.ts";

/** A user who has all that the tables of accounts can hold, and does nothing: what others do must not touch it. */

const EMAIL = "aaron@example.com";
const YEAR_MS = 365 * 24 * 3600 * 1000;

type Row = Readonly<Record<string, string | number | null>>;

/** Rows by table, which expire at `until`. `userId` is the bystander's. */
function rowsFor(userId: number, now: number, until: number): [table: string, row: Row][] {
  const session = {
    user_id: userId,
    created_at: now,
    authenticated_at: now,
    idle_until: until,
    expires_at: until,
  };
  const partial = {
    user_id: userId,
    authenticated_at: now,
    security_version: 7,
    expires_at: until,
    client: "",
  };
  const purposes = ["password_reset", "email_otp.activation", "email_otp.challenge", "email_transfer"];
  const link = { user_id: userId, created_at: now, expires_at: until };
  const counter = { count: 3, next_at: until, started_at: now, expires_at: until };
  const setUp = {
    sealed_secret: "sealed",
    email: "codes@example.com",
    activated_at: 1,
    failures: 5,
    mails: 2,
  };
  const pending = {
    pending_sealed_secret: "sealed",
    pending_email: "pending@example.com",
    pending_until: until,
  };
  return [
    ["session", { ...session, id: "bystander", family_hash: "bystander", last_token_at: now, client: "" }],
    ["partial_login", { ...partial, id: "bystander" }],
    ...purposes.map((purpose): [string, Row] => [
      "one_time_code",
      { ...link, purpose, subject: "bystander", mac: `mac of ${purpose}`, guesses_left: 5, email: EMAIL },
    ]),
    ...["invitation", "reset"].map((purpose): [string, Row] => [
      "password_link",
      { ...link, mac: `mac of ${purpose}`, purpose },
    ]),
    ["undo_link", { ...link, mac: "mac", email: "former@example.com", begun_at: now }],
    ["reserved_email", { email: "former@example.com", user_id: userId, reserved_until: until }],
    ["known_address", { user_id: userId, address: "bystander", last_sign_in_at: now }],
    ...["totp", "email_otp", "recovery_code"].map((kind): [string, Row] => [
      "second_factor",
      { user_id: userId, kind, activated_by: "bystander", next_guess_at: until, ...setUp, ...pending },
    ]),
    ["recovery_code", { user_id: userId, position: 0, hash: "hash", used_at: null }],
    ["recovery_code", { user_id: userId, position: 1, hash: "used", used_at: now }],
    // Before and after the keys of others.
    ...Object.values(THROTTLE_SCOPES).flatMap((scope) =>
      ["", " bystander", `${userId}`, "~", "~ bystander"].map((key): [string, Row] => [
        "throttle",
        { ...counter, scope, key },
      ])
    ),
  ];
}

/** Gives each counter a twin in another scope, before it in any order, which is used up and counts for nothing. */
const ADD_TWINS = defineStatement(`
  CREATE TRIGGER twin_counter AFTER INSERT ON throttle WHEN NEW.scope NOT LIKE '!%' BEGIN
    INSERT OR IGNORE INTO throttle (scope, key, count, next_at, started_at, expires_at)
    VALUES ('!' || NEW.scope, NEW.key, 1000000, NEW.expires_at + 1000000000000, 0, NEW.expires_at + 1000000000000);
  END`);

/** Lets no statement change a twin. */
const KEEP_TWINS = ["UPDATE", "DELETE"].map((change) =>
  defineStatement(`
  CREATE TRIGGER twin_${change} BEFORE ${change} ON throttle WHEN OLD.scope LIKE '!%' BEGIN
    SELECT RAISE(ABORT, 'a counter of another scope changes');
  END`)
);

/** Lets no statement end again what has ended. */
const KEEP_FIRST_ENDS = ["session", "partial_login", "one_time_code", "password_link", "undo_link"].map((
  table,
) =>
  defineStatement(`
  CREATE TRIGGER first_end_of_${table} BEFORE UPDATE OF ended_at ON ${table}
  WHEN OLD.ended_at IS NOT NULL AND NEW.ended_at IS NOT NULL BEGIN
    SELECT RAISE(ABORT, '${table} ends twice');
  END`)
);

/** Adds the bystander. The function that is returned asserts that it has all its rows, and has them as they were. */
export async function addBystander(target: TestApp): Promise<() => Promise<void>> {
  const { userId } = await target.createUser(EMAIL);
  await target.setPassword(userId, "the bystander's password");
  const until = target.clock.now() + 10 * YEAR_MS;
  const rows = rowsFor(userId, target.clock.now(), until);
  await target.database.write(rows.map(([table, row]) => {
    const names = Object.keys(row);
    const values = names.map((name) => `:${name}`);
    return bind(defineStatement(`INSERT INTO ${table} (${names}) VALUES (${values})`), row);
  }));
  await target.database.write(
    [ADD_TWINS, ...KEEP_TWINS, ...KEEP_FIRST_ENDS].map((statement) => bind(statement, {})),
  );
  const read = (): Promise<unknown> => {
    // The counters have no user. No other one waits this long.
    const own = [...new Set(rows.map(([table]) => table))].map((table) =>
      table === "throttle"
        ? query(target, "SELECT * FROM throttle WHERE next_at = :until ORDER BY 1, 2", { until })
        : query(target, `SELECT * FROM ${table} WHERE user_id = :userId ORDER BY 1, 2`, { userId })
    );
    return Promise.all([query(target, "SELECT * FROM user_account WHERE id = :userId", { userId }), ...own]);
  };
  const before = await read();
  return async () => assert.deepEqual(await read(), before, "something of the bystander has changed");
}

/** Registers tests in the same way, with a bystander, who must stay as they are. */
export function besideBystander(register: typeof testApp): typeof testApp {
  return (name, body, open) =>
    register(name, async (target, kind) => {
      const assertUntouched = await addBystander(target);
      await body(target, kind);
      await assertUntouched();
    }, open);
}
