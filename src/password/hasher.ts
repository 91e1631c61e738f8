import { isStrangerAsking, isUserAsking } from "../core/asker.ts";
import { createLimiter, type Limiter, type LimiterOptions, type Share } from "../core/limiter.ts";
import type { QueueMeter } from "../core/metrics.ts";
import { STRANGERS_REFUSED } from "../core/strangers_refused.ts";
import { networksOf } from "../throttle/networks.ts";
import { type Argon2, isOutdatedHash, isOwnHash, loadArgon2, makeUnmatchableHash } from "./argon2.ts";
import type { ForeignCosts } from "./foreign_costs.ts";
import { costsOfForeign, spellingsOf } from "./foreign_hash.ts";
import {
  type Comparison,
  createStopwatch,
  FOREIGN_WORK,
  type ForeignWork,
  timeComparison,
  type TimedHash,
} from "./foreign_timing.ts";
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

/**
 * Comparisons with hashes of other systems that run at once, of those that may fit, and of those that cannot. Each may
 * take 128 MiB.
 */
const RUNNING_FOREIGN = Math.min(RUNNING, 2);

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
 * whether there is one, even to a client with several requests under way. The first step is a comparison with a hash of
 * ours. Unless that fits, the failure takes its turn in a line, which lasts as long as the costliest comparison usually
 * takes, and as long as one takes now: unless the stored hash costs as much itself, a hash that does is compared, too.
 * Comparisons that may fit wait neither for the first step nor for the line, so that failures of others hold up a right
 * password by no more than the comparisons that run. A password that other systems may have spelled in another way
 * takes a turn, and a place among those of strangers, for each spelling.
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
  /** Throws `STRANGERS_REFUSED` if a stranger's comparison would be refused now. Call it before any write. */
  requireRoomForStranger(password: string, clientAddress: string): void;
}

export interface PasswordHasherOptions {
  /** Loads Argon2, once, at the first password. */
  readonly loadArgon2?: () => Promise<Argon2>;
  readonly limits?: HashLimits;
  readonly meter?: QueueMeter | undefined;
  /** The hashes of other systems in the database. Without it, only those of ours are compared. */
  readonly foreignCosts?: ForeignCosts;
  /** Compares with such hashes, and measures that. */
  readonly foreignWork?: ForeignWork;
}

