import type { Grant } from "../../device/grant_service.ts";
import type { TelemetryQuery } from "../points/query.ts";
import { MAX_TIME, MIN_TIME, msOf, nsOf } from "../points/time.ts";

/**
 * The periods of a device that a caller may read: the union of those of the relations that they reach. Periods that touch
 * are one.
 */

/** What a query may read. */
export interface ReadablePart extends Pick<TelemetryQuery, "from" | "to"> {
  readonly deviceId: number;
  /** Whether the query's range was cut. */
  readonly clipped: boolean;
  /** The grants that together have all of it. */
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

/** Maximum number of grants that one query needs. What would take more is cut to its latest part. */
const MOST_GRANTS = 10;

/** The readable periods of the devices that have had one nodeId, latest first. */
export class ReadablePeriods {
  readonly #wholes: readonly Whole[];

  constructor(grants: readonly Grant[]) {
    this.#wholes = joinPeriods(grants);
  }

  /** Returns what the query may read: of several periods that meet its range, the latest. Undefined if none does. */
  partOf(query: Pick<TelemetryQuery, "from" | "to">): ReadablePart | undefined {
    const { from, to } = query;
    const [last] = this.#wholes;
    if (last === undefined) return undefined;
    // A range that contains no time has no data in any period.
    if (from !== undefined && to !== undefined && from > to) {
      return { ...partOf(last, { from: undefined, to: undefined }), from, to, clipped: false };
    }
    const met = this.#wholes.find(({ begin, end }) =>
      begin <= msOf(to ?? MAX_TIME) && msOf(from ?? MIN_TIME) < end
    );
    return met && partOf(met, query);
  }
}

function partOf(
  { pieces, ...whole }: Whole,
  { from, to }: Pick<TelemetryQuery, "from" | "to">,
): ReadablePart {
  const asked: Span = {
    begin: from === undefined ? -Infinity : msOf(from),
    end: to === undefined ? Infinity : msOf(to) + 1,
  };
  const end = Math.min(whole.end, asked.end);
  const { begin, grants } = cover(pieces, { begin: Math.max(whole.begin, asked.begin), end });
  return {
    deviceId: (pieces[0] as Piece).grant.deviceId,
    from: begin > asked.begin ? later(nsOf(begin), MIN_TIME) : from,
    to: end < asked.end ? earlier(nsOf(end) - 1n, MAX_TIME) : to,
    clipped: begin > asked.begin || end < asked.end,
    grants,
  };
}

/** Chooses grants that have the span, from its end on, each the one that reaches back furthest. */
function cover(pieces: readonly Piece[], span: Span): { begin: number; grants: Grant[] } {
  const grants: Grant[] = [];
  let begin = span.end;
  do {
    // In order of their beginnings, and without a gap, so there is one.
    const next = pieces.find(({ end }) => end >= begin) as Piece;
    grants.push(next.grant);
    begin = next.begin;
  } while (begin > span.begin && grants.length < MOST_GRANTS);
  return { begin: Math.max(begin, span.begin), grants };
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
