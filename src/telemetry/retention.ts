import { DAY_MS } from "../core/clock.ts";
import { isName, NAME_RULE } from "./points/point_rules.ts";
import { HOUR_NS } from "./points/slots.ts";
import { floorTime, MIN_TIME, nsOf } from "./points/time.ts";

/** How long points, or summaries of their hours, are kept, in days; undefined: forever. */
export interface Retention {
  /** For what no entry names. */
  readonly others: number | undefined;
  /** A database, or one retention policy of it. No two entries name the same. */
  readonly named: readonly {
    readonly database: string;
    readonly retentionPolicy: string | undefined;
    readonly days: number | undefined;
  }[];
}

/** What a deletion by age deletes. Times are nanoseconds since 1970; `KEEP_ALL` deletes none. */
export interface CutoffTimes {
  /** Points before it are deleted. */
  readonly time: bigint;
  /** Summaries of hours are made of these points, and kept from here on. Both times are whole hours then. */
  readonly hours?: bigint | undefined;
}

export interface Cutoffs {
  readonly others: CutoffTimes;
  readonly named: readonly Cutoff[];
}

export interface Cutoff extends CutoffTimes {
  readonly database: string;
  /** Undefined: all those without an entry of their own. */
  readonly retentionPolicy: string | undefined;
}

export const KEEP_ALL: bigint = MIN_TIME;
export const KEEP_FOREVER: Retention = { others: undefined, named: [] };

/** Back to 1752, which is within the range of nanosecond times. */
export const MAX_RETENTION_DAYS = 100_000;
/** Each series that the purge looks at is compared with all entries. */
const MAX_ENTRIES = 100;

const DAY = nsOf(DAY_MS);
const HOUR = BigInt(HOUR_NS);
const FOREVER = "forever";
const DAYS_RULE = `a whole number from 1 to ${MAX_RETENTION_DAYS}`;

/**
 * Parses entries separated by commas: days for all, `database=days` and `database/policy=days`, with days or
 * `forever`. Names are percent-encoded where they contain `,`, `=`, `/`, `%` or spaces at their ends. Throws a
 * `RangeError` whose message continues "VARIABLE …" and repeats nothing of the value.
 */
export function parseRetention(text: string): Retention {
  const entries = text.split(",").map((entry) => entry.trim());
  if (entries.length > MAX_ENTRIES) {
    throw new RangeError(`must have at most ${MAX_ENTRIES} entries, separated by commas`);
  }
  let others: { readonly days: number | undefined } | undefined;
  const named = new Map<string, Retention["named"][number]>();
  for (const [i, entry] of entries.entries()) {
    const fail = (fault: string): never => {
      throw new RangeError(entries.length === 1 ? fault : `has a fault in entry ${i + 1}: it ${fault}`);
    };
    if (!entry.includes("=")) {
      const days = entry === FOREVER
        ? undefined
        : parseDays(entry) ?? fail(`must be ${DAYS_RULE}, ${FOREVER}, or a name, "=", and one of these`);
      if (others !== undefined) fail('is a second one without a name: put "database=" before it');
      others = { days };
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
    const days = value === FOREVER
      ? undefined
      : parseDays(value) ?? fail(`must end with ${DAYS_RULE}, or ${FOREVER}`);
    const key = keyOf(database, retentionPolicy);
    if (named.has(key)) fail("names the same as an earlier entry: remove one of them");
    named.set(key, { database: database ?? "", retentionPolicy, days });
  }
  return { others: others?.days, named: [...named.values()] };
}

/**
 * Returns the cutoffs at `now` (milliseconds), or undefined if all points are kept forever. `hours`: the retention of
 * summaries, undefined if none are made. Points are deleted by whole hours, like blocks: without a point that was written
 * over one in a block, the former value would show again. Where summaries are made, they are deleted by whole days: a day
 * of a series is a page of these.
 */
export function cutoffsAt(now: number, points: Retention, hours?: Retention): Cutoffs | undefined {
  const timesOf = (database?: string, policy?: string): CutoffTimes => {
    const days = daysOf(points, database, policy);
    if (days === undefined) return { time: KEEP_ALL };
    const hourDays = hours === undefined ? days : daysOf(hours, database, policy) ?? Infinity;
    if (hourDays <= days) return { time: floorTime(daysBefore(now, days), HOUR) };
    return {
      time: floorTime(daysBefore(now, days), DAY),
      hours: hourDays === Infinity ? KEEP_ALL : floorTime(daysBefore(now, hourDays), HOUR),
    };
  };
  const named = new Map([...points.named, ...hours?.named ?? []].map(({ database, retentionPolicy }) => [
    keyOf(database, retentionPolicy),
    { database, retentionPolicy, ...timesOf(database, retentionPolicy) },
  ]));
  const cutoffs = { others: timesOf(), named: [...named.values()] };
  return [cutoffs.others, ...cutoffs.named].every(({ time }) => time === KEEP_ALL) ? undefined : cutoffs;
}

/** Returns the days of the most specific entry for a place. */
function daysOf({ others, named }: Retention, database?: string, policy?: string): number | undefined {
  const own = named.filter((entry) => entry.database === database);
  const entry = own.find(({ retentionPolicy }) => retentionPolicy === policy) ??
    own.find(({ retentionPolicy }) => retentionPolicy === undefined);
  return entry === undefined ? others : entry.days;
}

function daysBefore(now: number, days: number): bigint {
  return nsOf(now - days * DAY_MS);
}

/** Tells places apart. */
function keyOf(database: string | undefined, retentionPolicy: string | undefined): string {
  return JSON.stringify([database, retentionPolicy]);
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
