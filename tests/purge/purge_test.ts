/** Each kind of row is purged after its retention, in batches, and what is still wanted stays. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { AppError } from "../../src/core/errors.ts";
import type { Database } from "../../src/db/database.ts";
import { bind, type SqlArgs } from "../../src/db/statement.ts";
import { PURGES } from "../../src/purge/purge_queries.ts";
import { purge, type PurgeDeps } from "../../src/purge/purge_service.ts";
import { PURGE_BATCH } from "../../src/purge/retention.ts";
import { KEEP_FOREVER } from "../../src/telemetry/retention.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import type { TelemetryStore } from "../../src/telemetry/store.ts";
import { ANY_KIND, forEachDatabase, testOn } from "../helpers/databases.ts";
import { execute, queryNumber } from "../helpers/http.ts";

const NOW = Date.UTC(2027, 0, 1);
const DAY = 86_400_000;

function run(database: Database, sql: string, args: SqlArgs = {}): Promise<void> {
  return execute({ database }, sql, args);
}

function count(database: Database, from: string): Promise<number> {
  return queryNumber({ database }, `SELECT count(*) FROM ${from}`);
}

function depsOf(database: Database): PurgeDeps {
  const deps = { database, clock: () => NOW, telemetryRetention: KEEP_FOREVER, historyDays: 400 };
  return { ...deps, telemetryStore: createSqliteStore(deps) };
}

async function purged(database: Database): Promise<Record<string, number | undefined>> {
  const counts = await purge(depsOf(database));
  return Object.fromEntries(counts.filter(({ rows }) => rows !== 0).map(({ what, rows }) => [what, rows]));
}

/** For each kind of row: how to make one, by its relevant time, and its retention. */
const SAMPLES = [
  {
    what: "mailed codes",
    keptDays: 1,
    insert: `INSERT INTO one_time_code (purpose, subject, mac, created_at, expires_at, guesses_left)
      VALUES ('password_reset', :key, 'm', 0, :time, 5)`,
  },
  {
    what: "password links",
    keptDays: 1,
    insert: `INSERT INTO password_link (mac, purpose, user_id, created_at, expires_at)
      VALUES (:key, 'reset', 1, 0, :time)`,
  },
  {
    what: "used challenges",
    keptDays: 1,
    insert: "INSERT INTO used_challenge (id, expires_at) VALUES (:key, :time)",
  },
  {
    what: "factor links",
    keptDays: 1,
    insert: `INSERT INTO factor_link (mac, user_id, kind, activated_at, expires_at)
      VALUES (:key, 1, 'totp', 0, :time)`,
  },
  {
    what: "undo links",
    keptDays: 1,
    insert: `INSERT INTO undo_link (mac, user_id, email, created_at, expires_at)
      VALUES (:key, 1, 'a@b.example', 0, :time)`,
  },
  {
    what: "reserved addresses",
    keptDays: 1,
    insert: "INSERT INTO reserved_email (email, user_id, reserved_until) VALUES (:key, 1, :time)",
  },
  {
    what: "staged imports",
    keptDays: 1,
    insert: `INSERT INTO import_chunk (import_id, kind, position, created_at, rows)
      VALUES (:key, 'role', 0, :time, '[]')`,
  },
  {
    what: "half sign-ins",
    keptDays: 1,
    insert: `INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client)
      VALUES (:key, 1, 0, 0, :time, 'c')`,
  },
  {
    what: "sessions",
    keptDays: 30,
    insert:
      `INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at,
        last_token_at, client) VALUES (:key, 1, :key, 0, 0, :time, :time, 0, 'c')`,
  },
  {
    what: "known addresses",
    keptDays: 400,
    insert: "INSERT INTO known_address (user_id, address, last_sign_in_at) VALUES (1, :key, :time)",
  },
  {
    what: "counts of nothing",
    keptDays: 1,
    insert: "INSERT INTO root_usage (root_id, branch, free_at) VALUES (1, :key, :time)",
  },
  {
    what: "counters",
    keptDays: 1,
    insert:
      "INSERT INTO throttle (scope, key, count, started_at, expires_at) VALUES ('s', :key, 1, 0, :time)",
  },
  {
    what: "mails",
    keptDays: 31,
    insert: `INSERT INTO outbox (id, created_at, template, language, expires_at, delivered_at)
      VALUES (:key, :time, 'password_set', 'en', :time + 1, :time)`,
  },
  {
    what: "unopened accounts",
    keptDays: 30,
    insert: "INSERT INTO user_account (email, created_at) VALUES (:key, :time)",
  },
  {
    what: "security events",
    keptDays: 400,
    insert: "INSERT INTO security_event (op_id, at, event, result) VALUES (:key, :time, 'login', 'ok')",
  },
  {
    what: "refused attempts",
    keptDays: 90,
    insert: "INSERT INTO security_event (op_id, at, event, result) VALUES (:key, :time, 'login', 'wrong')",
  },
  {
    what: "changes",
    keptDays: 400,
    insert: `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step)
      VALUES (:key, :time, 1, 's', 'role.create', 'noop', 'none')`,
  },
  {
    what: "previews",
    keptDays: 1,
    insert: `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step)
      VALUES (:key, :time, 1, 's', 'role.update.dry_run', 'ok', 'none')`,
  },
  {
    what: "refused changes",
    keptDays: 90,
    insert: `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step)
      VALUES (:key, :time, 1, 's', 'role.create', 'denied', 'none')`,
  },
].map((sample) => ({ ...sample, table: /INTO (\w+)/.exec(sample.insert)?.[1] ?? "" }));

