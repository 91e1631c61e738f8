import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { noteRevision, readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import { type Rights, toRights } from "../../role/rights.ts";
import { CHANGE_PAGES, LATEST_REVISION } from "./change_log_queries.ts";
import type { ChangeWatch } from "./change_watch.ts";

export interface ChangeLogDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** A row of the change log as its reader sees it. Hidden and absent values are null. */
export interface Change {
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
  /** An address, or a key. */
  readonly actor: string | { readonly key: { readonly id: number; readonly name: string } } | null;
  readonly kind: string;
  readonly decision: string;
  readonly roleId: number | null;
  readonly parentRoleId: number | null;
  readonly managesId: number | null;
  readonly memberEmail: string | null;
  readonly keyId: number | null;
  readonly deviceId: number | null;
  readonly oldRights: Rights | null;
  readonly newRights: Rights | null;
  readonly deletedNodeIds: readonly number[];
  readonly deletedRelationIds: readonly number[];
}

export interface ChangePage {
  /** Oldest first. */
  readonly change: Change[];
  /** The last revision that the page scanned. The next page begins after it. */
  readonly nextRevision: number;
}

export interface ChangeFilter {
  readonly roleId?: number | undefined;
  /** Normalized. */
  readonly actorEmail?: string | undefined;
  readonly kind?: string | undefined;
  readonly decision?: string | undefined;
  /** Milliseconds; the first and the last time. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface ChangeQuery {
  readonly filter: ChangeFilter;
  /** A revision. */
  readonly after: number;
  readonly limit: number;
}

/** How long a query may wait for changes: up to this many seconds, and until the signal. */
export interface Waiting {
  readonly watch: ChangeWatch;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

interface ChangeRow extends Omit<Change, "at" | "actor" | "oldRights" | "newRights"> {
  readonly at: number;
  readonly actorEmail: string | null;
  readonly actorKey: { readonly id: number; readonly name: string } | null;
  readonly oldRights: number | null;
  readonly newRights: number | null;
  readonly deletedDeviceIds: readonly number[];
}

/**
 * Returns a page of the change log: changes and refusals about roles whose members the actor manages, and about deleted
 * roles if they manage the parent from which it was deleted. Takes one round trip. Throws `TOKEN_INVALID` if the
 * session has ended.
 */
export async function queryChanges(
  deps: ChangeLogDeps,
  actor: Actor,
  query: ChangeQuery,
): Promise<ChangePage> {
  const { page } = await readPage(deps, actor, query);
  return page;
}

/**
 * Returns a page like `queryChanges`, but waits for changes if there are none; each read checks rights and session
 * again. When the service stops, returns what it has. Also throws `TOO_MANY_WAITS`.
 */
export async function awaitChanges(
  deps: ChangeLogDeps,
  actor: Actor,
  query: ChangeQuery,
  { watch, seconds, signal }: Waiting,
): Promise<ChangePage> {
  let read = await readPage(deps, actor, query);
  if (!read.isNothingYet) return read.page;
  const wait = watch.begin(actor.payer, seconds, signal);
  try {
    for (;;) {
      const end = await wait.untilAfter(read.revision);
      if (end === "stopped") return read.page;
      const after = read.page.nextRevision;
      read = await wait.read(() => readPage(deps, actor, { ...query, after }));
      noteRevision(read.revision);
      if (end === "expired" || !read.isNothingYet || wait.isOver()) return read.page;
    }
  } finally {
    wait.end();
  }
}

/** Reads the latest revision, as fresh as the primary. */
export async function readLatestRevision({ database }: ChangeLogDeps): Promise<number> {
  const [row] = await database.read(bind(LATEST_REVISION, {}));
  return row?.revision ?? 0;
}

interface ReadPage {
  readonly page: ChangePage;
  /** There is no row, and the page has scanned all. */
  readonly isNothingYet: boolean;
  readonly revision: number;
}

async function readPage(deps: ChangeLogDeps, actor: Actor, query: ChangeQuery): Promise<ReadPage> {
  const { filter: { roleId, actorEmail, kind, decision, from, to }, after, limit } = query;
  const asked = {
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    after,
    limit,
    actorEmail: actorEmail ?? null,
    kind: kind ?? null,
    decision: decision ?? null,
    from: from ?? null,
    to: to ?? null,
  };
  const statement = roleId === undefined
    ? bind(CHANGE_PAGES.all, asked)
    : bind(CHANGE_PAGES.role, { ...asked, roleId });
  const [row] = await readRevised(deps.database, statement);
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const { nextRevision, isEnd, revision } = row;
  const change = (JSON.parse(row.changes) as ChangeRow[]).sort((a, b) => a.revision - b.revision).map(
    toChange,
  );
  return { page: { change, nextRevision }, isNothingYet: change.length === 0 && isEnd === 1, revision };
}

function toChange(row: ChangeRow): Change {
  const { revision, at, actorEmail, actorKey, oldRights, newRights, ...same } = row;
  const { deletedNodeIds, deletedDeviceIds, deletedRelationIds, ...others } = same;
  return {
    revision,
    at: new Date(at).toISOString(),
    actor: actorKey === null ? actorEmail : { key: actorKey },
    ...others,
    oldRights: oldRights === null ? null : toRights(oldRights),
    newRights: newRights === null ? null : toRights(newRights),
    deletedNodeIds: [...deletedNodeIds, ...deletedDeviceIds],
    deletedRelationIds,
  };
}
