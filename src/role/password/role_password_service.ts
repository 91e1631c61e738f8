import type { Actor, SudoActor } from "../../core/actor.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import { NOTICE_LIFE_SECONDS } from "../../mail/outbox.ts";
import { runChange } from "../../changes/change_service.ts";
import { accepted, type DecisionRow } from "../../changes/decision.ts";
import type { RoleDeps } from "../deps.ts";
import { refusalOf } from "../../graph/rules/step_up.ts";
import { type Rights, toMask, toRights } from "../../graph/rights.ts";
import { FIND_ROLE_PASSWORD, MAY_SET_PASSWORD, SET_ROLE_PASSWORD } from "./role_password_queries.ts";
import type { GraphDeps } from "../../graph/deps.ts";

export interface SetRolePasswordInput {
  readonly roleId: number;
  /** Null removes the password. */
  readonly password: string | null;
  /** Greatest rights of a relation made with the password. By default the greatest that the actor may grant. */
  readonly rights?: Rights | undefined;
}

/**
 * Sets or removes the password that lets others put the role below theirs, and mails the setter. Indirect
 * roleManagement may grant any rights, direct alone only the role's self rights without roleManagement. A read checks
 * this before hashing, and the write again. Throws `SUDO_TOKEN_REQUIRED`, `FORBIDDEN`, and `TOKEN_INVALID`.
 */
export async function setRolePassword(
  deps: RoleDeps,
  actor: SudoActor,
  { roleId, password, rights: asked }: SetRolePasswordInput,
): Promise<void> {
  const rights = password === null || asked === undefined ? null : toMask(asked);
  const refused = password !== null && !await maySet(deps, actor, roleId, rights);
  const passwordHash = password === null || refused ? null : await deps.passwords.hash(password);
  accepted(
    await runChange<DecisionRow>(deps, actor, SET_ROLE_PASSWORD, {
      roleId,
      rights,
      passwordHash,
      kind: password === null ? "role.password_removed" : "role.password_set",
      refused: refused ? 1 : 0,
      sudoVersion: actor.sudoVersion,
      mailExpiresAt: deps.clock() + NOTICE_LIFE_SECONDS * SECOND_MS,
    }, { refused: 0 }),
  );
}

/**
 * Whether the actor may set this password, and has the proof for it. Throws `TOKEN_INVALID` if the session has ended.
 */
async function maySet(
  deps: RoleDeps,
  actor: SudoActor,
  roleId: number,
  rights: number | null,
): Promise<boolean> {
  const [row] = await deps.database.read(bind(MAY_SET_PASSWORD, {
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    sudoVersion: actor.sudoVersion,
    roleId,
    rights,
  }));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return row.maySet === 1;
}

/** State of a role's password, for users who may set it. */
export interface RolePassword {
  readonly set: boolean;
  /** The rights that it was set with; null without a password. */
  readonly rights: Rights | null;
  /** The id of the user who set it; null without a password, or if it was voided or its setter is not known. */
  readonly setBy: number | null;
  /** ISO 8601. */
  readonly setAt: string | null;
  /**
   * Whether it still opens the role: its setter could set one now. It then carries at most the rights that they could
   * give.
   */
  readonly works: boolean;
}

/** Returns the state of a role's password. Throws `FORBIDDEN` unless the actor may set it, and `TOKEN_INVALID`. */
export async function findRolePassword(
  deps: GraphDeps,
  actor: Actor,
  roleId: number,
): Promise<RolePassword> {
  const args = { now: deps.clock(), actorId: actor.userId, sessionId: actor.sessionId, roleId };
  const [row] = await readRevised(deps.database, bind(FIND_ROLE_PASSWORD, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (!row.maySee) {
    const refuses = (judged?: { readonly maySee: number }): boolean => judged?.maySee !== 1;
    throw await refusalOf(deps, actor, { statement: FIND_ROLE_PASSWORD, args, refuses });
  }
  const { rights, setBy, setAt } = row;
  return {
    set: row.isSet === 1,
    rights: rights === null ? null : toRights(rights),
    setBy,
    setAt: setAt === null ? null : new Date(setAt).toISOString(),
    works: row.works === 1,
  };
}