/** What the purge brings back, and does not delete: rows of the years to come. */
const AHEAD = "moments ahead";

/** SQL: the row is one of those that the test expects to be kept. */
const KEY: Readonly<Record<string, string>> = { change_log: "op_id NOT IN ('first', 'last')" };

const LAST_CHANGE = `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step)
  VALUES ('last', 0, 1, 's', 'role.create', 'denied', 'none')`;

testOn(ANY_KIND, "each kind of row is purged to the millisecond of its retention", async (database) => {
  for (const { what, table, keptDays, insert } of SAMPLES) {
    // Oldest first: the time of a change never goes back.
    await run(database, insert, { key: "gone@b.example", time: NOW - keptDays * DAY });
    // The history begins with the last change that is as old as it.
    if (what === "changes") await run(database, insert, { key: "first", time: NOW - keptDays * DAY });
    await run(database, insert, { key: "kept@b.example", time: NOW - keptDays * DAY + 1 });
    // The last change is never purged, so these rows must not be the last.
    if (table === "change_log") await run(database, LAST_CHANGE);
    assert.deepEqual(await purged(database), { [what]: 1 });
    assert.equal(await count(database, `${table} WHERE ${KEY[table] ?? "true"}`), 1, what);
    assert.deepEqual(await purged(database), {});
    await run(database, `DELETE FROM ${table}`);
  }
});

forEachDatabase("two simultaneous purges remove exactly the rows past their retention", async (database) => {
  const ages = fc.array(fc.integer({ min: -500, max: 500 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SAMPLES), ages, async ({ what, table, keptDays, insert }, days) => {
      // From all tables, because rows of an earlier sample may refer to the same user id.
      for (const sample of SAMPLES) await run(database, `DELETE FROM ${sample.table}`);
      // Oldest first: the time of a change never goes back.
      for (const [i, age] of days.toSorted((one, other) => other - one).entries()) {
        await run(database, insert, { key: `k${i}@b.example`, time: NOW - age * DAY });
      }
      if (table === "change_log") await run(database, LAST_CHANGE);
      // Of changes, the last one before the history that is kept stays: its beginning.
      const beginning = days.some((age) => age >= 400) && days.some((age) => age < 400) ? 1 : 0;
      const over = days.filter((age) => age >= keptDays).length - (table === "change_log" ? beginning : 0);
      const both = await Promise.all([purged(database), purged(database)]);
      // A refused row older than 400 days may be counted under either name.
      const rowCounts = both.flatMap(({ [AHEAD]: _, ...counts }) =>
        Object.values(counts).map((rows) => rows ?? 0)
      );
      assert.equal(rowCounts.reduce((sum, rows) => sum + rows, 0), over, what);
      assert.equal(await count(database, table), days.length - over + (table === "change_log" ? 1 : 0));
    }),
    { numRuns: 30 },
  );
  await run(database, "DELETE FROM change_log");
});

