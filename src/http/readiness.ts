import { SECOND_MS } from "../core/clock.ts";
import { waitAtMost } from "../core/deadline.ts";
import { describeError, type Log } from "../core/log.ts";

/** Time limit of each part's check; after it, the part counts as unavailable. */
const PART_LIMIT_SECONDS = 2;

/**
 * The checks of the parts that the service depends on, by their public names in `/readyz`. A check returns false if the
 * part can be reached but not used, and throws if it cannot be reached.
 */
export type ReadinessParts = Readonly<Record<string, () => Promise<boolean>>>;

export type PartState = "ok" | "failed" | "unavailable";

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, PartState>>;
}

export interface ReadinessOptions {
  readonly log: Log;
  /** Reported like the others, but they do not affect readiness: most operations work without them. */
  readonly optionalParts?: ReadinessParts;
  readonly partLimitMs?: number;
}

/**
 * Returns a function that checks all parts at once. Concurrent callers share one check: anybody may ask, and must not be
 * able to keep the database busy.
 */
export function createReadiness(parts: ReadinessParts, options: ReadinessOptions): () => Promise<Readiness> {
  let running: Promise<Readiness> | undefined;

  async function askAll(): Promise<Readiness> {
    const [required, optional] = await Promise.all([
      askParts(parts, options),
      askParts(options.optionalParts ?? {}, options),
    ]);
    const ready = Object.values(required).every((state) => state === "ok");
    return { ready, parts: { ...required, ...optional } };
  }

  return function checkReadiness(): Promise<Readiness> {
    running ??= askAll().finally(() => running = undefined);
    return running;
  };
}

async function askParts(
  parts: ReadinessParts,
  options: ReadinessOptions,
): Promise<Record<string, PartState>> {
  const states = Object.entries(parts).map(async ([name, ask]) =>
    [name, await askPart(name, ask, options)] as const
  );
  return Object.fromEntries(await Promise.all(states));
}

async function askPart(
  part: string,
  ask: () => Promise<boolean>,
  { log, partLimitMs = PART_LIMIT_SECONDS * SECOND_MS }: ReadinessOptions,
): Promise<PartState> {
  try {
    const isFit = await waitAtMost(partLimitMs, ask(), () => {
      throw new RangeError(`No answer within ${partLimitMs} ms`);
    });
    if (isFit) return "ok";
    log.warn("readiness.failed", { part });
    return "failed";
  } catch (error) {
    log.warn("readiness.unavailable", { part, ...describeError(error) });
    return "unavailable";
  }
}
