/**
 * Inspects the database of the crash tests: `database_process.ts ORDER`, where ORDER is JSON. It is a separate process,
 * because one that has the file open would change how the service finds it after the crash. Prints its findings. When
 * its standard input ends, it prepares the database for the next round and exits.
 */
import { readConfig } from "../../src/service/config.ts";
import { createLog } from "../../src/core/log.ts";
import { createSecrets, type Secrets } from "../../src/core/secrets.ts";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { bind } from "../../src/db/statement.ts";
import { codeMacs } from "../../src/identity/factor/one_time_code.ts";
import { bootstrapRoot } from "../../src/role/bootstrap_service.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import { migrateFully, testMigrations } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { inspect } from "./facts.ts";

export interface DatabaseOrder {
  /** Environment of the service. */
  readonly env: Readonly<Record<string, string>>;
  /** People to create in an empty database. Without them, the database is inspected. */
  readonly newcomers?: readonly Newcomer[];
  /** The code that each user with email OTP expects in the next round. */
  readonly code: string;
}

/** A user with their own root role, email OTP, and addresses to which they have reset codes mailed. */
export interface Newcomer {
  readonly email: string;
  readonly password: string;
  readonly roleName: string;
  readonly resetAddresses: readonly string[];
}

const CODE_LIFE_MS = 600_000;

const INSERT_FACTOR = defineStatement(`
  INSERT INTO second_factor (user_id, kind, activated_at, email)
  SELECT id, 'email_otp', :now, email FROM user_account WHERE id = :userId ON CONFLICT DO NOTHING`);
const INSERT_ACCOUNT = defineStatement("INSERT INTO user_account (email, created_at) VALUES (:email, :now)");
const FIND_SESSIONS = defineStatement("SELECT id AS sessionId, user_id AS userId FROM session");
const RENEW_CODE = defineStatement(`
  INSERT INTO one_time_code (purpose, subject, mac, user_id, created_at, expires_at, guesses_left)
  VALUES ('email_otp.challenge', :sessionId, :mac, :userId, :now, :expiresAt, 5)
  ON CONFLICT (purpose, subject) DO UPDATE SET mac = excluded.mac, created_at = excluded.created_at,
    expires_at = excluded.expires_at, guesses_left = 5, ended_at = NULL`);
/** Limits are not tested here, and in a test of several minutes they would end the load. */
const FORGET_LIMITS = [
  defineStatement("DELETE FROM throttle"),
  defineStatement("UPDATE second_factor SET failures = 0, next_guess_at = 0"),
];

async function makeNewcomers(
  database: Database,
  env: DatabaseOrder["env"],
  newcomers: readonly Newcomer[],
): Promise<void> {
  const migrations = await testMigrations();
  await migrateFully(database);
  const config = readConfig({ ...env }, "production");
  const log = createLog("silent", () => {});
  const deps = await createAppDeps({ config, keys: config, database, migrations, log });
  for (const { email, password, roleName, resetAddresses } of newcomers) {
    const passwordHash = await deps.hasher.hash(password);
    await bootstrapRoot(deps, { email, roleName, passwordHash });
    const now = Date.now();
    await database.write([
      ...resetAddresses.map((address) => bind(INSERT_ACCOUNT, { email: address, now })),
    ]);
  }
}

async function prepareRound(database: Database, secrets: Secrets, code: string): Promise<void> {
  const sessions = await database.read<{ sessionId: string; userId: number }>(bind(FIND_SESSIONS, {}));
  const now = Date.now();
  const factors = sessions.map(({ userId }) => bind(INSERT_FACTOR, { userId, now }));
  const codes = await Promise.all(sessions.map(async ({ sessionId, userId }) => {
    const [mac] = await codeMacs(secrets, "email_otp.challenge", sessionId, code);
    return bind(RENEW_CODE, { sessionId, userId, mac, now, expiresAt: now + CODE_LIFE_MS });
  }));
  await database.write([...factors, ...codes, ...FORGET_LIMITS.map((statement) => bind(statement, {}))]);
}

async function main(): Promise<void> {
  const { env, newcomers, code } = JSON.parse(Deno.args[0] ?? "") as DatabaseOrder;
  const config = readConfig({ ...env }, "production");
  const database = await openDatabase(config.databaseUrl, { timeoutMs: 20_000 });
  if (newcomers !== undefined) await makeNewcomers(database, env, newcomers);
  const bytes = new TextEncoder().encode(`${JSON.stringify(await inspect(database))}\n`);
  for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
  for await (const _ of Deno.stdin.readable);
  await prepareRound(database, await createSecrets(config.secretKeys), code);
  await database.close();
}

await main();
