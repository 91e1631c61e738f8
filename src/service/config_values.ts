import { isEmail, normalizeEmail } from "../core/email.ts";
import { isFileUrl } from "../db/file_url.ts";
import { parseTrustedProxies } from "../http/client_address.ts";
import { parseSender } from "../mail/sender.ts";
import { MAX_RETENTION_DAYS } from "../telemetry/retention.ts";

// Each function parses one variable. It throws a `RangeError` whose message continues "VARIABLE …" and repeats
// nothing of the value, which may be a secret in the wrong variable.

/** `on`: Pwned Passwords; a URL: a compatible service. */
export type BreachedPasswords = "off" | "on" | `https://${string}`;

export function parsePort(text: string): number {
  const port = parseDigits(text);
  if (port === undefined || port < 1 || port > 65_535) {
    throw new RangeError("must be a whole number from 1 to 65535");
  }
  return port;
}

export function parsePositive(text: string): number {
  const value = parseDigits(text);
  if (value === undefined || value < 1) throw new RangeError("must be a whole number of at least 1");
  return value;
}

/** Keeps tokens, with their other claims, far below the maximum length of a token. */
const MAX_AUDIENCE = 256;

export function parseRetentionDays(text: string): number {
  const days = parseDigits(text);
  if (days === undefined || days < 1 || days > MAX_RETENTION_DAYS) {
    throw new RangeError(`must be a whole number from 1 to ${MAX_RETENTION_DAYS}`);
  }
  return days;
}

/** Bytes of a megabyte in settings. */
export const MEGABYTE = 1_000_000;
const MAX_MEMORY_MB = 10_000;

/** Parses megabytes. Returns bytes. Throws a `RangeError` like the others. */
export function parseMemory(text: string): number {
  const megabytes = parseDigits(text);
  if (megabytes === undefined || megabytes < 1 || megabytes > MAX_MEMORY_MB) {
    throw new RangeError(`must be a whole number from 1 to ${MAX_MEMORY_MB}`);
  }
  return megabytes * MEGABYTE;
}

/** Parses days for which deleted devices are kept. 0 is allowed. */
export function parseTrashDays(text: string): number {
  const days = parseDigits(text);
  if (days === undefined || days > MAX_RETENTION_DAYS) {
    throw new RangeError(`must be a whole number from 0 to ${MAX_RETENTION_DAYS}`);
  }
  return days;
}

/** Accepts the schemes of the database client. */
export function parseDatabaseUrl(text: string): string {
  const isRemote = /^(https?|libsql):\/\/[^/?#]/.test(text) && URL.canParse(text) && !text.includes("@");
  if (isFileUrl(text) || isRemote) return text;
  throw new RangeError(
    'must be "file:" and a path, or an http://, https:// or libsql:// URL without a user',
  );
}

/** Accepts an origin spelled as browsers send it, so that origins compare as texts. */
export function parseOrigin(text: string): string {
  if (isOrigin(text)) return text;
  throw new RangeError(
    "must be an http:// or https:// origin in lower case, without a path or a slash at the end",
  );
}

export function parseOrigins(text: string): readonly string[] {
  return parseList(
    text,
    (entry) => isOrigin(entry) ? entry : undefined,
    "an origin without a path or a slash at the end",
  );
}

/** The origin of an Android app: the SHA-256 of the certificate that signs it, in base64url without padding. */
const ANDROID_ORIGIN = /^android:apk-key-hash:[A-Za-z0-9_-]{43}$/;

/** Accepts origins of pages and of Android apps, as authenticators report them, so that they compare as texts. */
export function parsePasskeyOrigins(text: string): readonly string[] {
  return parseList(
    text,
    (entry) => isOrigin(entry) || ANDROID_ORIGIN.test(entry) ? entry : undefined,
    "an origin without a path or a slash at the end, or android:apk-key-hash: and 43 characters of base64url",
  );
}

/** Accepts a domain, or an IP address in brackets as mail servers write it. */
export function parseMailName(text: string): string {
  if (/^(?=.{1,255}$)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$|^\[[0-9A-Za-z:.]+\]$/.test(text)) return text;
  throw new RangeError("must be a host name, or an IP address in brackets");
}

/**
 * Accepts absolute URIs without query or fragment (RFC 8707, 2), in canonical spelling, so that they compare as
 * texts.
 */
export function parseAudiences(text: string): readonly string[] {
  return parseList(
    text,
    (entry) => isAudience(entry) ? entry : undefined,
    "an http:// or https:// URL of at most 256 characters, without a user, query or fragment",
  );
}

export function parseProxies(text: string): readonly string[] {
  return parseList(text, readProxy, "an IP address or a CIDR range");
}

export function parseEmail(text: string): string {
  if (isEmail(text)) return normalizeEmail(text);
  throw new RangeError("must be an email address");
}

/** Checks only the length. The other password rules apply when the account is created. */
export function parseAdminPassword(text: string): string {
  const { length } = [...text.normalize("NFC")];
  if (length >= 8 && length <= 256) return text;
  throw new RangeError("must have 8 to 256 characters");
}

export function parseBreachedPasswords(text: string): BreachedPasswords {
  if (text === "off" || text === "on") return text;
  if (isHttps(text) && URL.canParse(text)) return text;
  throw new RangeError("must be off, on, or the https:// URL of a compatible service");
}

/** Accepts `Sender <address>` or an address. */
export function parseMailFrom(text: string): string {
  parseSender(text);
  return text;
}

/**
 * Parses named senders: `name=Sender <address>` or `name=address`, separated by semicolons. A name has 1 to 256
 * characters, without semicolons and equals signs.
 */
export function parseBrands(text: string): ReadonlyMap<string, string> {
  const brands = new Map<string, string>();
  for (const [i, entry] of text.split(";").map((part) => part.trim()).entries()) {
    if (entry === "") continue;
    const [, name, sender] = /^([^=]{1,256}?)\s*=\s*([^=]+)$/.exec(entry) ?? [];
    if (name === undefined || sender === undefined || !isSender(sender)) {
      throw new RangeError(`entry ${i + 1} must be a name, "=" and "Sender <address>" or an address`);
    }
    if (brands.has(name)) throw new RangeError(`entry ${i + 1} repeats the name of an earlier entry`);
    brands.set(name, sender);
  }
  return brands;
}

function parseList(
  text: string,
  read: (entry: string) => string | undefined,
  expected: string,
): readonly string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.map((entry, i) => {
    const value = read(entry);
    if (value === undefined) throw new RangeError(`entry ${i + 1} must be ${expected}`);
    return value;
  });
}

function readProxy(entry: string): string | undefined {
  // An empty prefix length would be read as 0, which trusts everyone.
  if (!/^[^/]+(\/[0-9]{1,3})?$/.test(entry)) return undefined;
  try {
    parseTrustedProxies([entry]);
    return entry;
  } catch {
    return undefined;
  }
}

function parseDigits(text: string): number | undefined {
  return /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isAudience(text: string): boolean {
  if (text.length > MAX_AUDIENCE || !/^https?:/.test(text) || !URL.canParse(text)) return false;
  const { origin, pathname } = new URL(text);
  return [origin, origin + pathname].includes(text);
}

function isHttps(text: string): text is `https://${string}` {
  return text.startsWith("https://");
}

function isSender(text: string): boolean {
  try {
    parseSender(text);
    return true;
  } catch {
    return false;
  }
}
