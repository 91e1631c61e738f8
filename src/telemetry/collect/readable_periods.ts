import type { Grant } from "../../device/grant_service.ts";
import type { TelemetryQuery, TimeRange } from "../points/query.ts";
import { MAX_TIME, MIN_TIME, msOf, nsOf } from "../points/time.ts";

/**
 * The periods of a device that a caller may read: the union of those of the relations that they reach. Periods that touch
 * are one.
 */

/** What a query may read. */
export interface ReadableParts extends Pick<TelemetryQuery, "from" | "to"> {
  readonly deviceId: number;
  /** In order of time; those of the query's range that lie in a period. */
  readonly parts: readonly TimeRange[];
  /** Whether the query's range was cut. */
  readonly clipped: boolean;
  /** The grants that together have all of them. */
  readonly grants: readonly Grant[];
}

/** Milliseconds, from `begin` up to, but not including, `end`; infinite without a bound. */
interface Span {
  readonly begin: number;
  readonly end: number;
}

interface Piece extends Span {
  readonly grant: Grant;
}

/** A period of a device without a gap. */
interface Whole extends Span {
  readonly pieces: readonly Piece[];
}

/**
 * Maximum number of grants that the queries of a call need, and of one query that shares them with many. They are checked
 * again in the write that charges for the points, which others wait for.
 */
const MOST_GRANTS = 1000;
const MOST_OF_MANY = 10;

/** Returns how many grants each query of a call may need. What would take more is cut to its latest part. */
export function grantsOfEach(queryCount: number): number {
  return Math.max(MOST_OF_MANY, Math.floor(MOST_GRANTS / queryCount));
}

/** The readable periods of the devices that have had one nodeId, latest first. */
export class ReadablePeriods {
  readonly #wholes: readonly Whole[];

  constructor(grants: readonly Grant[]) {
    this.#wholes = joinPeriods(grants);
  }

  /**
   * Returns what the query may read: all periods that meet its range, of the device that has the latest of them. Undefined
   * if none does.
   */
  partsOf(query: Pick<TelemetryQuery, "from" | "to">, mostGrants: number): ReadableParts | undefined {
    const { from, to } = query;
    const [last] = this.#wholes;
    if (last === undefined) return undefined;
    // A range that contains no time has no data in any period.
    if (from !== undefined && to !== undefined && from > to) {
      const { deviceId, grants } = readParts([last], {}, mostGrants);
      return { deviceId, grants, from, to, parts: [{ from, to }], clipped: false };
    }
    const met = this.#wholes.filter(({ begin, end }) =>
      begin <= msOf(to ?? MAX_TIME) && msOf(from ?? MIN_TIME) < end
    );
    const [latest] = met;
    if (latest === undefined) return undefined;
    return readParts(met.filter((whole) => isOfOneDevice(whole, latest)), query, mostGrants);
  }
}

/** `wholes`: at least one, latest first. */
function readParts(
  wholes: readonly Whole[],
  { from, to }: Partial<Pick<TelemetryQuery, "from" | "to">>,
  mostGrants: number,
): ReadableParts {
  const asked: Span = {
    begin: from === undefined ? -Infinity : msOf(from),
    end: to === undefined ? Infinity : msOf(to) + 1,
  };
  const parts: Pick<TelemetryQuery, "from" | "to">[] = [];
  const grants: Grant[] = [];
  for (const { pieces, ...whole } of wholes) {
    if (grants.length === mostGrants) break;
    const end = Math.min(whole.end, asked.end);
    const span = { begin: Math.max(whole.begin, asked.begin), end };
    const covered = cover(pieces, span, mostGrants - grants.length);
    grants.push(...covered.grants);
    parts.unshift({
      from: covered.begin > asked.begin ? later(nsOf(covered.begin), MIN_TIME) : from,
      to: end < asked.end ? earlier(nsOf(end) - 1n, MAX_TIME) : to,
    });
  }
  const whole = { from: parts[0]?.from, to: parts.at(-1)?.to };
  return {
    deviceId: deviceOf(wholes[0] as Whole),
    ...whole,
    parts: parts.map((part) => ({ from: part.from ?? MIN_TIME, to: part.to ?? MAX_TIME })),
    clipped: parts.length > 1 || whole.from !== from || whole.to !== to,
    grants,
  };
}

/** Chooses grants that have the span, from its end on, each the one that reaches back furthest. */
function cover(
  pieces: readonly Piece[],
  span: Span,
  mostGrants: number,
): { begin: number; grants: Grant[] } {
  const grants: Grant[] = [];
  let begin = span.end;
  do {
    // In order of their beginnings, and without a gap, so there is one.
    const next = pieces.find(({ end }) => end >= begin) as Piece;
    grants.push(next.grant);
    begin = next.begin;
  } while (begin > span.begin && grants.length < mostGrants);
  return { begin: Math.max(begin, span.begin), grants };
}

function deviceOf({ pieces: [first] }: Whole): number {
  return (first as Piece).grant.deviceId;
}

function isOfOneDevice(one: Whole, other: Whole): boolean {
  return deviceOf(one) === deviceOf(other);
}

function joinPeriods(grants: readonly Grant[]): Whole[] {
  const byDevice = Map.groupBy(grants.map(toPiece), ({ grant }) => grant.deviceId);
  const wholes = [...byDevice.values()].flatMap(joinPieces);
  return wholes.sort((a, b) => compare(b.end, a.end) || compare(b.begin, a.begin));
}

function toPiece(grant: Grant): Piece {
  return { begin: grant.from ?? -Infinity, end: grant.until ?? Infinity, grant };
}

function joinPieces(pieces: readonly Piece[]): Whole[] {
  const wholes: { begin: number; end: number; pieces: Piece[] }[] = [];
  for (const piece of pieces.toSorted((a, b) => compare(a.begin, b.begin))) {
    const last = wholes.at(-1);
    if (last === undefined || piece.begin > last.end) {
      wholes.push({ begin: piece.begin, end: piece.end, pieces: [piece] });
    } else {
      last.end = Math.max(last.end, piece.end);
      last.pieces.push(piece);
    }
  }
  return wholes;
}

/** Compares numbers that may be infinite, whose difference would be none. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