/** Creates a hasher. The whole process shares one, so that the limits apply to all hashing. */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { limits = HASH_LIMITS, foreignWork = FOREIGN_WORK } = options;
  const limiter = createLimiter({ ...limits, meter: options.meter });
  /** Comparisons that may take two steps. Each has a place for both, so that the second is never refused. */
  const places = createLimiter({ ...limits, running: limits.running + limits.waiting, waiting: 0 });
  /** Comparisons that may fit. */
  const fitting = createLimiter({ running: RUNNING_FOREIGN, waiting: Infinity });
  const line = createLimiter({ running: RUNNING_FOREIGN, waiting: Infinity });
  const findSlowest = createStopwatch(foreignWork, fitting.run);
  const load = options.loadArgon2 ?? loadArgon2;
  const unmatchable = makeUnmatchableHash();
  let argon2: Promise<Argon2> | undefined;

  /** Returns what a stranger's task counts to, as often as it compares. */
  function sharesOf(clientAddress: string, comparisons = 1): { key: string; shares: readonly Share[] } {
    const networks = Object.entries(networksOf(clientAddress));
    const once = networks.map(([name, factor]) => ({ name, most: limits.perKey * factor }));
    const shares = [...once, { name: "strangers", most: limits.ofStrangers }].flatMap(({ name, most }) =>
      Array.from({ length: comparisons }, (_, i) => ({ name, most: most - i }))
    );
    // The limiter itself counts the task to its key, once.
    return { key: networks[0]?.[0] ?? "", shares: shares.slice(1) };
  }

  function runIn<T>(
    limited: Limiter,
    { clientAddress, comparisons }: { readonly clientAddress: string; readonly comparisons?: number },
    task: () => Promise<T>,
  ): Promise<T> {
    if (isUserAsking()) return limited.run(task);
    const { key, shares } = sharesOf(clientAddress, comparisons);
    return limited.run(task, key, shares);
  }

  function runLimited<T>(clientAddress: string, task: (argon2: Argon2) => Promise<T>): Promise<T> {
    return runIn(limiter, { clientAddress }, async () => task(await (argon2 ??= load())));
  }

  /** Compares with a hash of ours. For any other, returns undefined after the same work. */
  function compareOwn(password: string, hash: string, clientAddress: string): Promise<boolean | undefined> {
    return runLimited(clientAddress, async (argon2) => {
      const isOwn = isOwnHash(hash);
      const fits = await argon2.verify(toBytes(password), isOwn ? hash : unmatchable);
      return isOwn ? fits && password !== "" : undefined;
    });
  }

  /**
   * Lets a failure take its turn in the line, unless the signal ends it. A comparison with the costliest begins with
   * the turn. `costliest` is one with the stored hash that costs as much: it counts as if it began then.
   */
  async function waitInLine(
    password: string,
    slowest: TimedHash,
    { costliest, signal }: {
      readonly costliest: Promise<Comparison> | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    await line.run(async () => {
      if (signal.aborted) return;
      const turnAt = foreignWork.now();
      const comparison = costliest ?? timeComparison(foreignWork, password, slowest.dummy);
      await foreignWork.delay(slowest.held(), signal);
      const { ms } = await comparison;
      await foreignWork.delay(Math.max(turnAt + ms - foreignWork.now(), 0), signal);
      slowest.note(ms);
    });
  }

  async function compare(
    password: string,
    hash: string,
    clientAddress: string,
  ): Promise<boolean | undefined> {
    const dummies = await options.foreignCosts?.covering(hash) ?? [];
    if (dummies.length === 0) return await compareOwn(password, hash, clientAddress);
    const spellings = [...spellingsOf(password)];
    return await runIn(places, { clientAddress, comparisons: spellings.length }, async () => {
      const slowest = await findSlowest(dummies);
      const left = new AbortController();
      const costs = costsOfForeign(hash);
      const others = costs.length === 0 ? [] : compareSpellings(spellings, hash);
      const isCostliest = costs.some(({ dummy }) => dummy === slowest.dummy);
      const inLine = async (): Promise<boolean | undefined> => {
        const fits = await compareOwn(password, hash, clientAddress);
        if (fits) return true;
        for (const [i, spelling] of spellings.entries()) {
          const costliest = isCostliest ? others[i] : undefined;
          await waitInLine(spelling, slowest, { costliest, signal: left.signal });
          await others[i];
        }
        return fits ?? (await others[0])?.fits;
      };
      const failing = inLine();
      const soon = async (): Promise<boolean | undefined> => {
        for (const other of others) if ((await other).fits) return true;
        return await failing;
      };
      try {
        return await Promise.race([failing, soon()]);
      } finally {
        left.abort();
      }
    });
  }

  /** Compares one spelling after the other, so that others wait no longer for a password with several. */
  function compareSpellings(spellings: readonly string[], hash: string): Promise<Comparison>[] {
    let before: Promise<unknown> = Promise.resolve();
    const verdicts = spellings.map((spelling) => {
      const verdict = before.then(() => fitting.run(() => timeComparison(foreignWork, spelling, hash)));
      before = verdict;
      return verdict;
    });
    // An error of one is that of all: each is waited for in its turn.
    void Promise.allSettled(verdicts);
    return verdicts;
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
    requireRoomForStranger(password, clientAddress): void {
      const hasRoom = [[limiter, 1] as const, [places, spellingsOf(password).size] as const]
        .every(([limited, comparisons]) => {
          const { key, shares } = sharesOf(clientAddress, comparisons);
          return limited.hasRoom(key, shares);
        });
      if (isStrangerAsking() && !hasRoom) throw STRANGERS_REFUSED;
    },
  };
}

/** Encodes a password. Both implementations get the same bytes, because they treat ill-formed text differently. */
function toBytes(password: string): Uint8Array {
  return new TextEncoder().encode(normalizePassword(password));
}
