import { isStrangerAsking, isUserAsking } from "../core/asker.ts";
import { createLimiter, type LimiterOptions, type Share } from "../core/limiter.ts";
import type { QueueMeter } from "../core/metrics.ts";
import { STRANGERS_REFUSED } from "../core/strangers_refused.ts";
import { networksOf } from "../throttle/networks.ts";
import { type Argon2, isOutdatedHash, loadArgon2, makeUnmatchableHash } from "./argon2.ts";
import { normalizePassword } from "./rules.ts";

export interface HashLimits extends LimiterOptions {
  /** Maximum number of tasks of one user or client; a network's maximum is a multiple of it (`networksOf`). */
  readonly perKey: number;
  /** Maximum number of tasks of all strangers together. The rest is for users. */
  readonly ofStrangers: number;
}

/** Maximum number of concurrent hashes, which leaves a core to the event loop. Four use 76 MiB, 19 MiB each. */
const RUNNING = Math.min(Math.max(navigator.hardwareConcurrency - 1, 1), 4);
/**
 * Limits of hashing. All 36 finish within about half a second. One client can have four sign-ins to an account under
 * way.
 */
const HASH_LIMITS: HashLimits = { running: RUNNING, waiting: 36 - RUNNING, perKey: 4, ofStrangers: 20 };

export interface PasswordVerdict {
  readonly ok: boolean;
  /** The password is right, but its hash is outdated: store a new one. */
  readonly needsRehash: boolean;
}

/**
 * Hashes and compares passwords, a limited number at once. A request counted to a user (`core/asker.ts`) uses that
 * user's share. Strangers have a share per `clientAddress` (per IPv6 /64) and per network, and together only a part,
 * so that they do not keep users out. Methods throw `UNAVAILABLE` at the limits.
 */
export interface PasswordHasher {
  /** Returns a PHC string to store. */
  hash(password: string, clientAddress: string): Promise<string>;
  /** Compares a password with a stored PHC string. Throws if `phc` is not a PHC string. */
  verify(password: string, phc: string, clientAddress: string): Promise<PasswordVerdict>;
  /** Does the work of `verify` where there is no account or password. Never matches. */
  verifyDummy(password: string, clientAddress: string): Promise<PasswordVerdict>;
  /** Hashes with the salt and parameters of a stored PHC string, so that equal texts give equal hashes. */
  hashLike(text: string, phc: string, clientAddress: string): Promise<string>;
  /** Throws `STRANGERS_REFUSED` if a stranger's hash would be refused now. Call it before any write. */
  requireRoomForStranger(clientAddress: string): void;
}

export interface PasswordHasherOptions {
  /** Loads Argon2, once, at the first password. */
  readonly loadArgon2?: () => Promise<Argon2>;
  readonly limits?: HashLimits;
  readonly meter?: QueueMeter | undefined;
}

/** Creates a hasher. The whole process shares one, so that the limits apply to all hashing. */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const limits = options.limits ?? HASH_LIMITS;
  const limiter = createLimiter({ ...limits, meter: options.meter });
  const load = options.loadArgon2 ?? loadArgon2;
  const unmatchable = makeUnmatchableHash();
  let argon2: Promise<Argon2> | undefined;

  function runLimited<T>(clientAddress: string, task: (argon2: Argon2) => Promise<T>): Promise<T> {
    const hash = async (): Promise<T> => task(await (argon2 ??= load()));
    if (isUserAsking()) return limiter.run(hash);
    const { key, shares } = sharesOf(clientAddress);
    return limiter.run(hash, key, shares);
  }

  function sharesOf(clientAddress: string): { key: string; shares: readonly Share[] } {
    const [[key] = [""], ...networks] = Object.entries(networksOf(clientAddress));
    const shares = networks.map(([name, factor]) => ({ name, most: limits.perKey * factor }));
    return { key, shares: [...shares, { name: "strangers", most: limits.ofStrangers }] };
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
    requireRoomForStranger(clientAddress): void {
      const { key, shares } = sharesOf(clientAddress);
      if (isStrangerAsking() && !limiter.hasRoom(key, shares)) throw STRANGERS_REFUSED;
    },
  };
}

/** Encodes a password. Both implementations get the same bytes, because they treat ill-formed text differently. */
function toBytes(password: string): Uint8Array {
  return new TextEncoder().encode(normalizePassword(password));
}
