import type { QueueMeter } from "../../core/metrics.ts";
import { FULL, Shares, type SharesOptions } from "../../core/shares.ts";
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

export type HashLimits = Required<Pick<SharesOptions, "size" | "waiting">>;

/** Maximum number of concurrent hashes, which leaves a core to the event loop. Four use 76 MiB, 19 MiB each. */
const RUNNING = Math.min(Math.max(navigator.hardwareConcurrency - 1, 1), 4);
/** Hashes that run and wait. All 36 finish within about half a second. */
const HASH_LIMITS: HashLimits = { size: RUNNING, waiting: 36 - RUNNING };

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
 * Hashes and compares passwords, a limited number at once, divided by `core/shares.ts`. Methods throw `UNAVAILABLE` at
 * the limits, before they compare.
 *
 * While the database has hashes of other systems, the time of a failure tells neither the form of the stored hash nor
 * whether there is one, even to a client with several requests under way. The first step is a comparison with a hash of
 * ours. Unless that fits, the failure takes its turn in a line, which lasts as long as the costliest comparison usually
 * takes, and as long as one takes now: unless the stored hash costs as much itself, a hash that does is compared, too.
 * Comparisons that may fit wait neither for the first step nor for the line, so that failures of others hold up a right
 * password by no more than the comparisons that run. A password that other systems may have spelled in another way
 * takes a turn and a place for each spelling.
 */
export interface PasswordHasher {
  /** Returns a PHC string to store. */
  hash(password: string): Promise<string>;
  /** Compares a password with a stored hash, ours or another system's. */
  verify(password: string, hash: string): Promise<PasswordVerdict>;
  /** Does the work of `verify` where there is no account or password. Never matches. */
  verifyDummy(password: string): Promise<PasswordVerdict>;
  /** Compares with a hash that no import brings: a role's. Null does the same work and never matches. */
  verifyOwn(password: string, hash: string | null): Promise<boolean>;
  /** Hashes with the salt and parameters of a stored PHC string, so that equal texts give equal hashes. */
  hashLike(text: string, phc: string): Promise<string>;
  /** Throws `UNAVAILABLE` if the comparison would be refused now. Call it before any write. */
  requireRoom(password: string): void;
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
  const turns = new Shares({ ...limits, meter: options.meter });
  /** Comparisons that may take two steps. Each has a place for both, so that the second is seldom refused. */
  const places = new Shares({
    size: limits.size + limits.waiting,
    waiting: limits.waiting,
    leavesRoom: true,
  });
  /** Comparisons that may fit. */
  const fitting = new Shares({ size: RUNNING_FOREIGN, waiting: Infinity });
  const line = new Shares({ size: RUNNING_FOREIGN, waiting: Infinity });
  const findSlowest = createStopwatch(foreignWork, (task) => fitting.run(task));
  const load = options.loadArgon2 ?? loadArgon2;
  const unmatchable = makeUnmatchableHash();
  let argon2: Promise<Argon2> | undefined;

  function inTurn<T>(task: (argon2: Argon2) => Promise<T>): Promise<T> {
    return turns.run(async () => task(await (argon2 ??= load())));
  }

  /** Compares with a hash of ours. For any other, returns undefined after the same work. */
  function compareOwn(password: string, hash: string): Promise<boolean | undefined> {
    return inTurn(async (argon2) => {
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

  async function compare(password: string, hash: string): Promise<boolean | undefined> {
    const dummies = await options.foreignCosts?.covering(hash) ?? [];
    if (dummies.length === 0) return await compareOwn(password, hash);
    const spellings = [...spellingsOf(password)];
    return await places.run(async () => {
      const slowest = await findSlowest(dummies);
      const left = new AbortController();
      const costs = costsOfForeign(hash);
      const others = costs.length === 0 ? [] : compareSpellings(spellings, hash);
      const isCostliest = costs.some(({ dummy }) => dummy === slowest.dummy);
      const inLine = async (): Promise<boolean | undefined> => {
        const fits = await compareOwn(password, hash);
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
    }, { amount: spellings.length });
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

  async function verify(password: string, hash: string): Promise<PasswordVerdict> {
    const fits = await compare(password, hash);
    const ok = fits ?? false;
    return { ok, needsRehash: ok && isOutdatedHash(hash), isUnreadable: fits === undefined };
  }

  return {
    hash: (password) => inTurn((argon2) => argon2.hash(toBytes(password))),
    verify,
    verifyDummy: (password) => verify(password, unmatchable),
    verifyOwn: async (password, hash) => await compareOwn(password, hash ?? unmatchable) ?? false,
    hashLike: (text, phc) => inTurn((argon2) => argon2.hashLike(toBytes(text), phc)),
    requireRoom(password): void {
      if (!turns.hasRoom() || !places.hasRoom(spellingsOf(password).size)) throw FULL;
    },
  };
}

/** Encodes a password. Both implementations get the same bytes, because they treat ill-formed text differently. */
function toBytes(password: string): Uint8Array {
  return new TextEncoder().encode(normalizePassword(password));
}
