import { Buffer } from "node:buffer";
import { pbkdf2, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { isOwnHash } from "./argon2.ts";
import {
  ARGON2,
  decode,
  DIGEST_BYTES,
  encode,
  PBKDF2,
  readBcrypt,
  SCRYPT,
  toStoredForm,
} from "./foreign_forms.ts";
import { normalizePassword } from "./rules.ts";

/**
 * Password hashes of other systems. They are brought by an import, compared at sign-in, and replaced by one of ours at
 * the first sign-in that succeeds. `foreign_forms.ts` has the forms in which they come and are stored.
 */

/** Most work of one comparison, which holds up others: about a second of processor time, or 128 MiB. */
const MOST = {
  bcryptCost: 14,
  pbkdf2Rounds: 2_000_000,
  memoryKib: 128 * 1024,
  /** Kibibytes times passes, of Argon2. */
  argon2Work: 10 * 128 * 1024,
  lanes: 16,
  /** Of scrypt's r and p each. With more, the same work takes longer. */
  scryptFactor: 256,
  saltBytes: 1024,
} as const;

/** A hash as it is stored, or what is wrong with it. */
export type ReadHash = { readonly hash: string } | { readonly fault: string };

const UNKNOWN =
  "the hash is none of bcrypt, scrypt, PBKDF2, argon2i and argon2id in a form that is read here";

/** Forms that are known, and not read. Firebase exports its hashes without a name: the Base64 of 64 bytes. */
const UNSUPPORTED: readonly (readonly [name: string, form: RegExp])[] = [
  ["argon2d", /^(argon2)?\$argon2d\$/],
  ["Firebase's scrypt", /^(\$fire(base)?scrypt\$.*|[A-Za-z0-9+/_-]{86}==)$/],
];

/** Reads a hash of another system in one of its forms. Refuses one that would cost too much to compare. */
export function readForeignHash(text: string): ReadHash {
  const trimmed = text.trim();
  const [unsupported] = UNSUPPORTED.find(([, form]) => form.test(trimmed)) ?? [];
  if (unsupported !== undefined) return { fault: `${unsupported} is not supported` };
  const hash = toStoredForm(trimmed);
  if (hash === undefined) return { fault: UNKNOWN };
  const fault = findFault(hash);
  return fault === undefined ? { hash } : { fault };
}

/** The algorithms that are told apart by their cost. With more memory, the same work of Argon2 takes longer. */
export const FOREIGN_KINDS = [
  "bcrypt",
  "argon2",
  "argon2-memory",
  "scrypt",
  "pbkdf2-sha1",
  "pbkdf2-sha224",
  "pbkdf2-sha256",
  "pbkdf2-sha384",
  "pbkdf2-sha512",
] as const;
export type ForeignKind = typeof FOREIGN_KINDS[number];

/** What a comparison with a hash costs. */
export interface ForeignCost {
  readonly kind: ForeignKind;
  /** Grows with the time of a comparison, among hashes of one kind. Of `argon2-memory`, the memory. */
  readonly work: number;
  /** A hash of the same cost that no password matches. */
  readonly dummy: string;
}

/** A salt of 16 zeros, and a digest of 32. */
const ZERO_SALT = "A".repeat(22);
const ZERO_DIGEST = "A".repeat(43);

/** Returns what a comparison with a stored hash costs: nothing if it is one of ours, or of none of these forms. */
export function costsOfForeign(hash: string): readonly ForeignCost[] {
  if (isOwnHash(hash) || findFault(hash) !== undefined) return [];
  const cost = readBcrypt(hash)?.cost;
  if (cost !== undefined) {
    return [{ kind: "bcrypt", work: 2 ** Number(cost), dummy: `$2b$${cost}$${".".repeat(53)}` }];
  }
  const byArgon2 = ARGON2.exec(hash);
  if (byArgon2 !== null) {
    const [memory = 0, passes = 0, lanes = 0] = byArgon2.slice(1, 4).map(Number);
    const dummy = argon2Dummy(memory, passes, lanes);
    return [{ kind: "argon2", work: memory * passes, dummy }, { kind: "argon2-memory", work: memory, dummy }];
  }
  const byScrypt = SCRYPT.exec(hash);
  if (byScrypt !== null) {
    const [ln = 0, r = 0, p = 0] = byScrypt.slice(1, 4).map(Number);
    const dummy = `$scrypt$ln=${ln},r=${r},p=${p}$${ZERO_SALT}$${ZERO_DIGEST}`;
    return [{ kind: "scrypt", work: 2 ** ln * r * p, dummy }];
  }
  const [, digest = "", rounds = "", , key = ""] = PBKDF2.exec(hash) ?? [];
  const { length } = decode(key);
  return [{
    kind: `pbkdf2-${digest}` as ForeignKind,
    work: Number(rounds) * Math.ceil(length / (DIGEST_BYTES[digest] ?? 1)),
    dummy: `$pbkdf2-${digest}$i=${rounds}$${ZERO_SALT}$${encode(Buffer.alloc(length))}`,
  }];
}

function argon2Dummy(memory: number, passes: number, lanes: number): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${ZERO_SALT}$${ZERO_DIGEST}`;
}

/**
 * Returns a hash of each algorithm that no password matches, and with which a comparison takes as long as with any
 * other that costs no more than these, of which there is one of each kind.
 */
export function dummiesFor(costs: readonly ForeignCost[]): readonly string[] {
  const works = new Map(costs.map(({ kind, work }) => [kind, work]));
  return costs.filter(({ kind }) => kind !== "argon2").map(({ kind, work, dummy }) => {
    if (kind !== "argon2-memory") return dummy;
    // One hash may have the most memory, and another one the most work.
    const passes = Math.ceil((works.get("argon2") ?? 0) / work);
    const lanes = Number(ARGON2.exec(dummy)?.[3]);
    return argon2Dummy(work, Math.min(passes, Math.floor(MOST.argon2Work / work)), lanes);
  });
}

/** Returns why a stored form is not accepted: a cost beyond the limits, or parts that no password can match. */
function findFault(hash: string): string | undefined {
  const byBcrypt = readBcrypt(hash);
  if (byBcrypt !== undefined) {
    const cost = Number(byBcrypt.cost);
    return cost < 4 || cost > MOST.bcryptCost ? `bcrypt's cost must be 4 to ${MOST.bcryptCost}` : undefined;
  }
  const byArgon2 = ARGON2.exec(hash);
  if (byArgon2 !== null) {
    const [memory = 0, passes = 0, lanes = 0] = byArgon2.slice(1, 4).map(Number);
    if (memory > MOST.memoryKib) return `argon2's memory must be at most ${MOST.memoryKib} KiB`;
    if (memory * passes > MOST.argon2Work) {
      return `argon2's memory times passes must be at most ${MOST.argon2Work}`;
    }
    if (memory < 8 * lanes || passes < 1 || lanes < 1 || lanes > MOST.lanes) {
      return "argon2's parameters are invalid";
    }
    return findFaultOfParts(byArgon2[4], byArgon2[5], 8);
  }
  const byScrypt = SCRYPT.exec(hash);
  if (byScrypt !== null) {
    const [ln = 0, r = 0, p = 0] = byScrypt.slice(1, 4).map(Number);
    if (128 * 2 ** ln * r * p > MOST.memoryKib * 1024) {
      return `scrypt's 128 N r p must be at most ${MOST.memoryKib} KiB`;
    }
    // RFC 7914, section 6: N is less than 2 ^ (128 r / 8).
    const isInvalid = ln < 1 || r < 1 || p < 1 || ln >= 16 * r;
    if (isInvalid) return "scrypt's parameters are invalid";
    if (Math.max(r, p) > MOST.scryptFactor) return `scrypt's r and p must be at most ${MOST.scryptFactor}`;
    return findFaultOfParts(byScrypt[4], byScrypt[5]);
  }
  const byPbkdf2 = PBKDF2.exec(hash);
  if (byPbkdf2 === null) return UNKNOWN;
  const rounds = Number(byPbkdf2[2]);
  if (rounds < 1 || rounds > MOST.pbkdf2Rounds) return `PBKDF2's rounds must be 1 to ${MOST.pbkdf2Rounds}`;
  return findFaultOfParts(byPbkdf2[3], byPbkdf2[4]);
}

