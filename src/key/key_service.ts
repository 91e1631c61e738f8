import type { Actor, SudoActor } from "../core/actor.ts";
import { type Clock, DAY_MS, SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { mapPage, type Page, type PageRequest } from "../core/page.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Database } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { drawRoleKey, makeRoleKey } from "../identity/token/role_key.ts";
import { NOTICE_LIFE_SECONDS } from "../mail/outbox.ts";
import { accepted, type DecisionRow } from "../changes/decision.ts";
import type { Deletion } from "../role/manages/manages_service.ts";
import { readPage } from "../graph/paging/page_service.ts";
import type { Effect } from "../changes/preview/effect.ts";
import { EFFECT_OF_MEMBERSHIP } from "../changes/preview/effect_queries.ts";
import type { StoreLimits } from "../changes/store_limits.ts";
import { changeOrPreview, MAKE, type Mode } from "../changes/preview/preview_service.ts";
import { namesOf, NO_RIGHTS, type RightName, type Rights, toMask, toRights } from "../graph/rights.ts";
import { ADOPT_KEY } from "./adoption_queries.ts";
import {
  CREATE_KEY,
  CREATE_KEY_AS_ADMINISTRATOR,
  DELETE_KEY,
  DELETE_KEY_AS_ADMINISTRATOR,
  KEY_PAGE,
  type KeyRow,
  KEYS_OF_ROLE,
  LIVE_KEYS_PER_ROLE,
  NOTE_KEY_USES,
} from "./key_queries.ts";

/** Lifetimes of keys, in days. */
const DEFAULT_DAYS = 90;
export const MAX_DAYS = 400;

/** Dependencies of keys. */
export interface KeyDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly storeLimits: StoreLimits;
}

/** A key as managers of its role's members see it. Times are ISO 8601. */
export interface RoleKey {
  readonly id: number;
  readonly roleId: number;
  readonly name: string;
  /** The start of its secret. */
  readonly prefix: string;
  readonly rights: Rights;
  readonly asks: boolean;
  /** Whether it may add members, within what its maker could. */
  readonly provisions: boolean;
  readonly expiresAt: string;
  readonly createdAt: string;
  /**
   * Address of the account that made it; null if that is deleted, an administrator made the key, or the viewer does not
   * learn who made it (`seesWhoActed`).
   */
  readonly createdBy: string | null;
  /** The hour of its latest use; null if it was never used. */
  readonly lastUsedAt: string | null;
  /** In a list of a role's keys: the rights that work on no role; absent if all do. */
  readonly ineffective?: readonly RightName[];
}

export interface CreateKeyInput {
  readonly roleId: number;
  readonly name: string;
  /** By default those of the membership within which the key is made. */
  readonly rights?: Rights | undefined;
  /** In milliseconds. By default 90 days from now, or the end of that membership. */
  readonly expiresAt?: number | undefined;
  readonly asks?: boolean | undefined;
  readonly provisions?: boolean | undefined;
}

export interface CreatedKey {
  readonly key: RoleKey;
  /** Returned only once: the service stores its HMAC. */
  readonly secret: string;
  /** The rights of the key that work on no role that it reaches; absent if all do. */
  readonly ineffective?: readonly RightName[];
}

/** A key that was made, or a preview of one, which has an effect but no id, prefix or secret. */
export interface CreatedOrPreviewedKey {
  readonly key: Omit<RoleKey, "id" | "prefix"> & {
    readonly id: number | null;
    readonly prefix: string | null;
  };
  readonly secret?: string;
  readonly ineffective?: readonly RightName[];
  readonly effect?: Effect;
}

interface CreatedKeyRow extends DecisionRow, KeyRow {
  /** A mask. */
  readonly ineffective: number;
}

interface DeletedKeyRow extends DecisionRow {
  readonly oldRights: number;
}

/** The caller who changes keys: a member of the role or of one above it, or an administrator's task. */
type KeyManager = Actor | "administrator";

