import { api, dataOf } from "../../api.ts";
import { type LogFilter, queryChanges } from "../../ask_lists.ts";
import type { ListContent } from "../../components/list_file.tsx";
import { readCsv } from "../../csv.ts";
import type { Change } from "./kinds.ts";

/**
 * Reads the log of changes backwards. Responses are in ascending order, so a page is composed of stretches of
 * revisions, the latest first.
 */

/** The revisions of a filter's changes: above `floor`, up to `end`. */
export interface Span {
  readonly floor: number;
  readonly end: number;
}

interface Stretch {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** The revision down to which everything is read. */
  readonly bottom: number;
}

/** Above every revision: the response then has the latest. */
const END = Number.MAX_SAFE_INTEGER;
/** Maximum number of changes per request. */
const LIMIT = 500;
/** Number of changes of a full page. */
const FULL = 40;
/** Revisions of the first stretch. Later ones are wider, since most of a log may be about other roles. */
const WIDTH = 128;
const WIDER = 4;
/** Maximum number of stretches per page, however little they contain. */
const STRETCHES = 6;

/** Loads a filter's changes as a file. Calls `onLines` with the number of lines so far. */
export async function readLogFile(
  filter: LogFilter,
  onLines: (lines: number) => void,
  signal: AbortSignal,
): Promise<ListContent> {
  const request = api.POST("/v1/change/query", {
    // JSON leaves out what is undefined, which the type of the body does not allow.
    body: { filter } as object,
    headers: { Accept: "text/csv" },
    parseAs: "stream",
    signal,
  });
  return { content: await readCsv(await dataOf(request), onLines), hasMore: false };
}

/** Finds the current span of a filter's changes. */
export async function findSpan(filter: LogFilter, signal: AbortSignal): Promise<Span> {
  const { from, to } = filter;
  const [floor, end] = await Promise.all([
    from === undefined ? 0 : findBefore(filter, from, signal),
    to === undefined ? findLatest(signal) : findBefore({ ...filter, to: undefined }, to, signal),
  ]);
  // The next change may have exactly the time `to`.
  return { floor, end: to === undefined ? end : end + 1 };
}

async function findLatest(signal: AbortSignal): Promise<number> {
  return (await queryChanges({ after: END, limit: 1 }, signal)).nextRevision;
}

/** Finds a revision before the first matching change since a time. */
async function findBefore(filter: LogFilter, from: string, signal: AbortSignal): Promise<number> {
  const { change, nextRevision } = await queryChanges({ filter: { ...filter, from }, limit: 1 }, signal);
  return nextRevision - change.length;
}

/** Reads the last changes up to a revision: a full page, or those found in reasonable time. */
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
    // A request reads a limited number of rows.
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
    const { change, nextRevision } = await queryChanges({ filter, after, limit: LIMIT }, signal);
    requests++;
    changes.push(...change.filter(({ revision }) => revision <= top));
    // The requested period is over.
    if (nextRevision <= after) break;
    after = nextRevision;
  }
  return { changes, requests };
}
