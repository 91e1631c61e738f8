import type { Actor, SudoActor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import type { RowOf } from "../../db/statement.ts";
import { writeOnce } from "../../db/write_once.ts";
import { readOwn } from "../../identity/own_reading.ts";
import { runSecurityBatch } from "../../identity/security_service.ts";
import { toLanguage } from "../../mail/languages.ts";
import { type Demand, demandOf } from "../../role/authentication_policy.ts";
import {
  FIND_ACCOUNT,
  LIST_DORMANT,
  LIST_DORMANT_LATER,
  LIST_EVENTS,
  LIST_MEMBERSHIPS,
  UPDATE_ACCOUNT,
} from "./account_queries.ts";
import { type Rights, toRights } from "../../graph/rights.ts";
import type { AccountDeps } from "./deps.ts";
import { LEAVE, type LeaveRow } from "./leave_queries.ts";
import { endMemberships } from "./leave_service.ts";

/** An account as its owner sees it. Times are ISO 8601. */
export interface Account {
  readonly id: number;
  readonly email: string;
  /** What the person calls themselves. Absent without one. */
  readonly name?: string;
  readonly language: string;
  readonly createdAt: string;
  /** Its id in the system that it was imported from. Absent without one. */
  readonly externalId?: string;
}

/** A membership that counts in this session. */
export interface Membership {
  readonly roleId: number;
  readonly name: string;
  /** Those that it gives on the role itself. */
  readonly rights: Rights;
  /** When it ends, as an ISO time; absent if it does not. */
  readonly until?: string;
}

/** A membership that counts as absent in this session. */
export interface Dormant {
  readonly roleId: number;
  /** What the role demands. */
  readonly needs: Demand;
}

/** An account as one of its sessions sees it. */
export interface OwnAccount extends Account {
  readonly memberOf: readonly Membership[];
  readonly dormant: readonly Dormant[];
  /** Memberships that will be dormant in a session like this. */
  readonly dormantFrom: readonly (Dormant & { readonly from: string })[];
}

type AccountRow = RowOf<typeof FIND_ACCOUNT>;

/**
 * Reads the actor's account, with the first 100 memberships that count in this session, that are dormant, and that will
 * be. Throws `TOKEN_INVALID`.
 */
export async function getAccount(deps: AccountDeps, actor: Actor): Promise<OwnAccount> {
  const reads = [FIND_ACCOUNT, LIST_MEMBERSHIPS, LIST_DORMANT, LIST_DORMANT_LATER] as const;
  const [[row], memberOf, dormant, later] = await readOwn(deps, actor, reads, {});
  return {
    ...toAccount(row),
    memberOf: memberOf.map(({ roleId, name, rights, endsAt }) => ({
      roleId,
      name,
      rights: toRights(rights),
      ...(endsAt !== null && { until: new Date(endsAt).toISOString() }),
    })),
    dormant: dormant.map(({ roleId, needs }) => ({ roleId, needs: demandOf(needs) })),
    dormantFrom: later.map(({ roleId, needs, needsFrom }) => ({
      roleId,
      needs: demandOf(needs),
      from: new Date(needsFrom).toISOString(),
    })),
  };
}

/**
 * Sets the language of mails to the actor, and their name if there is one, null for none. An unsupported language becomes
 * English. Throws `TOKEN_INVALID`.
 */
export async function updateAccount(
  deps: AccountDeps,
  actor: Actor,
  { language, name }: { readonly language: string; readonly name?: string | null | undefined },
): Promise<Account> {
  const { userId: actorId, sessionId } = actor;
  const keepsName = Number(name === undefined);
  const args = {
    actorId,
    sessionId,
    now: deps.clock(),
    language: toLanguage(language),
    // Empty, so that no import brings it again.
    name: name ?? "",
    keepsName,
  };
  // No guard: setting the same twice does no harm.
  return toAccount(await writeOnce<AccountRow>(deps.database, { batch: [UPDATE_ACCOUNT], args }));
}

/** An event of the security log, with the session and client address of the attempt. */
export interface SecurityEvent {
  readonly id: number;
  /** ISO 8601. */
  readonly at: string;
  readonly event: string;
  readonly result: string;
  /** Number of equal attempts within a minute that share this event. */
  readonly attempts: number;
  readonly sessionId: string | null;
  readonly address: string | null;
}

export interface EventPage {
  readonly event: SecurityEvent[];
  /** The cursor of the next page, or null at the end. */
  readonly nextCursor: string | null;
}

/**
 * Reads a page of the actor's security events, newest first: up to `limit` events older than `cursor`. Throws
 * `TOKEN_INVALID`.
 */
export async function listEvents(
  deps: AccountDeps,
  actor: Actor,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<EventPage> {
  const beforeId = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
  const [event] = await readOwn(deps, actor, [LIST_EVENTS], { beforeId, limit: limit + 1 });
  const page = event.slice(0, limit).map((row) => ({ ...row, at: new Date(row.at).toISOString() }));
  return { event: page, nextCursor: event.length > limit ? String(page.at(-1)?.id) : null };
}

/**
 * Deletes the actor's account and sessions, and then the memberships in steps. If these cannot go on, a job finishes
 * them: the account is deleted for good. Throws `ROOT_WITHOUT_MEMBER` if a root role would lose its
 * last lasting member with `roleManagement`, `TRANSFER_TOO_SOON` while a transfer can be undone, and
 * `SUDO_TOKEN_REQUIRED`.
 */
export async function leave(deps: AccountDeps, actor: SudoActor, address: string): Promise<void> {
  const opId = crypto.randomUUID();
  const { result, isUnfinished } = await runSecurityBatch<LeaveRow>(deps, actor, address, LEAVE, { opId });
  if (result === "transferred") throw new AppError("TRANSFER_TOO_SOON");
  if (result !== "ok") throw new AppError("ROOT_WITHOUT_MEMBER");
  if (isUnfinished === 1) await endMemberships(deps, opId).catch(() => {});
}

function toAccount(row: AccountRow | undefined): Account {
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const { id, email, name, language, createdAt, externalId } = row;
  return {
    id,
    email,
    ...(name && { name }),
    language,
    createdAt: new Date(createdAt).toISOString(),
    ...(externalId !== null && { externalId }),
  };
}