/** The maker of a key, with their proof; a preview needs none. */
export type KeyMaker = SudoActor | "administrator";

/** The actor in the change log for an administrator's task. */
const ADMINISTRATOR: SudoActor = { userId: 0, sessionId: "operator", sudoVersion: null };

/**
 * Makes a key and mails its maker. One membership must manage the role's members, have the key's rights, and not end
 * before it. Needs a sudo token, except for a preview. Throws `MALFORMED_REQUEST` for an end not within 400 days,
 * `SUDO_TOKEN_REQUIRED`, `TOO_MANY_KEYS`, and the errors of `changeOrPreview`.
 */
export function createKey(deps: KeyDeps, maker: KeyMaker, input: CreateKeyInput): Promise<CreatedKey>;
export function createKey(
  deps: KeyDeps,
  maker: KeyMaker,
  input: CreateKeyInput,
  mode: Mode,
): Promise<CreatedOrPreviewedKey>;
export async function createKey(
  deps: KeyDeps,
  maker: KeyMaker,
  { roleId, name, rights, expiresAt, asks = false, provisions = false }: CreateKeyInput,
  mode: Mode = MAKE,
): Promise<CreatedOrPreviewedKey> {
  const now = deps.clock();
  if (expiresAt !== undefined && (expiresAt <= now || expiresAt > now + MAX_DAYS * DAY_MS)) {
    const message = `Expected a time in the future, at most ${MAX_DAYS} days from now`;
    throw new AppError("MALFORMED_REQUEST", { details: [{ path: "body.expiresAt", message }] });
  }
  const { random, mac, shown } = await drawRoleKey(deps.secrets);
  const [actor, batches] = maker === "administrator"
    ? [ADMINISTRATOR, CREATE_KEY_AS_ADMINISTRATOR]
    : [maker, CREATE_KEY];
  const wanted = {
    roleId,
    name,
    rights: rights === undefined ? null : toMask(rights),
    asks: asks ? 1 : 0,
    provisions: provisions ? 1 : 0,
  };
  const { row, effect } = await changeOrPreview<CreatedKeyRow>(deps, actor, mode, {
    request: ["key.create", roleId, name, wanted.rights, wanted.asks, wanted.provisions, expiresAt ?? null],
    batches,
    args: {
      ...wanted,
      expiresAt: expiresAt ?? null,
      defaultExpiresAt: now + DEFAULT_DAYS * DAY_MS,
      shown,
      mac,
      mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
      sudoVersion: actor.sudoVersion,
      isPreview: mode.kind === "preview" ? 1 : 0,
    },
    accept: accepted,
    subject: () => ({ id: 0, who: { key: { id: null, name } } }),
    effectOf: ({ rights: newRights }, read) => {
      const membership = { roleId, memberId: 0, oldRights: null, newRights, isPerson: 0, holderId: 0 };
      return bind(EFFECT_OF_MEMBERSHIP, { ...read, ...membership });
    },
  });
  const key = toKey(row);
  const warning = warningOf(row.ineffective);
  if (effect !== undefined) return { key: { ...key, id: null, prefix: null }, ...warning, effect };
  return { key, secret: await makeRoleKey(deps.secrets, key.id, random), ...warning };
}

export interface KeyInput {
  readonly roleId: number;
  readonly keyId: number;
}

/**
 * Makes the actor the maker of a live key, gives it a new secret in place of the old one, and mails the actor. One
 * membership must allow making the key as it is. Needs a sudo token, except for a preview. Throws
 * `SUDO_TOKEN_REQUIRED` and the errors of `changeOrPreview`.
 */
