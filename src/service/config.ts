import { resolve } from "node:path";
import * as v from "valibot";
import { parseSecretKeys } from "../core/keys.ts";
import { LOG_LEVELS, type LogLevel } from "../core/log.ts";
import type { SecretKey } from "../core/secrets.ts";
import { filePath, isFileUrl } from "../db/file_url.ts";
import { parseRightPresets, type RightPreset } from "../console/right_presets.ts";
import { ConfigError } from "./config_error.ts";
import {
  type BreachedPasswords,
  MEGABYTE,
  parseAdminPassword,
  parseAudiences,
  parseBrands,
  parseBreachedPasswords,
  parseDatabaseUrl,
  parseEmail,
  parseMailFrom,
  parseMailName,
  parseMemory,
  parseOrigin,
  parseOrigins,
  parsePasskeyOrigins,
  parsePort,
  parsePositive,
  parseProxies,
  parseRetentionDays,
  parseTrashDays,
} from "./config_values.ts";
import { parseTokenKeys } from "../identity/token/token_keys.ts";
import { parseMailUrl, toMailName } from "../mail/mail_url.ts";
import { DEFAULT_STORE_LIMITS, parseChangeBucket, type StoreLimits } from "../changes/store_limits.ts";
import { type Bucket, DEFAULT_BUCKET, parseBucket } from "../telemetry/bucket/bucket.ts";
import { KEEP_FOREVER, parseRetention, type Retention } from "../telemetry/retention.ts";
import { DEFAULT_MEMORY_BYTES } from "../telemetry/series/series_memory.ts";
import { parseTelemetryUrl } from "../telemetry/telemetry_url.ts";

export type Environment = Readonly<Record<string, string | undefined>>;
export type Mode = "development" | "production";

interface CommonConfig {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly databaseAuthToken: string | undefined;
  /** An origin, without a trailing slash. */
  readonly publicUrl: string;
  readonly adminEmail: string | undefined;
  readonly adminPassword: string | undefined;
  readonly closureMaxChange: number;
  /** How many invitations of an import are sent in an hour. */
  readonly mailPerHour: number;
  /** Limits of what is stored below each root role. */
  readonly storeLimits: StoreLimits;
  readonly corsOrigins: readonly string[];
  /** Other services for which access tokens may be issued. */
  readonly audiences: readonly string[];
  /** Addresses and CIDR ranges, as `parseTrustedProxies` reads them. */
  readonly trustedProxies: readonly string[];
  readonly issuerName: string;
  /** The domain that passkeys are bound to, and the origins of pages and Android apps that may use them. */
  readonly passkeyRpId: string;
  readonly passkeyOrigins: readonly string[];
  /** The points' file or telemetry engine, for `parseTelemetryUrl`; undefined if the database keeps the points. */
  readonly telemetryUrl: string | undefined;
  readonly telemetryRetention: Retention;
  readonly telemetryHourlyRetention: Retention | undefined;
  /** Retention of the history of roles, relations and members. */
  readonly historyDays: number;
  /** Usual sets of rights, the smallest first; none: those of the console. */
  readonly rightPresets: readonly RightPreset[];
  readonly telemetryBucket: Bucket;
  /** Maximum bytes of the points that count to a root role; undefined without a limit. */
  readonly telemetryBytes: number | undefined;
  /** Of what a process remembers of the series that it writes. */
  readonly telemetryMemoryBytes: number;
  readonly breachedPasswords: BreachedPasswords;
  readonly refuseQuerySecrets: boolean;
  readonly logLevel: LogLevel;
  /** The mail server, for `openTransport`; undefined if mails stay in the outbox. */
  readonly mailUrl: string | undefined;
  /** The sender (`Name <address>` or an address), unless `origin` names another. Defined if `mailUrl` is. */
  readonly mailFrom: string | undefined;
  /** How the service introduces itself to a mail server. */
  readonly mailName: string;
  /** Senders (`Name <address>` or an address) by their names, which requests give as `origin`. */
  readonly mailBrands: ReadonlyMap<string, string>;
}

/** In development, absent keys are created at the first start and kept in the database. */
export interface DevelopmentConfig extends CommonConfig {
  readonly mode: "development";
  readonly tokenKeys: string | undefined;
  readonly secretKeys: readonly SecretKey[] | undefined;
}

export interface ProductionConfig extends CommonConfig {
  readonly mode: "production";
  /** The text of a private JWKS, as `importTokenKeys` reads it. */
  readonly tokenKeys: string;
  readonly secretKeys: readonly SecretKey[];
  readonly mailUrl: string;
  readonly mailFrom: string;
}

export type Config = DevelopmentConfig | ProductionConfig;

const DEFAULT_DATABASE_URL = "file:data/rolegrid.db";
const OPTIONAL_TEXT = v.optional(v.string());

