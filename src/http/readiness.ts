import { AsyncLocalStorage } from "node:async_hooks";
import { SECOND_MS } from "../core/clock.ts";
import { waitAtMost } from "../core/deadline.ts";
import { describeError, type Log } from "../core/log.ts";

/** Time limit of one check; afterwards the part counts as unavailable. */
const PART_LIMIT_SECONDS = 2;

/**
 * The parts that the service depends on, by their names in `/readyz`. A check returns false if the part can be
 * reached but not used, and throws if it cannot be reached.
 */
export type ReadinessParts = Readonly<Record<string, () => Promise<boolean>>>;

export type PartState = "ok" | "failed" | "unavailable";

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, PartState>>;
}

export interface ReadinessOptions {
  readonly log: Log;
  /** Reported, but never a reason for a 503: most operations work without them. */
  readonly optionalParts?: ReadinessParts;
  readonly partLimitMs?: number;
}

/**
 * Returns a function that checks all parts at once. Concurrent callers share one check, so that the public endpoint
 * cannot keep the database busy. A part is logged when it is no longer as it was, so that frequent checks fill no log.
 */
export function createReadiness(parts: ReadinessParts, options: ReadinessOptions): () => Promise<Readiness> {
  let running: Promise<Readiness> | undefined;
  let known: Readiness["parts"] = {};
  // As a stranger's, a check would wait or be refused for all callers that share it.
  const outsideRequests = AsyncLocalStorage.snapshot();

  async function checkAll(): Promise<Readiness> {
    const [required, optional] = await Promise.all([
      checkParts(parts, known, options),
      checkParts(options.optionalParts ?? {}, known, options),
    ]);
    known = { ...required, ...optional };
    return { ready: Object.values(required).every((state) => state === "ok"), parts: known };
  }

  return function checkReadiness(): Promise<Readiness> {
    running ??= outsideRequests(checkAll).finally(() => running = undefined);
    return running;
  };
}

async function checkParts(
  parts: ReadinessParts,
  known: Readiness["parts"],
  options: ReadinessOptions,
): Promise<Record<string, PartState>> {
  const states = Object.entries(parts).map(async ([name, check]) =>
    [name, await checkPart(name, check, known[name], options)] as const
  );
  return Object.fromEntries(await Promise.all(states));
}

async function checkPart(
  part: string,
  check: () => Promise<boolean>,
  known: PartState | undefined,
  { log, partLimitMs = PART_LIMIT_SECONDS * SECOND_MS }: ReadinessOptions,
): Promise<PartState> {
  try {
    const isUsable = await waitAtMost(partLimitMs, check(), () => {
      throw new RangeError(`No result within ${partLimitMs} ms`);
    });
    if (isUsable) return "ok";
    if (known !== "failed") log.warn("readiness.failed", { part });
    return "failed";
  } catch (error) {
    if (known !== "unavailable") log.warn("readiness.unavailable", { part, ...describeError(error) });
    return "unavailable";
  }
}