function findFaultOfParts(salt = "", key = "", leastSalt = 1): string | undefined {
  const [saltBytes, keyBytes] = [decode(salt).length, decode(key).length];
  if (saltBytes < leastSalt || saltBytes > MOST.saltBytes) {
    return `the salt must have ${leastSalt} to ${MOST.saltBytes} bytes`;
  }
  return keyBytes < 16 || keyBytes > 64 ? "the hash must have 16 to 64 bytes" : undefined;
}

const derivePbkdf2 = promisify(pbkdf2);

/**
 * Returns how another system may have spelled a password before it hashed it: as it was typed, in NFC, and in NFKC,
 * where these differ.
 */
export function spellingsOf(password: string): ReadonlySet<string> {
  return new Set([password, normalizePassword(password), password.normalize("NFKC")]);
}

/**
 * Compares a password, as it is spelled, with a stored hash of another system. None of this is done on the thread of the
 * event loop. Returns undefined for a hash of unknown form, or whose cost is beyond the limits, and where the add-on
 * that compares it does not load.
 */
export async function compareForeign(password: string, hash: string): Promise<boolean | undefined> {
  if (findFault(hash) !== undefined) return undefined;
  try {
    const fits = await derivesTo(password, hash);
    // HMAC and bcrypt take a password with zeros behind it for the same. Other systems accept no empty password.
    return fits && password !== "" && !password.includes("\0");
  } catch {
    return undefined;
  }
}

async function derivesTo(password: string, hash: string): Promise<boolean> {
  const byBcrypt = readBcrypt(hash);
  if (byBcrypt !== undefined) {
    const { verify } = await import("@node-rs/bcrypt");
    return await verify(byBcrypt.prepare(password), byBcrypt.hash);
  }
  if (ARGON2.test(hash)) {
    const { verify } = await import("@node-rs/argon2");
    return await verify(hash, password);
  }
  const byScrypt = SCRYPT.exec(hash);
  if (byScrypt !== null) {
    const [, ln, r, p, salt = "", key = ""] = byScrypt;
    const kept = decode(key);
    const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: 2 * MOST.memoryKib * 1024 };
    return timingSafeEqual(kept, await deriveScrypt(password, decode(salt), kept.length, cost));
  }
  const [, digest = "", rounds, salt = "", key = ""] = PBKDF2.exec(hash) ?? [];
  const kept = decode(key);
  const derived = await derivePbkdf2(password, decode(salt), Number(rounds), kept.length, digest);
  return timingSafeEqual(kept, derived);
}

function deriveScrypt(
  password: string,
  salt: Buffer,
  length: number,
  cost: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, cost, (error, key) => error === null ? resolve(key) : reject(error));
  });
}
