/** What the service has in use after a number of requests. */
export interface MemorySample {
  readonly requests: number;
  readonly mebibytes: number;
  readonly descriptors: number;
  /** Sizes of the database file and its log, in MiB; absent on a server. */
  readonly files?: { readonly database: number; readonly log: number };
}

export interface MemoryVerdict {
  /** Growth over the second half of the requests (least squares). */
  readonly mebibytesPer100kRequests: number;
  /** Medians of the middle and the last third. */
  readonly middle: number;
  readonly last: number;
  /**
   * Whether the median of the last third is at most 1.1 times that of the middle third. The warm-up is over by
   * then.
   */
  readonly isFlat: boolean;
}

const FLAT_UP_TO = 1.1;
const SLOPE_REQUESTS = 100_000;

/** Evaluates samples taken at equal intervals. Throws a `RangeError` for fewer than six. */
export function judgeMemory(samples: readonly Pick<MemorySample, "requests" | "mebibytes">[]): MemoryVerdict {
  if (samples.length < 6) throw new RangeError("Cannot judge the memory by fewer than six samples");
  const third = Math.floor(samples.length / 3);
  const middle = median(samples.slice(third, 2 * third));
  const last = median(samples.slice(-third));
  const secondHalf = samples.slice(Math.floor(samples.length / 2));
  return {
    mebibytesPer100kRequests: slope(secondHalf) * SLOPE_REQUESTS,
    middle,
    last,
    isFlat: last <= FLAT_UP_TO * middle,
  };
}

function median(samples: readonly Pick<MemorySample, "mebibytes">[]): number {
  const sorted = samples.map(({ mebibytes }) => mebibytes).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The slope of the best-fitting line, in MiB per request. */
function slope(samples: readonly Pick<MemorySample, "requests" | "mebibytes">[]): number {
  const meanRequests = mean(samples.map(({ requests }) => requests));
  const meanMebibytes = mean(samples.map(({ mebibytes }) => mebibytes));
  let above = 0;
  let below = 0;
  for (const { requests, mebibytes } of samples) {
    above += (requests - meanRequests) * (mebibytes - meanMebibytes);
    below += (requests - meanRequests) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
