import type { Actor, SudoActor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { typedRows } from "../db/rows.ts";
import { bindBatch, pickNamed, type SqlArgs, type Statement } from "../db/statement.ts";
import { SUDO_SECONDS } from "../identity/lifetimes.ts";
import { readOwn } from "../identity/own_reading.ts";
import { type KeyDeps, type RoleKey, toKey } from "./key_service.ts";
import {
  DELETE_KEYS_AS_ADMINISTRATOR,
  DELETE_OWN_KEYS,
  LIST_OWN_KEYS,
  type NextKeysRow,
} from "./made_key_queries.ts";

type MadeKeyDeps = Pick<KeyDeps, "database" | "clock">;

export interface MadeKeyPage {
  readonly key: RoleKey[];
  /** The cursor of the next page, or null at the end. */
  readonly nextCursor: string | null;
}

/** Returns the live keys that the actor made, in any role, newest first. Throws `TOKEN_INVALID`. */
export async function listOwnKeys(
  deps: MadeKeyDeps,
  actor: Actor,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<MadeKeyPage> {
  const [beforeTime, beforeId] = cursor?.split(".").map(Number) ?? [];
  const [key] = await readOwn(deps, actor, [LIST_OWN_KEYS], {
    beforeTime: beforeTime ?? Number.MAX_SAFE_INTEGER,
    beforeId: beforeId ?? 0,
    limit: limit + 1,
  });
  const page = key.slice(0, limit);
  const last = page.at(-1);
  const isLast = last === undefined || key.length === page.length;
  return { key: page.map(toKey), nextCursor: isLast ? null : `${last.createdAt}.${last.id}` };
}

/**
 * Deletes all keys that the actor made and may delete now. Throws `SUDO_TOKEN_REQUIRED`, also if the proof or the
 * session becomes void in between; some keys may then be deleted. Safe to repeat.
 */
export function deleteOwnKeys(deps: MadeKeyDeps, actor: SudoActor): Promise<void> {
  const { userId: actorId, sessionId, sudoVersion } = actor;
  return deleteAll(deps, DELETE_OWN_KEYS, { makerId: actorId, actorId, sessionId, sudoVersion });
}

/** Deletes all keys that a user made, for an administrator's task. Safe to repeat. */
export function deleteKeysAsAdministrator(deps: MadeKeyDeps, makerId: number): Promise<void> {
  return deleteAll(deps, DELETE_KEYS_AS_ADMINISTRATOR, { makerId });
}

/** Works in batches, so that other writes get their turn. */
async function deleteAll(
  { database, clock }: MadeKeyDeps,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<void> {
  let after = { afterTime: -1, afterId: 0 };
  for (;;) {
    const named = pickNamed(batch, { ...args, ...after, opId: crypto.randomUUID(), now: clock() });
    const [keys] = await database.write(bindBatch(batch, named));
    const [row] = typedRows<NextKeysRow>(keys);
    if (row === undefined) throw new TypeError("The batch returned no row");
    const { isPermitted, lastKey } = row;
    if (!isPermitted) throw new AppError("SUDO_TOKEN_REQUIRED", { maxAgeSeconds: SUDO_SECONDS });
    if (lastKey === null) return;
    const [afterTime = 0, afterId = 0] = lastKey.split(".").map(Number);
    after = { afterTime, afterId };
  }
}
