import { isStrangerAsking, isUserAsking } from "../core/asker.ts";
import { createLimiter, type Limiter, type LimiterOptions, type Share } from "../core/limiter.ts";
import type { QueueMeter } from "../core/metrics.ts";
import { STRANGERS_REFUSED } from "../core/strangers_refused.ts";
import { networksOf } from "../throttle/networks.ts";
import { type Argon2, isOutdatedHash, isOwnHash, loadArgon2, makeUnmatchableHash } from "./argon2.ts";
import type { ForeignCosts } from "./foreign_costs.ts";
import { compareForeign, spellingsOf } from "./foreign_hash.ts";
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

/** Comparisons with hashes of other systems that run at once. Each may take 128 MiB. */
const RUNNING_FOREIGN = Math.min(RUNNING, 2);
/**
 * How long such a comparison takes if it fails, as a multiple of the longest of the latest times of the costliest: on
 * a busy machine it takes several times as long as on an idle one.
 */
const HELD_FACTOR = 1.25;
const KEPT_TIMES = 16;
const FIRST_TIMES = 3;

export interface PasswordVerdict {
  readonly ok: boolean;
  /** The password is right, but its hash is another system's or outdated: store a new one. */
  readonly needsRehash: boolean;
  /** The stored hash cannot be compared, so that no password matches it. */
  readonly isUnreadable: boolean;
}

/**
 * Hashes and compares passwords, a limited number at once. A request counted to a user (`core/asker.ts`) uses that
 * user's share. Strangers have a share per `clientAddress` (per IPv6 /64) and per network, and together only a part,
 * so that they do not keep users out. Methods throw `UNAVAILABLE` at the limits, before they compare.
 *
 * While the database has hashes of other systems, the time of a failure tells neither the form of the stored hash nor
 * whether there is one, even to a client with several requests under way: all comparisons do the same. The first step
 * is one with a hash of ours. Unless that fits, the second takes a turn in the queue of the others: it compares with
 * the stored hash, or for want of one with the costliest, and keeps its turn as long as the costliest may take. A
 * password that other systems may have spelled in another way takes such a turn for each spelling.
 */
export interface PasswordHasher {
  /** Returns a PHC string to store. */
  hash(password: string, clientAddress: string): Promise<string>;
  /** Compares a password with a stored hash, ours or another system's. */
  verify(password: string, hash: string, clientAddress: string): Promise<PasswordVerdict>;
  /** Does the work of `verify` where there is no account or password. Never matches. */
  verifyDummy(password: string, clientAddress: string): Promise<PasswordVerdict>;
  /** Compares with a hash that no import brings: a role's. Null does the same work and never matches. */
  verifyOwn(password: string, hash: string | null, clientAddress: string): Promise<boolean>;
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
  /** The hashes of other systems in the database. Without it, only those of ours are compared. */
  readonly foreignCosts?: ForeignCosts;
}

