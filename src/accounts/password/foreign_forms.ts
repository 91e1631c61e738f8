import { Buffer } from "node:buffer";
import { createHash, createHmac } from "node:crypto";
import * as v from "valibot";

/**
 * The forms of password hashes of other systems, and the forms in which they are stored: the modular crypt form of
 * bcrypt, also as Django and passlib write it behind SHA-256, and PHC strings of the others.
 */

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const BCRYPT_DIGITS = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Padding may be missing. A single digit behind the last group of four would be no byte. */
const BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}={0,2}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{4})";
/** Without zeros before it, which the library of Argon2 refuses. */
const NUMBER = "(0|[1-9]\\d{0,8})";
const DIGEST = "(sha1|sha224|sha256|sha384|sha512)";
/** Stored forms, whose groups are the parameters, the salt and the key. */
export const ARGON2 = new RegExp(
  `^\\$argon2(?:i|id)\\$v=(?:16|19)\\$m=${NUMBER},t=${NUMBER},p=${NUMBER}\\$(${BASE64})\\$(${BASE64})$`,
);
export const SCRYPT = new RegExp(
  `^\\$scrypt\\$ln=${NUMBER},r=${NUMBER},p=${NUMBER}\\$(${BASE64})\\$(${BASE64})$`,
);
export const PBKDF2 = new RegExp(`^\\$pbkdf2-${DIGEST}\\$i=${NUMBER}\\$(${BASE64})\\$(${BASE64})$`);

/** bcrypt of the digest of a password, which has no limit of 72 bytes: Django's form, and passlib's second and first. */
const DJANGO_BCRYPT_SHA256 = /^bcrypt_sha256\$(\$2.+)$/;
const PASSLIB_BCRYPT_SHA256 =
  /^\$bcrypt-sha256\$(?:v=2,t=(2[ab]),r=(\d\d?)|(2[ab]),(\d\d?))\$([./A-Za-z0-9]{22})\$([./A-Za-z0-9]{31})$/;

/** Django's forms (`django.contrib.auth.hashers`). */
const DJANGO_PBKDF2 = new RegExp(`^pbkdf2_(sha1|sha256)\\$(\\d{1,9})\\$([^$]+)\\$(${BASE64})$`);
const DJANGO_SCRYPT = new RegExp(`^scrypt\\$(\\d{1,9})\\$([^$]+)\\$(\\d{1,9})\\$(\\d{1,9})\\$(${BASE64})$`);
const DJANGO_WRAPPED = /^(?:argon2(\$argon2.+)|bcrypt\$(\$2.+))$/;
/** passlib's form, which is also Zitadel's: rounds alone, and a dot for the plus of Base64. No digest is SHA-1. */
const PASSLIB_PBKDF2 = new RegExp(
  `^\\$pbkdf2(?:-${DIGEST})?\\$(\\d{1,9})\\$([./A-Za-z0-9]+)\\$([./A-Za-z0-9]+)$`,
);
/** Kratos adds the length of the key, and writes scrypt's N where others write its logarithm. */
const KRATOS_PBKDF2 = /^(\$pbkdf2-sha\d+\$i=\d+),l=\d+(\$.+)$/;
const KRATOS_SCRYPT = /^\$scrypt\$ln=(\d{3,9})(,.+)$/;
/** better-auth's form: N = 2^14, r = 16, and the hexadecimal text of the salt as the salt. */
const BETTER_AUTH = /^([0-9a-fA-F]{32}):([0-9a-fA-F]{128})$/;
/** Argon2 1.0, which names no version. */
const FIRST_ARGON2 = /^(\$argon2(?:i|id))(\$m=.+)$/;

const Base64Schema = v.pipe(v.string(), v.regex(new RegExp(`^${BASE64}$`)));

/** A credential of a Keycloak realm export; its two parts are JSON in texts there. */
const KeycloakSchema = v.object({
  credentialData: v.pipe(
    v.string(),
    v.parseJson(),
    v.object({
      hashIterations: v.pipe(v.number(), v.integer(), v.minValue(1)),
      algorithm: v.string(),
      additionalParameters: v.optional(v.record(v.string(), v.nullable(v.array(v.string())))),
    }),
  ),
  secretData: v.pipe(v.string(), v.parseJson(), v.object({ value: Base64Schema, salt: Base64Schema })),
});

/** Keycloak's names of algorithms; the first is SHA-1 by default. */
const KEYCLOAK_DIGESTS: ReadonlyMap<string, string> = new Map([
  ["pbkdf2", "sha1"],
  ["pbkdf2-sha256", "sha256"],
  ["pbkdf2-sha512", "sha512"],
]);

/** Keycloak's names of Argon2's versions. */
const KEYCLOAK_VERSIONS: ReadonlyMap<string, number> = new Map([["1.0", 0x10], ["1.3", 0x13]]);

/** Bytes of the digests of PBKDF2, which derives one after the other. */
export const DIGEST_BYTES: Readonly<Record<string, number>> = {
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
};

