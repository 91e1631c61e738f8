import { AppError } from "../core/errors.ts";
import type { PageRequest } from "../core/page.ts";
import type { Secrets } from "../core/secrets.ts";
import { fingerprintRequest } from "../changes/idempotency.ts";

/** Pages of a search (8.2). A token holds the beginning of the next page, sealed for its request. */

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** The parts of a search that may not change from page to page, besides the limit. */
export interface SearchContent {
  /** The kind of search. */
  readonly kind: string;
  /** The principal of the caller. */
  readonly principalId: number;
  /** The entities and the context, as validated. */
  readonly entities: unknown;
}

export interface RequestedPage {
  readonly token?: string | undefined;
  readonly limit?: number | undefined;
}

/** Opens the requested page. Throws `MALFORMED_REQUEST` for a token of another request, or with another limit. */
export async function openPage(
  secrets: Secrets,
  content: SearchContent,
  { token, limit: asked }: RequestedPage = {},
): Promise<PageRequest> {
  const limit = asked === undefined ? undefined : Math.min(asked, MAX_LIMIT);
  if (token === undefined) return { afterId: 0, limit: limit ?? DEFAULT_LIMIT };
  const opened = await openToken(secrets, content, token);
  if (opened !== undefined && (limit ?? opened.limit) === opened.limit) return opened;
  const message = "Expected the next_token of the page before, and the rest of the request as it was";
  throw new AppError("MALFORMED_REQUEST", { details: [{ path: "body.page.token", message }] });
}

async function openToken(
  secrets: Secrets,
  content: SearchContent,
  token: string,
): Promise<PageRequest | undefined> {
  const context = contextOf(content);
  try {
    return JSON.parse(await secrets.open(token, context)) as PageRequest;
  } catch {
    return undefined;
  }
}

/** Returns the token of the page that begins after `afterId`. */
export function sealPage(secrets: Secrets, content: SearchContent, page: PageRequest): Promise<string> {
  return secrets.seal(JSON.stringify(page), contextOf(content));
}

function contextOf({ kind, principalId, entities }: SearchContent): string {
  try {
    const request = fingerprintRequest({ method: "POST", path: kind, query: principalId, body: entities });
    return `authzen page ${request}`;
  } catch (cause) {
    // Nested deeper than `JSON.stringify` goes.
    const details = [{ path: "body", message: "Expected fewer levels of nesting" }];
    throw new AppError("MALFORMED_REQUEST", { details, cause });
  }
}