/** Creates a hasher. The whole process shares one, so that the limits apply to all hashing. */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const limits = options.limits ?? HASH_LIMITS;
  const limiter = createLimiter({ ...limits, meter: options.meter });
  /** Comparisons that may take two steps. Each has a place for both, so that the second is never refused. */
  const places = createLimiter({ ...limits, running: limits.running + limits.waiting, waiting: 0 });
  const foreignQueue = createLimiter({ running: RUNNING_FOREIGN, waiting: Infinity });
  const findSlowest = createStopwatch((task) => foreignQueue.run(task));
  const load = options.loadArgon2 ?? loadArgon2;
  const unmatchable = makeUnmatchableHash();
  let argon2: Promise<Argon2> | undefined;

  function sharesOf(clientAddress: string): { key: string; shares: readonly Share[] } {
    const [[key] = [""], ...networks] = Object.entries(networksOf(clientAddress));
    const shares = networks.map(([name, factor]) => ({ name, most: limits.perKey * factor }));
    return { key, shares: [...shares, { name: "strangers", most: limits.ofStrangers }] };
  }

  function runIn<T>(limited: Limiter, clientAddress: string, task: () => Promise<T>): Promise<T> {
    if (isUserAsking()) return limited.run(task);
    const { key, shares } = sharesOf(clientAddress);
    return limited.run(task, key, shares);
  }

  function runLimited<T>(clientAddress: string, task: (argon2: Argon2) => Promise<T>): Promise<T> {
    return runIn(limiter, clientAddress, async () => task(await (argon2 ??= load())));
  }

  /** Compares with a hash of ours. For any other, returns undefined after the same work. */
  function compareOwn(password: string, hash: string, clientAddress: string): Promise<boolean | undefined> {
    return runLimited(clientAddress, async (argon2) => {
      const isOwn = isOwnHash(hash);
      const fits = await argon2.verify(toBytes(password), isOwn ? hash : unmatchable);
      return isOwn ? fits && password !== "" : undefined;
    });
  }

  /** Takes a turn to compare with a hash of another system; without one, returns false. */
  function compareOther(
    password: string,
    hash: string | undefined,
    slowest: TimedHash,
  ): Promise<boolean | undefined> {
    return foreignQueue.run(async () => {
      // Before the comparison, whose own time must not count: only some failures take it.
      const endsAt = performance.now() + HELD_FACTOR * slowest.longest();
      const fits = hash === undefined ? undefined : await compareForeign(password, hash);
      if (fits) return true;
      if (fits === undefined) await slowest.compare(password);
      await delay(endsAt - performance.now());
      return hash === undefined ? false : fits;
    });
  }

  /**
   * Compares each spelling in a turn of its own, so that others do not wait longer for a password with several. All of
   * them, since the time must not tell which one fits.
   */
  async function compareSpellings(
    password: string,
    hash: string | undefined,
    slowest: TimedHash,
  ): Promise<boolean | undefined> {
    const verdicts: (boolean | undefined)[] = [];
    for (const spelling of spellingsOf(password)) verdicts.push(await compareOther(spelling, hash, slowest));
    return verdicts.includes(true) || verdicts[0];
  }

  async function compare(
    password: string,
    hash: string,
    clientAddress: string,
  ): Promise<boolean | undefined> {
    const dummies = await options.foreignCosts?.covering(hash) ?? [];
    if (dummies.length === 0) return await compareOwn(password, hash, clientAddress);
    return await runIn(places, clientAddress, async () => {
      const slowest = await findSlowest(dummies);
      const fits = await compareOwn(password, hash, clientAddress);
      if (fits) return true;
      return await compareSpellings(password, fits === undefined ? hash : undefined, slowest);
    });
  }

  async function verify(password: string, hash: string, clientAddress: string): Promise<PasswordVerdict> {
    const fits = await compare(password, hash, clientAddress);
    const ok = fits ?? false;
    return { ok, needsRehash: ok && isOutdatedHash(hash), isUnreadable: fits === undefined };
  }

  return {
    hash: (password, clientAddress) => runLimited(clientAddress, (argon2) => argon2.hash(toBytes(password))),
    verify,
    verifyDummy: (password, clientAddress) => verify(password, unmatchable, clientAddress),
    verifyOwn: async (password, hash, clientAddress) =>
      await compareOwn(password, hash ?? unmatchable, clientAddress) ?? false,
    hashLike: (text, phc, clientAddress) =>
      runLimited(clientAddress, (argon2) => argon2.hashLike(toBytes(text), phc)),
    requireRoomForStranger(clientAddress): void {
      const { key, shares } = sharesOf(clientAddress);
      const hasRoom = [limiter, places].every((limited) => limited.hasRoom(key, shares));
      if (isStrangerAsking() && !hasRoom) throw STRANGERS_REFUSED;
    },
  };
}

/** A hash of another system that no password matches, and how long its comparisons took. */
interface TimedHash {
  compare(password: string): Promise<void>;
  /** The longest of the latest times, in milliseconds. */
  longest(): number;
}

function timeHash(dummy: string): TimedHash {
  const times: number[] = [];
  return {
    async compare(password): Promise<void> {
      const startedAt = performance.now();
      await compareForeign(password, dummy);
      times.push(performance.now() - startedAt);
      if (times.length > KEPT_TIMES) times.shift();
    },
    longest: () => Math.max(...times),
  };
}

/** Returns the slowest of some hashes. Each is measured once before, in turns that `takeTurn` gives. */
function createStopwatch(
  takeTurn: (task: () => Promise<void>) => Promise<void>,
): (dummies: readonly string[]) => Promise<TimedHash> {
  const timed = new Map<string, Promise<TimedHash>>();

  async function measure(dummy: string): Promise<TimedHash> {
    const hash = timeHash(dummy);
    for (let i = 0; i < FIRST_TIMES; i++) await takeTurn(() => hash.compare(""));
    return hash;
  }

  return async function findSlowest(dummies): Promise<TimedHash> {
    const all = await Promise.all(dummies.map((dummy) => {
      const known = timed.get(dummy) ?? measure(dummy);
      timed.set(dummy, known);
      return known;
    }));
    return all.reduce((slowest, next) => next.longest() > slowest.longest() ? next : slowest);
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));
}

/** Encodes a password. Both implementations get the same bytes, because they treat ill-formed text differently. */
function toBytes(password: string): Uint8Array {
  return new TextEncoder().encode(normalizePassword(password));
}