/** Returns the form in which a hash is stored, or undefined if it has none of the forms. */
export function toStoredForm(text: string): string | undefined {
  if (text.startsWith("{")) return fromKeycloak(text);
  const wrapped = DJANGO_WRAPPED.exec(text);
  if (wrapped !== null) return toExactForm(wrapped[1] ?? wrapped[2] ?? "");
  const byPbkdf2 = DJANGO_PBKDF2.exec(text);
  if (byPbkdf2 !== null) {
    const [, digest = "", rounds, salt = "", key = ""] = byPbkdf2;
    return toPbkdf2(digest, Number(rounds), Buffer.from(salt), decode(key));
  }
  const byPasslib = PASSLIB_PBKDF2.exec(text);
  if (byPasslib !== null) {
    const [salt, key] = byPasslib.slice(3).map((part) => decode(part.replaceAll(".", "+")));
    return salt && key && toPbkdf2(byPasslib[1] ?? "sha1", Number(byPasslib[2]), salt, key);
  }
  const byScrypt = DJANGO_SCRYPT.exec(text);
  if (byScrypt !== null) {
    const [, cost, salt = "", r, p, key = ""] = byScrypt;
    return toScrypt(Math.log2(Number(cost)), Number(r), Number(p), Buffer.from(salt), decode(key));
  }
  const byBetterAuth = BETTER_AUTH.exec(text);
  if (byBetterAuth !== null) {
    const [, salt = "", key = ""] = byBetterAuth;
    return toScrypt(14, 16, 1, Buffer.from(salt), Buffer.from(key, "hex"));
  }
  const ofKratos = text.replace(KRATOS_PBKDF2, "$1$2").replace(
    KRATOS_SCRYPT,
    (_all, cost: string, rest: string) => `$scrypt$ln=${Math.log2(Number(cost))}${rest}`,
  );
  return toExactForm(ofKratos.replace(FIRST_ARGON2, "$1$$v=16$2"));
}

/** The libraries match nothing with padding, or with bits behind the last byte. */
function toExactForm(text: string): string | undefined {
  if (readBcrypt(text) !== undefined) return BCRYPT.test(text) ? exactBcrypt(text) : text;
  const byPbkdf2 = PBKDF2.exec(text);
  if (byPbkdf2 !== null) {
    const [, digest = "", rounds, salt = "", key = ""] = byPbkdf2;
    return toPbkdf2(digest, Number(rounds), decode(salt), decode(key));
  }
  const match = ARGON2.exec(text) ?? SCRYPT.exec(text);
  if (match === null) return undefined;
  const [salt = "", key = ""] = match.slice(-2);
  return `${text.slice(0, -`${salt}$${key}`.length)}${encode(decode(salt))}$${encode(decode(key))}`;
}

/** Of a longer key only the first digest is kept, which tells as much: each further one would cost as much again. */
function toPbkdf2(digest: string, rounds: number, salt: Buffer, key: Buffer): string {
  return `$pbkdf2-${digest}$i=${rounds}$${encode(salt)}$${encode(key.subarray(0, DIGEST_BYTES[digest]))}`;
}

function toScrypt(ln: number, r: number, p: number, salt: Buffer, key: Buffer): string | undefined {
  return Number.isInteger(ln) ? `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(key)}` : undefined;
}

function fromKeycloak(text: string): string | undefined {
  let credential: unknown;
  try {
    credential = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = v.safeParse(KeycloakSchema, credential);
  if (!read.success) return undefined;
  const { credentialData, secretData: { value, salt } } = read.output;
  const { algorithm, hashIterations, additionalParameters } = credentialData;
  if (algorithm === "argon2") {
    const parameter = (name: string): string => additionalParameters?.[name]?.[0] ?? "";
    const version = KEYCLOAK_VERSIONS.get(parameter("version"));
    const text = `$argon2${parameter("type")}$v=${version}$m=${parameter("memory")},t=${hashIterations},p=${
      parameter("parallelism")
    }$${encode(decode(salt))}$${encode(decode(value))}`;
    return ARGON2.test(text) ? text : undefined;
  }
  const digest = KEYCLOAK_DIGESTS.get(algorithm);
  return digest && toPbkdf2(digest, hashIterations, decode(salt), decode(value));
}

/** A stored form of bcrypt. */
export interface ReadBcrypt {
  /** As the library compares it. */
  readonly hash: string;
  readonly cost: string;
  /** Returns what is hashed in place of the password. */
  prepare(password: string): string;
}

/** Reads a stored form of bcrypt. Returns undefined for any other. */
export function readBcrypt(text: string): ReadBcrypt | undefined {
  const byPasslib = PASSLIB_BCRYPT_SHA256.exec(text);
  const inDjango = DJANGO_BCRYPT_SHA256.exec(text)?.[1];
  let hash = inDjango ?? text;
  let prepare: ReadBcrypt["prepare"] = (password) => password;
  if (byPasslib !== null) {
    const [, secondKind, secondCost, firstKind, firstCost = "", salt = "", digest = ""] = byPasslib;
    hash = `$${secondKind ?? firstKind}$${(secondCost ?? firstCost).padStart(2, "0")}$${salt}${digest}`;
    prepare = (password) => {
      const hashing = secondKind === undefined ? createHash("sha256") : createHmac("sha256", salt);
      return hashing.update(password).digest("base64");
    };
  } else if (inDjango !== undefined) {
    prepare = (password) => createHash("sha256").update(password).digest("hex");
  }
  const cost = BCRYPT.exec(hash)?.[1];
  return cost === undefined ? undefined : { hash: exactBcrypt(hash), cost, prepare };
}

function exactBcrypt(hash: string): string {
  const [salt, digest] = [withoutLowBits(hash.charAt(28), 4), withoutLowBits(hash.charAt(59), 2)];
  return `${hash.slice(0, 28)}${salt}${hash.slice(29, 59)}${digest}`;
}

function withoutLowBits(digit: string, bits: number): string {
  return BCRYPT_DIGITS.charAt(BCRYPT_DIGITS.indexOf(digit) >> bits << bits);
}

/** Decodes Base64 with or without padding. */
export function decode(base64: string): Buffer {
  // Older runtimes refuse padding that is not complete.
  return Buffer.from(base64.replace(/=+$/, ""), "base64");
}

/** Base64 without padding, as PHC strings use it. */
export function encode(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
