import { DAY_MS, HOUR_MS } from "../core/clock.ts";
import { isName, NAME_RULE } from "./points/point_rules.ts";
import { MIN_TIME } from "./points/time.ts";

/** How long points are kept, in days; undefined: forever. */
export interface Retention {
  /** For points that no entry names. */
  readonly others: number | undefined;
  /** A database, or one retention policy of it. No two entries name the same. */
  readonly named: readonly {
    readonly database: string;
    readonly retentionPolicy: string | undefined;
    readonly days: number | undefined;
  }[];
}

/** Times in nanoseconds since 1970: points before them are deleted. `KEEP_ALL` deletes none. */
export interface Cutoffs {
  readonly others: bigint;
  readonly named: readonly Cutoff[];
}

export interface Cutoff {
  readonly database: string;
  /** Undefined: all those without an entry of their own. */
  readonly retentionPolicy: string | undefined;
  readonly time: bigint;
}

export const KEEP_ALL: bigint = MIN_TIME;
export const KEEP_FOREVER: Retention = { others: undefined, named: [] };

/** Back to 1752, which is within the range of nanosecond times. */
export const MAX_RETENTION_DAYS = 100_000;
/** Each series that the purge looks at is compared with all entries. */
const MAX_ENTRIES = 100;

const NANOSECONDS_PER_MS = 1_000_000n;
const DAYS_RULE = `a whole number from 1 to ${MAX_RETENTION_DAYS}`;

/**
 * Parses entries separated by commas: days for all points, `database=days` and `database/policy=days`, with days or
 * `forever`. Names are percent-encoded where they contain `,`, `=`, `/`, `%` or spaces at their ends. Throws a
 * `RangeError` whose message continues "VARIABLE …" and repeats nothing of the value.
 */
export function parseRetention(text: string): Retention {
  const entries = text.split(",").map((entry) => entry.trim());
  if (entries.length > MAX_ENTRIES) {
    throw new RangeError(`must have at most ${MAX_ENTRIES} entries, separated by commas`);
  }
  let others: number | undefined;
  const named = new Map<string, Retention["named"][number]>();
  for (const [i, entry] of entries.entries()) {
    const fail = (fault: string): never => {
      throw new RangeError(entries.length === 1 ? fault : `has a fault in entry ${i + 1}: it ${fault}`);
    };
    if (!entry.includes("=")) {
      const days = parseDays(entry) ??
        fail(`must be ${DAYS_RULE}, or a name, "=", and such a number or forever`);
      if (others !== undefined) fail('is a second number without a name: put "database=" before it');
      others = days;
      continue;
    }
    const [place = "", value = "", ...more] = entry.split("=").map((part) => part.trim());
    const [database, retentionPolicy, ...further] = place.split("/").map(decodeName);
    if (more.length > 0 || further.length > 0 || database === undefined) {
      fail('must have one "=" and at most one "/": write %3D and %2F for those in names');
    }
    if ([database, retentionPolicy].includes("")) {
      fail(`must name a database, or database/policy, each ${NAME_RULE}, with "%" written as %25`);
    }
    const days = value === "forever"
      ? undefined
      : parseDays(value) ?? fail(`must end with ${DAYS_RULE}, or forever`);
    const key = JSON.stringify([database, retentionPolicy]);
    if (named.has(key)) fail("names the same as an earlier entry: remove one of them");
    named.set(key, { database: database ?? "", retentionPolicy, days });
  }
  return { others, named: [...named.values()] };
}

/**
 * Returns the cutoffs at `now` (milliseconds), or undefined if all points are kept forever. They are whole hours, like
 * blocks: without a point that was written over one in a block, the former value would show again.
 */
export function cutoffsAt(now: number, { others, named }: Retention): Cutoffs | undefined {
  if ([others, ...named.map(({ days }) => days)].every((days) => days === undefined)) return undefined;
  const hour = now - now % HOUR_MS;
  const before = (days: number | undefined): bigint =>
    days === undefined ? KEEP_ALL : BigInt(hour - days * DAY_MS) * NANOSECONDS_PER_MS;
  const cutoffs = named.map(({ days, ...place }) => ({ ...place, time: before(days) }));
  return { others: before(others), named: cutoffs };
}

function parseDays(text: string): number | undefined {
  const days = /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : Infinity;
  return days <= MAX_RETENTION_DAYS ? days : undefined;
}

/** Returns the name, or "" if it is none. */
function decodeName(text: string): string {
  try {
    const name = decodeURIComponent(text.trim());
    return isName(name) ? name : "";
  } catch {
    return "";
  }
}
