import type { Context, TypedResponse } from "hono";
import { AppError } from "../core/errors.ts";
import { firstItems, type Page, PAGE_BYTES, PAGE_ROWS, type PageRequest } from "../core/page.ts";
import type { AppEnv } from "./env.ts";
import { respondParts } from "./respond.ts";
import type { TextSource } from "./sender.ts";

/** Maximum number of rows of the first read of a list. Later reads are limited by bytes. */
const FIRST_ROWS = 500;

/**
 * Maximum number of reads that yield little text in a paged response. A page whose filter matches rarely ends there.
 */
const MAX_SHORT_READS = 20;

/** The response of a collect operation, as a typed client sees it. */
export type CollectionResponse<K extends string, T> =
  & Response
  & TypedResponse<{ [Key in K]: T[] } & { nextCursor?: string | null }, 200, "json">;

interface Paging {
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous response, which is the last id in it. */
  readonly cursor?: string | undefined;
}

/**
 * Returns the body of a collect operation, with `limit` and `cursor` of the query string where the body has none.
 * Throws `MALFORMED_REQUEST` if both have one and they differ.
 */
export function withPaging<B extends Paging>(body: B, query: Paging): B {
  for (const name of ["limit", "cursor"] as const) {
    const [inBody, inQuery] = [body[name], query[name]];
    if (inBody === undefined || inQuery === undefined || inBody === inQuery) continue;
    const details = [{ path: `query.${name}`, message: "Expected the same value as in the body" }];
    throw new AppError("MALFORMED_REQUEST", { details });
  }
  return { ...query, ...body };
}

export interface CollectOptions<K extends string, T> extends Paging {
  /** The field of the response that holds the list. */
  readonly key: K;
  /** Reads one page in ascending order of id. */
  readonly readPage: ReadPage<T>;
}

type ReadPage<T> = (page: PageRequest) => Promise<Page<T>>;

/**
 * Responds to a collect operation: with `limit` or `cursor`, up to `limit` items (fewer if matches are rare) and
 * `nextCursor`; otherwise the whole list. A long response is read while it is sent (`sender.ts`).
 */
export async function respondCollection<K extends string, T extends { id: number }>(
  c: Context<AppEnv>,
  options: CollectOptions<K, T>,
): Promise<CollectionResponse<K, T>> {
  return await respondParts(c, "application/json", makeList(options)) as CollectionResponse<K, T>;
}

/** Returns the JSON of the list, page by page. */
function makeList<T extends { id: number }>(
  { key, limit, cursor, readPage }: CollectOptions<string, T>,
): TextSource {
  const isPaged = limit !== undefined || cursor !== undefined;
  const reading: Reading = {
    afterId: cursor === undefined ? -1 : Number(cursor),
    left: limit ?? (isPaged ? PAGE_ROWS : Infinity),
    rowsAtOnce: FIRST_ROWS,
    shortReadsLeft: isPaged ? MAX_SHORT_READS : Infinity,
    isDone: false,
    hasMore: true,
  };
  let start = `{${JSON.stringify(key)}:[`;
  let separator = "";
  return async () => {
    const items = await readItems(readPage, reading);
    const text = items === "" ? start : start + separator + items;
    start = "";
    if (items !== "") separator = ",";
    if (!reading.isDone) return { text, isLast: false };
    const nextCursor = reading.hasMore ? `"${reading.afterId}"` : null;
    return { text: text + (isPaged ? `],"nextCursor":${nextCursor}}` : "]}"), isLast: true };
  };
}

/** The progress of reading a list. */
interface Reading {
  /** The id after which the next page begins. */
  afterId: number;
  /** The number of items that may still be sent. */
  left: number;
  /** The number of rows to request. */
  rowsAtOnce: number;
  /** The number of reads with little text that remain before the response ends. */
  shortReadsLeft: number;
  isDone: boolean;
  /** Whether items may follow after `afterId`. */
  hasMore: boolean;
}

/** Reads the next items, and returns their JSON. It may be empty before the end. */
async function readItems<T extends { id: number }>(readPage: ReadPage<T>, reading: Reading): Promise<string> {
  const { afterId, left, rowsAtOnce } = reading;
  // One extra row tells whether others follow, without a second round trip.
  const { rows, next } = await readPage({ afterId, limit: Math.min(left, rowsAtOnce) + 1 });
  const { json, bytes, count } = firstItems(rows.slice(0, left));
  const hasMore = rows.length > count;
  const lastId = rows[count - 1]?.id ?? afterId;
  reading.left -= count;
  reading.afterId = hasMore ? lastId : next ?? lastId;
  reading.hasMore = hasMore || next !== null;
  if (bytes < PAGE_BYTES / 2) reading.shortReadsLeft--;
  reading.isDone = !reading.hasMore || hasMore && reading.left === 0 || reading.shortReadsLeft === 0;
  // Enough rows for one part, assuming that they are as long as these.
  if (bytes > 0) reading.rowsAtOnce = Math.min(Math.ceil(count * PAGE_BYTES / bytes), PAGE_ROWS);
  return json;
}