/** Adds this many counters that expired before today. */
function addCounters(database: Database, number: number): Promise<void> {
  const numbers = JSON.stringify(Array.from({ length: number }, (_, i) => i));
  const fill = `INSERT INTO throttle (scope, key, count, started_at, expires_at)
    SELECT 's', CAST(value AS TEXT), 1, 0, value FROM json_each(:numbers)`;
  return run(database, fill, { numbers });
}

testOn(ANY_KIND, "one run purges more rows than a batch holds", async (database) => {
  await addCounters(database, 1300);
  const kept =
    "INSERT INTO throttle (scope, key, count, started_at, expires_at) VALUES ('t', 'k', 1, 0, :now)";
  await run(database, kept, { now: NOW });
  assert.deepEqual(await purged(database), { counters: 1300 });
  assert.equal(await count(database, "throttle"), 1);
});

forEachDatabase("one statement deletes at most one batch, so that writes wait briefly", async (database) => {
  await addCounters(database, PURGE_BATCH + 1);
  const counters = PURGES["counters"];
  assert.ok(counters && "sql" in counters);
  await database.write([bind(counters, { now: NOW })]);
  assert.equal(await count(database, "throttle"), 1);
});

const OPENED_OR_WANTED: readonly string[] = [
  "UPDATE user_account SET password_hash = 'h'",
  // Undoing a transfer removes the password.
  "UPDATE user_account SET password_changed_at = 5",
  "UPDATE user_account SET security_version = 1",
  "INSERT INTO member (id, role_id, user_id) SELECT 1, 1, id FROM user_account",
  "INSERT INTO second_factor (user_id, kind, activated_at) SELECT id, 'totp', 1 FROM user_account",
  `INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at,
    client) SELECT 's', id, 'f', 0, 0, ${NOW + DAY}, ${NOW + DAY}, 0, 'c' FROM user_account`,
  `INSERT INTO password_link (mac, purpose, user_id, created_at, expires_at)
    SELECT 'm', 'invitation', id, 0, ${NOW + 1} FROM user_account`,
  `INSERT INTO one_time_code (purpose, subject, mac, user_id, created_at, expires_at, guesses_left)
    SELECT 'password_reset', 's', 'm', id, 0, ${NOW + 1}, 5 FROM user_account`,
];

const TABLES = ["user_account", "member", "second_factor", "session", "password_link", "one_time_code"];

testOn(ANY_KIND, "an account that was or can be opened, or is a member, is kept", async (database) => {
  for (const sql of OPENED_OR_WANTED) {
    await run(database, "INSERT INTO user_account (email, created_at) VALUES ('a@b.example', 0)");
    await run(database, sql);
    assert.deepEqual(await purged(database), {}, sql);
    for (const table of TABLES) await run(database, `DELETE FROM ${table}`);
  }
});

testOn(ANY_KIND, "an undelivered mail is kept until it expires", async (database) => {
  const insert = `INSERT INTO outbox (id, created_at, template, language, expires_at)
    VALUES (:id, 0, 'password_set', 'en', :expiresAt)`;
  await run(database, insert, { id: "waiting", expiresAt: NOW + 1 });
  await run(database, insert, { id: "over", expiresAt: NOW });
  assert.deepEqual(await purged(database), { mails: 1 });
  assert.equal(await count(database, "outbox WHERE id = 'waiting'"), 1);
});