const Variables = v.object({
  PORT: v.optional(parsedBy(parsePort), "8000"),
  HOST: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9.:_-]+$/, "must be a host name or an IP address"))),
  TURSO_DATABASE_URL: v.optional(parsedBy(parseDatabaseUrl), DEFAULT_DATABASE_URL),
  TURSO_AUTH_TOKEN: OPTIONAL_TEXT,
  PUBLIC_URL: v.optional(parsedBy(parseOrigin)),
  TOKEN_KEYS: v.optional(parsedBy(checkTokenKeys)),
  SECRET_KEYS: v.optional(parsedBy(parseSecretKeys)),
  ADMIN_EMAIL: v.optional(parsedBy(parseEmail)),
  ADMIN_PASSWORD: v.optional(parsedBy(parseAdminPassword)),
  CLOSURE_MAX_CHANGE: v.optional(parsedBy(parsePositive), "40000"),
  QUOTA_ROLES: v.optional(parsedBy(parsePositive), String(DEFAULT_STORE_LIMITS.roles)),
  QUOTA_DEVICES: v.optional(parsedBy(parsePositive), String(DEFAULT_STORE_LIMITS.devices)),
  CHANGE_BUCKET: v.optional(parsedBy(parseChangeBucket)),
  PROVISION_PER_DAY: v.optional(parsedBy(parsePositive), String(DEFAULT_STORE_LIMITS.provisionPerDay)),
  CORS_ORIGINS: v.optional(parsedBy(parseOrigins), ""),
  AUDIENCES: v.optional(parsedBy(parseAudiences), ""),
  TRUSTED_PROXIES: v.optional(parsedBy(parseProxies), ""),
  // Authenticator entries are labelled `issuer:account`, so the issuer must not contain a colon.
  ISSUER_NAME: v.optional(
    v.pipe(v.string(), v.regex(/^[^:\p{Cc}]{1,64}$/u, "must be 1 to 64 characters without a colon")),
    "Rolegrid",
  ),
  PASSKEY_RP_ID: v.optional(
    v.pipe(v.string(), v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, "must be a domain in lower case")),
  ),
  PASSKEY_ORIGINS: v.optional(parsedBy(parsePasskeyOrigins), ""),
  BREACHED_PASSWORDS: v.optional(parsedBy(parseBreachedPasswords), "off"),
  REFUSE_QUERY_SECRETS: v.optional(v.picklist(["true", "false"], "must be true or false"), "false"),
  LOG_LEVEL: v.optional(v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`), "info"),
  TELEMETRY_URL: v.optional(parsedBy(parseTelemetryUrl)),
  TELEMETRY_RETENTION_DAYS: v.optional(parsedBy(parseRetention)),
  TELEMETRY_HOURLY_RETENTION_DAYS: v.optional(parsedBy(parseRetention)),
  TELEMETRY_BUCKET: v.optional(parsedBy(parseBucket)),
  TELEMETRY_BYTES: v.optional(parsedBy(parsePositive)),
  TELEMETRY_MEMORY_MB: v.optional(parsedBy(parseMemory), String(DEFAULT_MEMORY_BYTES / MEGABYTE)),
  HISTORY_DAYS: v.optional(parsedBy(parseRetentionDays), "400"),
  RIGHT_PRESETS: v.optional(parsedBy(parseRightPresets), ""),
  MAIL_PER_HOUR: v.optional(parsedBy(parsePositive), "500"),
  TRASH_DAYS: v.optional(parsedBy(parseTrashDays), String(DEFAULT_STORE_LIMITS.trashDays)),
  MAIL_URL: v.optional(parsedBy(parseMailUrl)),
  MAIL_FROM: v.optional(parsedBy(parseMailFrom)),
  MAIL_NAME: v.optional(parsedBy(parseMailName)),
  MAIL_BRANDS: v.optional(parsedBy(parseBrands), ""),
});

type VariableName = keyof typeof Variables.entries;
type Values = v.InferOutput<typeof Variables>;

/** Examples for the messages. Those of secrets may name the command that creates one. */
const EXAMPLES: Record<VariableName, string> = {
  PORT: "8000",
  HOST: "0.0.0.0",
  TURSO_DATABASE_URL: "libsql://name.turso.io",
  TURSO_AUTH_TOKEN: "the token of the database",
  PUBLIC_URL: "https://rolegrid.example.com",
  TOKEN_KEYS: '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"…","x":"…","d":"…"}]}',
  SECRET_KEYS: "2026a:<output of `openssl rand -base64 32`>",
  ADMIN_EMAIL: "admin@example.com",
  ADMIN_PASSWORD: "<a sentence that only you know>",
  CLOSURE_MAX_CHANGE: "40000",
  QUOTA_ROLES: String(DEFAULT_STORE_LIMITS.roles),
  QUOTA_DEVICES: String(DEFAULT_STORE_LIMITS.devices),
  PROVISION_PER_DAY: String(DEFAULT_STORE_LIMITS.provisionPerDay),
  CHANGE_BUCKET: `${DEFAULT_STORE_LIMITS.bucket.capacity}/${DEFAULT_STORE_LIMITS.bucket.drainSeconds}`,
  CORS_ORIGINS: "https://app.example.com,https://admin.example.com",
  AUDIENCES: "https://billing.example.com,https://reports.example.com",
  TRUSTED_PROXIES: "10.0.0.0/8,2001:db8::1",
  ISSUER_NAME: "Rolegrid",
  PASSKEY_RP_ID: "example.com",
  PASSKEY_ORIGINS: "https://app.example.com",
  BREACHED_PASSWORDS: "on",
  REFUSE_QUERY_SECRETS: "true",
  LOG_LEVEL: "info",
  TELEMETRY_URL: "file:data/points.db",
  TELEMETRY_RETENTION_DAYS: "400, metrics=90, metrics/raw=7, audit=forever",
  TELEMETRY_HOURLY_RETENTION_DAYS: "3650, metrics=forever",
  TELEMETRY_BUCKET: `${DEFAULT_BUCKET.capacity}/${DEFAULT_BUCKET.drainSeconds}`,
  TELEMETRY_BYTES: "50000000000",
  TELEMETRY_MEMORY_MB: "100",
  HISTORY_DAYS: "400",
  RIGHT_PRESETS: "Reader, de:Lesen=V; Technician=VDA",
  MAIL_PER_HOUR: "500",
  TRASH_DAYS: "30",
  MAIL_URL: "smtp://user:password@mail.example.com:587",
  MAIL_FROM: "Rolegrid <no-reply@example.com>",
  MAIL_NAME: "rolegrid.example.com",
  MAIL_BRANDS: "acme=Acme Energy <no-reply@acme.example>; other=mail@other.example",
};

/** Variables of removed features (local copies of a server's database). */
const GONE = ["REPLICA_PATH", "READ_MAX_AGE_LIMIT"];

const REQUIRED_IN_PRODUCTION: readonly VariableName[] = [
  "PUBLIC_URL",
  "TOKEN_KEYS",
  "SECRET_KEYS",
  "MAIL_URL",
  "MAIL_FROM",
];

/**
 * Reads the configuration from environment variables; empty ones count as absent. Throws one `ConfigError` that lists
 * everything wrong or missing.
 */
export function readConfig(env: Environment, mode: "development"): DevelopmentConfig;
export function readConfig(env: Environment, mode: "production"): ProductionConfig;
export function readConfig(env: Environment, mode: Mode): Config;
export function readConfig(env: Environment, mode: Mode): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const result = v.safeParse(Variables, given, { abortPipeEarly: true });
  const problems = new Map<string, string>();
  for (const issue of result.issues ?? []) problems.set(String(issue.path?.[0].key), issue.message);
  const ownUrl = given["PUBLIC_URL"];
  const audiences = (given["AUDIENCES"] ?? "").split(/[\s,]+/);
  if (audiences.some((audience) => audience === ownUrl || audience.startsWith(`${ownUrl}/`))) {
    problems.set("AUDIENCES", "must not name this service, which is the audience of tokens anyway");
  }
  const rpId = given["PASSKEY_RP_ID"];
  const host = URL.parse(ownUrl ?? "http://localhost")?.hostname ?? "";
  if (rpId !== undefined && rpId !== host && !(rpId.includes(".") && host.endsWith(`.${rpId}`))) {
    problems.set("PASSKEY_RP_ID", "must be the host of PUBLIC_URL or a domain above it, with a dot");
  }
  if (isSameFile(given["TURSO_DATABASE_URL"] ?? DEFAULT_DATABASE_URL, given["TELEMETRY_URL"])) {
    problems.set("TELEMETRY_URL", "must not name the database's own file, which keeps points without it");
  }
  const engine = given["TELEMETRY_URL"];
  if (given["TELEMETRY_HOURLY_RETENTION_DAYS"] !== undefined && engine !== undefined && !isFileUrl(engine)) {
    problems.set(
      "TELEMETRY_HOURLY_RETENTION_DAYS",
      "has no effect with InfluxDB, which has continuous queries",
    );
  }
  if (given["TELEMETRY_BYTES"] !== undefined && engine !== undefined && !isFileUrl(engine)) {
    problems.set("TELEMETRY_BYTES", "has no effect with InfluxDB, which keeps its points itself");
  }
  if (mode === "production") {
    for (const name of REQUIRED_IN_PRODUCTION) {
      if (given[name] === undefined) problems.set(name, "is required in production");
    }
  } else if (given["MAIL_URL"] !== undefined && given["MAIL_FROM"] === undefined) {
    problems.set("MAIL_FROM", "is required with MAIL_URL");
  }
  const gone = GONE.filter((name) => given[name] !== undefined);
  if (!result.success || problems.size + gone.length > 0) {
    throw new ConfigError(describeProblems(problems, gone));
  }
  const values = result.output;
  const { TOKEN_KEYS: tokenKeys, SECRET_KEYS: secretKeys, MAIL_URL: mailUrl, MAIL_FROM: mailFrom } = values;
  if (mode === "development") return { ...commonConfig(values, "127.0.0.1"), mode, tokenKeys, secretKeys };
  if (tokenKeys === undefined || secretKeys === undefined) throw new ConfigError("No keys are configured");
  if (mailUrl === undefined || mailFrom === undefined) throw new ConfigError("No mail server is configured");
  return { ...commonConfig(values, "0.0.0.0"), mode, tokenKeys, secretKeys, mailUrl, mailFrom };
}

function commonConfig(values: Values, defaultHost: string): CommonConfig {
  const publicUrl = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`;
  return {
    host: values.HOST ?? defaultHost,
    port: values.PORT,
    databaseUrl: values.TURSO_DATABASE_URL,
    databaseAuthToken: values.TURSO_AUTH_TOKEN,
    publicUrl,
    adminEmail: values.ADMIN_EMAIL,
    adminPassword: values.ADMIN_PASSWORD,
    closureMaxChange: values.CLOSURE_MAX_CHANGE,
    mailPerHour: values.MAIL_PER_HOUR,
    storeLimits: {
      roles: values.QUOTA_ROLES,
      devices: values.QUOTA_DEVICES,
      bucket: values.CHANGE_BUCKET ?? DEFAULT_STORE_LIMITS.bucket,
      trashDays: values.TRASH_DAYS,
      provisionPerDay: values.PROVISION_PER_DAY,
    },
    corsOrigins: values.CORS_ORIGINS,
    audiences: values.AUDIENCES,
    trustedProxies: values.TRUSTED_PROXIES,
    issuerName: values.ISSUER_NAME,
    passkeyRpId: values.PASSKEY_RP_ID ?? new URL(publicUrl).hostname,
    passkeyOrigins: [...new Set([publicUrl, ...values.PASSKEY_ORIGINS])],
    breachedPasswords: values.BREACHED_PASSWORDS,
    refuseQuerySecrets: values.REFUSE_QUERY_SECRETS === "true",
    logLevel: values.LOG_LEVEL,
    telemetryUrl: values.TELEMETRY_URL,
    telemetryRetention: values.TELEMETRY_RETENTION_DAYS ?? KEEP_FOREVER,
    telemetryHourlyRetention: values.TELEMETRY_HOURLY_RETENTION_DAYS,
    telemetryBucket: values.TELEMETRY_BUCKET ?? DEFAULT_BUCKET,
    telemetryBytes: values.TELEMETRY_BYTES,
    telemetryMemoryBytes: values.TELEMETRY_MEMORY_MB,
    historyDays: values.HISTORY_DAYS,
    rightPresets: values.RIGHT_PRESETS,
    mailUrl: values.MAIL_URL,
    mailFrom: values.MAIL_FROM,
    mailName: values.MAIL_NAME ?? toMailName(new URL(publicUrl).hostname),
    mailBrands: values.MAIL_BRANDS,
  };
}

function describeProblems(problems: ReadonlyMap<string, string>, gone: readonly string[]): string {
  const names = Object.keys(EXAMPLES) as VariableName[];
  const lines = names.filter((name) => problems.has(name))
    .map((name) => `  ${name} ${problems.get(name)}. Example: ${name}=${EXAMPLES[name]}`);
  const goneLines = gone.map((name) =>
    `  ${name} has no effect any more: reads come from the database. Remove it`
  );
  return ["Cannot start: these environment variables are wrong or missing.", ...lines, ...goneLines].join(
    "\n",
  );
}

/** Returns a schema that applies a parser. The message of its `RangeError` becomes the problem. */
function parsedBy<T>(parse: (text: string) => T): v.GenericSchema<string, T> {
  return v.pipe(
    v.string(),
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      try {
        return parse(dataset.value);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        addIssue({ message: error.message });
        return NEVER;
      }
    }),
  );
}

function isSameFile(url: string, other: string | undefined): boolean {
  if (other === undefined || !isFileUrl(url) || !isFileUrl(other)) return false;
  return resolve(filePath(url)) === resolve(filePath(other));
}

function checkTokenKeys(text: string): string {
  parseTokenKeys(text);
  return text;
}
