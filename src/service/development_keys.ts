import { generateSecretKeys, parseSecretKeys } from "../core/keys.ts";
import type { SecretKey } from "../core/secrets.ts";
import type { Database } from "../db/database.ts";
import { keepSettings, readSettings } from "../db/setting_queries.ts";
import { generateTokenKeys } from "../identity/token/token_keys.ts";

/** The keys of the service. In production they come from the configuration. */
export interface ServiceKeys {
  /** The text of a private JWKS. */
  readonly tokenKeys: string;
  readonly secretKeys: readonly SecretKey[];
}

const TOKEN_KEYS = "development_token_keys";
const SECRET_KEYS = "development_secret_keys";

/** Reads development's keys from its database; undefined if development did not create that database. */
export async function findDevelopmentKeys(database: Database): Promise<ServiceKeys | undefined> {
  const settings = await readSettings(database);
  const tokenKeys = settings.get(TOKEN_KEYS);
  const secretKeys = settings.get(SECRET_KEYS);
  if (tokenKeys === undefined || secretKeys === undefined) return undefined;
  return { tokenKeys, secretKeys: parseSecretKeys(secretKeys) };
}

/** Returns development's keys, and creates them if there are none. */
export async function keepDevelopmentKeys(database: Database): Promise<ServiceKeys> {
  const found = await findDevelopmentKeys(database);
  if (found !== undefined) return found;
  const made = new Map([[TOKEN_KEYS, await generateTokenKeys()], [SECRET_KEYS, generateSecretKeys()]]);
  await keepSettings(database, made);
  const kept = await findDevelopmentKeys(database);
  if (kept === undefined) throw new Error("Cannot keep the development keys in the database");
  return kept;
}