testOn(ANY_KIND, "an unfinished setup is wiped, and a factor or running setup is kept", async (database) => {
  const insert =
    `INSERT INTO second_factor (user_id, kind, activated_at, sealed_secret, pending_sealed_secret,
    pending_email, pending_until, failures) VALUES (:userId, :kind, :activatedAt, 'old', 'new', 'n@b.example', :until, 7)`;
  const over = NOW - DAY;
  await run(database, insert, { userId: 1, kind: "totp", activatedAt: 1, until: over });
  await run(database, insert, { userId: 1, kind: "email_otp", activatedAt: null, until: over });
  await run(database, insert, { userId: 2, kind: "totp", activatedAt: 1, until: over + 1 });
  assert.deepEqual(await purged(database), { "unfinished setups": 2 });
  const wiped = "pending_sealed_secret IS NULL AND pending_email IS NULL AND pending_until IS NULL";
  assert.equal(await count(database, `second_factor WHERE user_id = 1 AND failures = 7 AND ${wiped}`), 2);
  assert.equal(await count(database, "second_factor WHERE sealed_secret = 'old'"), 3);
  assert.equal(await count(database, "second_factor WHERE user_id = 2 AND pending_sealed_secret = 'new'"), 1);
});

testOn(ANY_KIND, "the alarm of a reused token is kept as long as a successful event", async (database) => {
  const insert = `INSERT INTO security_event (op_id, at, event, result)
    VALUES (:id, :at, 'session.refresh_token_reused', 'ended')`;
  await run(database, insert, { id: "a", at: NOW - 400 * DAY + 1 });
  await run(database, insert, { id: "b", at: NOW - 400 * DAY });
  assert.deepEqual(await purged(database), { "security events": 1 });
});

testOn(ANY_KIND, "the last change is kept for ever, so the revision never goes back", async (database) => {
  await run(database, LAST_CHANGE);
  assert.deepEqual(await purged(database), {});
});

testOn(ANY_KIND, "a stopped purge begins no further batch", async (database) => {
  await run(database, SAMPLES[0]?.insert ?? "", { key: "k", time: 0 });
  const counts = await purge(depsOf(database), AbortSignal.abort());
  assert.ok(counts.every(({ rows }) => rows === 0));
  assert.equal(await count(database, "one_time_code"), 1);
});

testOn(ANY_KIND, "everything else is purged while the telemetry engine is away", async (database) => {
  await run(database, SAMPLES[0]?.insert ?? "", { key: "k", time: 0 });
  await run(database, "INSERT INTO gone_device (device_id, node_id, gone_at) VALUES (1, 'gone', 0)");
  const deps = { ...depsOf(database), telemetryRetention: { others: 1, named: [] } };
  const asked: string[] = [];
  const away = (what: string) => (): Promise<never> => {
    asked.push(what);
    return Promise.reject(new AppError("UNAVAILABLE", { message: what }));
  };
  const forget = away("forget");
  const deleteBefore = away("deleteBefore");
  const store = deps.telemetryStore;
  const unfinished = async (telemetryStore: TelemetryStore): Promise<string[]> => {
    const counts = await purge({ ...deps, telemetryStore });
    return counts.filter(({ error }) => error instanceof AppError).map(({ what }) => what);
  };
  assert.deepEqual(await unfinished({ ...store, forget, deleteBefore }), ["deleted devices", "points"]);
  assert.equal(await count(database, "one_time_code"), 0);
  assert.equal(await count(database, "gone_device"), 1, "its nodeId is not free yet");
  assert.deepEqual(await unfinished({ ...store, deleteBefore }), ["points"]);
  assert.deepEqual(asked, ["forget", "deleteBefore", "deleteBefore"]);
  assert.equal(await count(database, "gone_device"), 0);
});

testOn(ANY_KIND, "the longest and the shortest retention of points can be purged", async (database) => {
  for (const others of [1, 100_000]) {
    const counts = await purge({ ...depsOf(database), telemetryRetention: { others, named: [] } });
    assert.equal(counts.find(({ what }) => what === "points")?.rows, 0);
  }
});
