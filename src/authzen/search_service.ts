import type { Actor } from "../core/actor.ts";
import type { PageRequest } from "../core/page.ts";
import type { ValuesOf } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import type { PageWays } from "../graph/paging/page_queries.ts";
import { readByWays } from "../graph/paging/page_service.ts";
import type { AuthzenDeps } from "./deps.ts";
import { decide } from "./evaluation_service.ts";
import { openPage, type RequestedPage, sealPage } from "./page_token.ts";
import {
  ACTIONS,
  findNeeded,
  meetsOf,
  type Named,
  parseResource,
  parseSubject,
  type Question,
} from "./question.ts";
import type { ActionSearch, ResourceSearch, SubjectSearch } from "./schemas.ts";
import {
  type FoundRow,
  RESOURCE_PAGES,
  type SEARCH,
  SUBJECT_PAGES,
  USERS_WITH_ADDRESSES,
} from "./search_queries.ts";
import { toItems } from "./items.ts";

/** A page of results. */
export interface Results<T> {
  readonly page: { readonly next_token: string; readonly count: number };
  readonly context: { readonly revision: number };
  readonly results: readonly T[];
}

/** The results of a page, in order of id: up to one more than the page has. */
interface Found {
  readonly ids: readonly number[];
  /** The addresses of users, if they are to be shown. */
  readonly emails?: ReadonlyMap<number, string | undefined>;
  /** The last scanned id, or null if nothing follows. */
  readonly lookedTo: number | null;
  readonly revision: number;
}

/**
 * Returns the principals of a type that may perform an action on a resource: all, if the actor sees who has access to
 * it; otherwise only the actor. Throws `TOKEN_INVALID`, and `MALFORMED_REQUEST` for a wrong page token.
 */
export function searchSubjects(
  deps: AuthzenDeps,
  actor: Actor,
  { subject: { type }, action, resource, context, page }: SubjectSearch,
): Promise<Results<Named>> {
  const showsAddresses = type === "user" && context?.["ids"] === "email";
  const statement = showsAddresses ? USERS_WITH_ADDRESSES : entryOf(SUBJECT_PAGES, type);
  const question = toQuestion(
    { principalId: 0 },
    parseResource(resource),
    resource.type,
    action.name,
    context,
  );
  const search = { kind: "subject", entities: { type, action, resource, context }, page };
  return readResults(
    deps,
    actor,
    search,
    (asked) => readPage(deps, actor, statement, question, asked),
    (id, email) => ({ type, id: email ?? String(id) }),
  );
}

/**
 * Returns the resources of a type on which a subject may perform an action: for another subject, those of which the
 * actor sees who has access. Throws like `searchSubjects`.
 */
export function searchResources(
  deps: AuthzenDeps,
  actor: Actor,
  { subject, action, resource: { type }, context, page }: ResourceSearch,
): Promise<Results<Named>> {
  const statement = entryOf(RESOURCE_PAGES, type);
  const question = toQuestion(parseSubject(subject), { roleId: 0 }, type, action.name, context);
  const search = { kind: "resource", entities: { type, action, subject, context }, page };
  return readResults(
    deps,
    actor,
    search,
    (asked) => readPage(deps, actor, statement, question, asked),
    (id) => ({ type, id: String(id) }),
  );
}

/**
 * Returns the actions that a subject may perform on a resource, by the rules of an evaluation. Throws like
 * `searchSubjects`.
 */
export function searchActions(
  deps: AuthzenDeps,
  actor: Actor,
  { subject, resource, context, page }: ActionSearch,
): Promise<Results<{ readonly name: string }>> {
  const names = [...entryOf(ACTIONS, resource.type)?.keys() ?? []];
  const [parsedSubject, parsedResource] = [parseSubject(subject), parseResource(resource)];
  const questions = names.map((name) =>
    toQuestion(parsedSubject, parsedResource, resource.type, name, context)
  );
  const search = { kind: "action", entities: { subject, resource, context }, page };
  return readResults(deps, actor, search, async ({ afterId }) => {
    const { decisions, revision } = await decide(deps, actor, questions);
    // The place of an action, from 1, is its id.
    const ids = decisions.flatMap((decision, i) => decision && i >= afterId ? [i + 1] : []);
    return { ids, lookedTo: null, revision };
  }, (id) => ({ name: names[id - 1] as string }));
}

function toQuestion(
  subject: Question["subject"] | undefined,
  resource: Question["resource"] | undefined,
  type: string,
  action: string,
  context: Readonly<Record<string, unknown>> | undefined,
): Question | undefined {
  const needed = findNeeded(type, action);
  return subject && resource && needed ? { subject, resource, needed, meets: meetsOf(context) } : undefined;
}

function entryOf<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

interface Search {
  readonly kind: string;
  readonly entities: unknown;
  readonly page: RequestedPage | undefined;
}

async function readResults<T>(
  { secrets }: AuthzenDeps,
  { userId: principalId }: Actor,
  { kind, entities, page: requested }: Search,
  find: (page: PageRequest) => Promise<Found>,
  toResult: (id: number, email: string | undefined) => T,
): Promise<Results<T>> {
  const content = { kind, principalId, entities };
  const page = await openPage(secrets, content, requested);
  const { ids, emails, lookedTo, revision } = await find(page);
  const shown = ids.slice(0, page.limit);
  const end = ids.length > shown.length ? shown.at(-1) ?? page.afterId : lookedTo;
  const token = end === null ? "" : await sealPage(secrets, content, { ...page, afterId: end });
  return {
    page: { next_token: token, count: shown.length },
    context: { revision },
    results: shown.map((id) => toResult(id, emails?.get(id))),
  };
}

/**
 * Reads a page by its statement, or by the first of several ways that has rows. Without a statement or a question, only
 * checks the principal.
 */
async function readPage(
  deps: AuthzenDeps,
  actor: Actor,
  statement: Statement | PageWays | undefined,
  question: Question | undefined,
  { afterId, limit }: PageRequest,
): Promise<Found> {
  if (statement === undefined || question === undefined) {
    const { revision } = await decide(deps, actor, []);
    return { ids: [], lookedTo: null, revision };
  }
  const args: ValuesOf<typeof SEARCH> = {
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    items: `[${await toItems(deps, [question])}]`,
    afterId,
    limit: limit + 1,
  };
  const row = await readByWays<FoundRow>(deps, statement, args);
  const found = JSON.parse(row.rows) as { id: number; email?: string }[];
  const ids = found.map(({ id }) => id).sort((a, b) => a - b);
  const emails = new Map(found.map(({ id, email }) => [id, email] as const));
  return { ids, emails, lookedTo: row.walkedTo, revision: row.revision ?? 0 };
}