export async function adoptKey(
  deps: KeyDeps,
  actor: SudoActor,
  { roleId, keyId }: KeyInput,
  mode: Mode = MAKE,
): Promise<CreatedOrPreviewedKey> {
  const { random, mac, shown } = await drawRoleKey(deps.secrets);
  const { row, effect } = await changeOrPreview<CreatedKeyRow>(deps, actor, mode, {
    request: ["key.adopt", roleId, keyId],
    batches: ADOPT_KEY,
    args: {
      roleId,
      keyId,
      shown,
      mac,
      mailExpiresAt: deps.clock() + NOTICE_LIFE_SECONDS * SECOND_MS,
      sudoVersion: actor.sudoVersion,
      isPreview: mode.kind === "preview" ? 1 : 0,
    },
    accept: accepted,
    effectOf: ({ rights }, read) => {
      const membership = {
        roleId,
        memberId: keyId,
        oldRights: rights,
        newRights: rights,
        isPerson: 0,
        holderId: -keyId,
      };
      return bind(EFFECT_OF_MEMBERSHIP, { ...read, ...membership });
    },
  });
  const key = toKey(row);
  return effect === undefined
    ? { key, secret: await makeRoleKey(deps.secrets, keyId, random), ...warningOf(row.ineffective) }
    : { key, effect };
}

/** Returns a page of the live keys of a role in order of id; none unless the actor manages its members. */
export async function listKeys(
  deps: Pick<KeyDeps, "database" | "clock">,
  actor: Actor,
  roleId: number,
  page: PageRequest,
): Promise<Page<RoleKey>> {
  return mapPage(await readPage<KeyRow>(deps, actor, KEY_PAGE, page, { roleId }), (row) => ({
    ...toKey(row),
    ...warningOf(row.ineffective),
  }));
}

/** Returns all live keys of a role, for an administrator's task. */
export async function listKeysAsAdministrator(
  { database, clock }: Pick<KeyDeps, "database" | "clock">,
  roleId: number,
): Promise<RoleKey[]> {
  const args = { roleId, afterId: 0, limit: LIVE_KEYS_PER_ROLE, now: clock() };
  return (await database.read(bind(KEYS_OF_ROLE, args))).map(toKey);
}

/**
 * Deletes a key, which ends it at once. The actor must manage the role's members, or be the key's maker and a member of
 * the role, directly or indirectly.
 */
export async function deleteKey(
  deps: KeyDeps,
  maker: KeyManager,
  { roleId, keyId }: KeyInput,
  mode: Mode = MAKE,
): Promise<Deletion> {
  const [actor, batches] = maker === "administrator"
    ? [ADMINISTRATOR, DELETE_KEY_AS_ADMINISTRATOR]
    : [maker, DELETE_KEY];
  const { row: _, ...preview } = await changeOrPreview<DeletedKeyRow>(deps, actor, mode, {
    request: ["key.delete", roleId, keyId],
    batches,
    args: { roleId, keyId },
    accept: accepted,
    effectOf: ({ oldRights }, read) => {
      const membership = {
        roleId,
        memberId: keyId,
        oldRights,
        newRights: null,
        isPerson: 0,
        holderId: -keyId,
      };
      return bind(EFFECT_OF_MEMBERSHIP, { ...read, ...membership });
    },
  });
  return { deletedNodeIds: [], deletedRelationIds: [], ...preview };
}

/** Writes that these keys were used in the hour that began at this time. */
export async function noteKeyUses(
  database: Database,
  keyIds: readonly number[],
  hour: number,
): Promise<void> {
  await database.write([bind(NOTE_KEY_USES, { keyIds: JSON.stringify(keyIds), hour })]);
}

/** Names the rights of this mask that work on no role, if there are any. */
function warningOf(ineffective = NO_RIGHTS): { readonly ineffective?: readonly RightName[] } {
  return ineffective === NO_RIGHTS ? {} : { ineffective: namesOf(ineffective) };
}

/** Returns the response's form of a key. */
export function toKey(
  { rights, asks, provisions, expiresAt, createdAt, lastUsedAt, ...row }: KeyRow,
): RoleKey {
  const { id, roleId, name, prefix, createdBy } = row;
  return {
    id,
    roleId,
    name,
    prefix,
    rights: toRights(rights),
    asks: asks === 1,
    provisions: provisions === 1,
    expiresAt: new Date(expiresAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
    createdBy,
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  };
}
