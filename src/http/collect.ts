import type { Context, TypedResponse } from "hono";
import { AppError } from "../core/errors.ts";
import { PAGE_ROWS, type PageRequest } from "../core/page.ts";
import type { AppEnv } from "./env.ts";
import { streamTexts } from "./stream_texts.ts";

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
 * The body of a collect operation, with `limit` and `cursor` of the query string where it has none. Throws
 * `MALFORMED_REQUEST` if both have one and they differ, since either could be the one that was meant.
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
  readonly readPage: (page: PageRequest) => Promise<T[]>;
}

/**
 * Responds to a collect operation. With `limit` or `cursor`: one page and `nextCursor`. Otherwise the whole
 * list, streamed page by page, so that memory stays bounded. The first page is read before the response begins,
 * so that its errors have a status. A later failure breaks the connection: a truncated list must not pass for a
 * complete one.
 */
export async function respondCollection<K extends string, T extends { id: number }>(
  c: Context<AppEnv>,
  options: CollectOptions<K, T>,
): Promise<CollectionResponse<K, T>> {
  return await createCollectionResponse(c, options) as CollectionResponse<K, T>;
}

async function createCollectionResponse<T extends { id: number }>(
  c: Context<AppEnv>,
  options: CollectOptions<string, T>,
): Promise<Response> {
  const { key, readPage } = options;
  const afterId = options.cursor === undefined ? -1 : Number(options.cursor);
  if (options.limit !== undefined || options.cursor !== undefined) {
    const limit = options.limit ?? PAGE_ROWS;
    // One extra row tells whether there is another page, without a second round trip.
    const rows = await readPage({ afterId, limit: limit + 1 });
    const page = rows.slice(0, limit);
    return c.json({ [key]: page, nextCursor: rows.length > limit ? String(page.at(-1)?.id) : null });
  }
  const first = await readPage({ afterId, limit: PAGE_ROWS });
  if (first.length < PAGE_ROWS) return c.json({ [key]: first });
  c.header("Content-Type", "application/json");
  return c.body(streamTexts(c, listTexts(key, first, readPage)));
}

/** The text of the whole list, a page at a time. */
async function* listTexts<T extends { id: number }>(
  key: string,
  first: T[],
  readPage: (page: PageRequest) => Promise<T[]>,
): AsyncGenerator<string, void> {
  yield `{${JSON.stringify(key)}:[${itemsText(first)}`;
  let last = first;
  while (last.length === PAGE_ROWS) {
    last = await readPage({ afterId: last.at(-1)?.id ?? -1, limit: PAGE_ROWS });
    if (last.length > 0) yield `,${itemsText(last)}`;
  }
  yield "]}";
}

/** The items of a JSON list, without its brackets. */
export function itemsText(items: readonly unknown[]): string {
  return JSON.stringify(items).slice(1, -1);
}
