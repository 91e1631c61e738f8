import { api, dataOf } from "../../api.ts";
import type { Change } from "./kinds.ts";

/**
 * Reads the log of changes backwards. The interface gives changes in ascending order, so a page is put together from
 * stretches of revisions, the latest stretch first.
 */

/** Which changes are shown; by default all that the person may see. */
export interface LogFilter {
  /** About this role, or directly below it. */
  readonly roleId?: number | undefined;
  /** By the person with this address. */
  readonly actorEmail?: string | undefined;
  readonly kind?: string | undefined;
  readonly decision?: string | undefined;
  /** The first and the last time (ISO 8601). */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Revisions that a filter's changes lie between: above `floor`, up to `end`. */
export interface Span {
  readonly floor: number;
  readonly end: number;
}

interface Stretch {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** The revision above which everything was read. */
  readonly bottom: number;
}

/** Above every revision, so that the response says which is the latest. */
const END = Number.MAX_SAFE_INTEGER;
/** Changes of one request. */
const LIMIT = 500;
/** Changes after which a page is full. */
const FULL = 40;
/** Revisions of the first stretch. The next ones are wider, since most of a log may be about roles of others. */
const WIDTH = 128;
const WIDER = 4;
/** Stretches of one page, after which it is shown even if there is little in it. */
const STRETCHES = 6;

/** One request for changes, oldest first. */
export function ask(
  body: { filter?: LogFilter; after?: number; limit?: number; wait?: number },
  signal: AbortSignal,
) {
  return dataOf(api.POST("/v1/change/query", { body: body as object, signal }));
}

/** Where the changes of a filter lie, as of now. */
export async function findSpan(filter: LogFilter, signal: AbortSignal): Promise<Span> {
  const { from, to } = filter;
  const [floor, end] = await Promise.all([
    from === undefined ? 0 : findBefore(filter, from, signal),
    to === undefined ? findLatest(signal) : findBefore({ ...filter, to: undefined }, to, signal),
  ]);
  // The next change may be of the very moment `to`, and is then within the span.
  return { floor, end: to === undefined ? end : end + 1 };
}

async function findLatest(signal: AbortSignal): Promise<number> {
  return (await ask({ after: END, limit: 1 }, signal)).nextRevision;
}

/** A revision before the first matching change since a time: the one right before it, or an earlier one. */
async function findBefore(filter: LogFilter, from: string, signal: AbortSignal): Promise<number> {
  const { change, nextRevision } = await ask({ filter: { ...filter, from }, limit: 1 }, signal);
  return nextRevision - change.length;
}

/** The last changes up to a revision: a page full of them, or what was found within reasonable time. */
export async function readBack(
  filter: LogFilter,
  { floor, end }: Span,
  signal: AbortSignal,
): Promise<Stretch> {
  const found: Change[] = [];
  let top = end;
  let width = WIDTH;
  for (let i = 0; i < STRETCHES && top > floor && found.length < FULL; i++) {
    const bottom = Math.max(floor, top - width);
    const { changes, requests } = await readBetween(filter, bottom, top, signal);
    found.push(...changes.reverse());
    top = bottom;
    // A request looks at a limited number of rows.
    if (requests === 1) width *= WIDER;
  }
  const last = found[FULL - 1];
  if (last === undefined || found.length === FULL) return { changes: found, bottom: top };
  return { changes: found.slice(0, FULL), bottom: last.revision - 1 };
}

async function readBetween(filter: LogFilter, bottom: number, top: number, signal: AbortSignal) {
  const changes: Change[] = [];
  let after = bottom;
  let requests = 0;
  while (after < top) {
    const { change, nextRevision } = await ask({ filter, after, limit: LIMIT }, signal);
    requests++;
    changes.push(...change.filter(({ revision }) => revision <= top));
    // The period that is asked for is over.
    if (nextRevision <= after) break;
    after = nextRevision;
  }
  return { changes, requests };
}
