import { createLimiter, type LimiterOptions } from "../core/limiter.ts";
import { addressBucket } from "../http/client_address.ts";
import { type Argon2, isOutdatedHash, loadArgon2, makeUnmatchableHash } from "./argon2.ts";
import { normalizePassword } from "./rules.ts";

/** What hashing may take: at 19 MiB each, four at once are 76 MiB; 36 in all finish within about half a second. */
const HASH_LIMITS: LimiterOptions = { running: 4, waiting: 32, perKey: 8 };

export interface PasswordVerdict {
  readonly ok: boolean;
  /** The password is right, but its hash is weaker than new ones are: store a new one. */
  readonly needsRehash: boolean;
}

/**
 * Hashes and compares passwords, a bounded number at once. `clientAddress` is whose request it is: each client has
 * its share (an IPv6 network counts as one). Every method throws `UNAVAILABLE` when too much is under way.
 */
export interface PasswordHasher {
  /** Makes a PHC string to store. */
  hash(password: string, clientAddress: string): Promise<string>;
  /** Compares a password with a stored PHC string. Throws if that is not one. */
  verify(password: string, phc: string, clientAddress: string): Promise<PasswordVerdict>;
  /** Does the work of `verify` where there is no account or no password, and answers that it does not match. */
  verifyDummy(password: string, clientAddress: string): Promise<PasswordVerdict>;
  /** Hashes with the salt and the parameters of a stored PHC string: equal texts give equal strings. */
  hashLike(text: string, phc: string, clientAddress: string): Promise<string>;
}

export interface PasswordHasherOptions {
  /** Which Argon2 to use: called once, at the first password. */
  readonly loadArgon2?: () => Promise<Argon2>;
  readonly limits?: LimiterOptions;
}

/** Creates the hasher that the whole process shares: its limits hold over everything that hashes. */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const limiter = createLimiter(options.limits ?? HASH_LIMITS);
  const load = options.loadArgon2 ?? loadArgon2;
  const unmatchable = makeUnmatchableHash();
  let argon2: Promise<Argon2> | undefined;

  function runLimited<T>(clientAddress: string, task: (argon2: Argon2) => Promise<T>): Promise<T> {
    return limiter.run(async () => task(await (argon2 ??= load())), addressBucket(clientAddress));
  }

  function verify(password: string, phc: string, clientAddress: string): Promise<PasswordVerdict> {
    return runLimited(clientAddress, async (argon2) => {
      const ok = await argon2.verify(toBytes(password), phc);
      return { ok, needsRehash: ok && isOutdatedHash(phc) };
    });
  }

  return {
    hash: (password, clientAddress) => runLimited(clientAddress, (argon2) => argon2.hash(toBytes(password))),
    verify,
    verifyDummy: (password, clientAddress) => verify(password, unmatchable, clientAddress),
    hashLike: (text, phc, clientAddress) =>
      runLimited(clientAddress, (argon2) => argon2.hashLike(toBytes(text), phc)),
  };
}

/** Both implementations get the same bytes: they would disagree on text that is not well-formed. */
function toBytes(password: string): Uint8Array {
  return new TextEncoder().encode(normalizePassword(password));
}
