import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { noteRevision, readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import {
  type AuthenticationPolicy,
  type DemandList,
  readDemand,
  toPolicy,
} from "../../role/authentication_policy.ts";
import { type Rights, toRights } from "../../graph/rights.ts";
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
  readonly actor: ChangeActor | null;
  /** The role through which they acted. */
  readonly viaRoleId: number | null;
  readonly viaRoleName: string | null;
  readonly kind: string;
  readonly decision: string;
  readonly roleId: number | null;
  /** Names are those at the time, after the change. */
  readonly roleName: string | null;
  /** Of a change of a role: its name before and after. */
  readonly oldName: string | null;
  readonly newName: string | null;
  readonly parentRoleId: number | null;
  readonly parentRoleName: string | null;
  readonly managesId: number | null;
  readonly memberId: number | null;
  readonly memberEmail: string | null;
  /** ISO 8601: the end of a membership, or the period of a monitors relation, before and after. */
  readonly oldFrom: string | null;
  readonly oldUntil: string | null;
  readonly from: string | null;
  readonly until: string | null;
  readonly keyId: number | null;
  readonly keyName: string | null;
  readonly deviceId: number | null;
  readonly nodeId: string | null;
  /** Of a transfer of several devices, the number of those that the role got or lost. */
  readonly devices: number | null;
  readonly deviceIds: readonly number[];
  readonly oldRights: Rights | null;
  readonly newRights: Rights | null;
  /** What a role demanded before a demand was set, and since. */
  readonly oldAuthenticationPolicy: AuthenticationPolicy | null;
  readonly newAuthenticationPolicy: AuthenticationPolicy | null;
  /** The revision of the change that this one undid. */
  readonly undoes: number | null;
  /** The run of the import that made the change. */
  readonly importRun: string | null;
  readonly deletedNodeIds: readonly number[];
  readonly deletedRoles: number;
  readonly deletedDevices: number;
  readonly deletedRelationIds: readonly number[];
}

/** A user or key that did or tried something. The id is that of the account or key. */
export type ChangeActor =
  | { readonly type: "user"; readonly id: number; readonly email: string | null; readonly erased?: true }
  | { readonly type: "key"; readonly id: number; readonly name: string | null; readonly email: null };

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
  /** Normalized. */
  readonly memberEmail?: string | undefined;
  /** The id of an account. */
  readonly memberId?: number | undefined;
  /** The id of an account. */
  readonly actorId?: number | undefined;
  /** Changes by the key, or of it. */
  readonly keyId?: number | undefined;
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

type Shown =
  | "at"
  | "actor"
  | "oldFrom"
  | "oldUntil"
  | "from"
  | "until"
  | "oldRights"
  | "newRights"
  | "oldAuthenticationPolicy"
  | "newAuthenticationPolicy"
  | "deletedRoles"
  | "deletedDevices";

interface ChangeRow extends Omit<Change, Shown> {
  readonly at: number;
  /** Of a key, minus its id; 0 for an administrator. */
  readonly actorId: number;
  readonly showsActor: 0 | 1;
  readonly actorName: string | null;
  readonly oldFrom: number | null;
  readonly oldUntil: number | null;
  readonly from: number | null;
  readonly until: number | null;
  readonly oldRights: number | null;
  readonly newRights: number | null;
  readonly oldDemand: DemandList | null;
  readonly newDemand: DemandList | null;
  readonly deletedDeviceIds: readonly number[];
}

/**
 * Returns a page of the change log: changes and refusals about roles whose members the actor manages, and about deleted
 * roles if they manage the parent from which it was deleted. For a key with `asks`, these are all roles that it reaches. Takes one round trip. Throws `TOKEN_INVALID` if the
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
  if (!isNothingYet(read)) return read.page;
  const wait = watch.begin(seconds, signal);
  try {
    for (;;) {
      const end = await wait.untilAfter(read.revision);
      if (end === "stopped") return read.page;
      const after = read.page.nextRevision;
      read = await wait.read(() => readPage(deps, actor, { ...query, after }));
      noteRevision(read.revision);
      if (end === "expired" || !isNothingYet(read) || wait.isOver()) return read.page;
    }
  } finally {
    wait.end();
  }
}

/**
 * Yields the changes from `after` up to the revision at which it begins, page by page. Throws the errors of
 * `queryChanges`.
 */
export async function* eachChangePage(
  deps: ChangeLogDeps,
  actor: Actor,
  { filter, after }: Pick<ChangeQuery, "filter" | "after">,
  limit: number,
): AsyncGenerator<Change[], void> {
  let last: number | undefined;
  for (let next = after;;) {
    const { page, isEnd, revision } = await readPage(deps, actor, { filter, after: next, limit });
    last ??= revision;
    yield page.change;
    next = page.nextRevision;
    if (isEnd || next >= last) return;
  }
}

/** Reads the latest revision, as fresh as the primary. */
export async function readLatestRevision({ database }: ChangeLogDeps): Promise<number> {
  const [row] = await database.read(bind(LATEST_REVISION, {}));
  return row?.revision ?? 0;
}

interface ReadPage {
  readonly page: ChangePage;
  /** No more rows follow. */
  readonly isEnd: boolean;
  readonly revision: number;
}

/** Whether there is no change, and none that another page would have. */
function isNothingYet({ page, isEnd }: ReadPage): boolean {
  return page.change.length === 0 && isEnd;
}

async function readPage(deps: ChangeLogDeps, actor: Actor, query: ChangeQuery): Promise<ReadPage> {
  const {
    filter: { roleId, actorEmail, memberEmail, memberId, actorId, keyId, kind, decision, from, to },
    after,
    limit,
  } = query;
  const asked = {
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    after,
    limit,
    actorEmail: actorEmail ?? null,
    memberEmail: memberEmail ?? null,
    memberId: memberId ?? null,
    byActorId: actorId ?? null,
    keyId: keyId ?? null,
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
  return { page: { change, nextRevision }, isEnd: isEnd === 1, revision };
}

function toChange(row: ChangeRow): Change {
  const { revision, at, actorId, actorName, showsActor, oldRights, newRights, ...same } = row;
  const { oldFrom, oldUntil, from, until, oldDemand, newDemand, ...unlisted } = same;
  const { deletedNodeIds, deletedDeviceIds, deletedRelationIds, ...others } = unlisted;
  return {
    revision,
    at: new Date(at).toISOString(),
    actor: toActor({ actorId, actorName, showsActor }),
    ...others,
    oldFrom: toTime(oldFrom),
    oldUntil: toTime(oldUntil),
    from: toTime(from),
    until: toTime(until),
    oldRights: oldRights === null ? null : toRights(oldRights),
    newRights: newRights === null ? null : toRights(newRights),
    oldAuthenticationPolicy: oldDemand && toPolicy(readDemand(oldDemand), at),
    newAuthenticationPolicy: newDemand && toPolicy(readDemand(newDemand), at),
    deletedNodeIds: [...deletedNodeIds, ...deletedDeviceIds],
    deletedRoles: deletedNodeIds.length,
    deletedDevices: deletedDeviceIds.length,
    deletedRelationIds,
  };
}

function toActor(
  { actorId, actorName, showsActor }: Pick<ChangeRow, "actorId" | "actorName" | "showsActor">,
): ChangeActor | null {
  if (actorId === 0) return null;
  if (actorId < 0) return { type: "key", id: -actorId, name: actorName, email: null };
  const isErased = showsActor === 1 && actorName === null;
  return { type: "user", id: actorId, email: actorName, ...(isErased && { erased: true }) };
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
