import type { Actor, SudoActor } from "../../core/actor.ts";
import { DAY_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import { writeOnce } from "../../db/write_once.ts";
import { DEMAND_LEVELS } from "../../identity/session_proof.ts";
import {
  type AuthenticationPolicy,
  type Demand,
  type DemandList,
  readDemand,
  toPolicy,
} from "../authentication_policy.ts";
import { REFUSE_REPEATED_CHANGE } from "../../changes/change_queries.ts";
import { accepted, type DecisionRow } from "../../changes/decision.ts";
import type { RoleDeps } from "../deps.ts";
import { refusalOf } from "../../graph/rules/step_up.ts";
import type { Effect } from "../../changes/preview/effect.ts";
import { changeOrPreview, MAKE, type Mode } from "../../changes/preview/preview_service.ts";
import { CLEAR_DEMAND, FIND_DEMAND, NO_EFFECT_ON_RIGHTS, SET_DEMAND } from "./demand_queries.ts";
import type { GraphDeps } from "../../graph/deps.ts";

/** Maximum number of days until a demand holds. */
export const MAX_DEMAND_DAYS = 400;

/** The members who have not met a demand: how many, and the addresses of the first. */
export interface Unmet {
  readonly count: number;
  readonly named: readonly string[];
}

interface DemandRow extends DecisionRow {
  /** The demand before and after: a `DemandList` as JSON. */
  readonly oldDemand: string;
  readonly newDemand: string;
  /** `Unmet` as JSON; in a preview, for an actor who reads the role's members. */
  readonly unmet?: string | null;
}

export interface SetPolicyInput {
  readonly roleId: number;
  readonly secondFactor: Demand;
  /** In milliseconds. */
  readonly from?: number | undefined;
}

/**
 * Sets what a role demands of its members, or lifts it. Needs a sudo token, indirect roleManagement on the role (direct
 * for a root's own members), and a session that meets the demand in force and the new one. Throws `STEP_UP_REQUIRED`,
 * `ROOT_WITHOUT_AWAKE_MANAGER`, `CLOSURE_CHANGE_TOO_LARGE` and the errors of `changeOrPreview`.
 */
export async function setPolicy(
  deps: RoleDeps,
  actor: SudoActor,
  { roleId, secondFactor, from: asked }: SetPolicyInput,
  mode: Mode = MAKE,
): Promise<{ authenticationPolicy: AuthenticationPolicy; unmet?: Unmet; effect?: Effect }> {
  const now = deps.clock();
  if (asked !== undefined && asked > now + MAX_DEMAND_DAYS * DAY_MS) {
    const message = `Expected a time at most ${MAX_DEMAND_DAYS} days from now`;
    throw new AppError("MALFORMED_REQUEST", { details: [{ path: "body.from", message }] });
  }
  const from = asked === undefined || asked <= now ? null : asked;
  const needs = DEMAND_LEVELS[secondFactor];
  const { maxClosureChange: maxCost } = deps;
  const { row, effect } = await changeOrPreview<DemandRow>(deps, actor, mode, {
    request: ["role.authentication_policy", roleId, needs, from],
    batches: SET_DEMAND,
    args: { roleId, needs, from, maxCost, sudoVersion: actor.sudoVersion },
    accept: (decided) => {
      if (decided?.decision === "too_large") throw tooManyMembers(maxCost);
      return accepted(decided);
    },
    effectOf: (_, read) => bind(NO_EFFECT_ON_RIGHTS, read),
    shows: ({ unmet }) => unmet,
  });
  const authenticationPolicy = toPolicy(readDemand(JSON.parse(row.newDemand) as DemandList), now);
  if (effect === undefined) return { authenticationPolicy };
  const { unmet } = row;
  return {
    authenticationPolicy,
    ...(typeof unmet === "string" && { unmet: JSON.parse(unmet) as Unmet }),
    effect,
  };
}

function tooManyMembers(maxCost: number): AppError {
  return new AppError("CLOSURE_CHANGE_TOO_LARGE", {
    message:
      `The role has more than ${maxCost} members, too many to change at once (CLOSURE_MAX_CHANGE): demand it of ` +
      "roles with fewer members each, or ask the administrator to raise the limit for the moment",
  });
}

/**
 * Returns what a role demands. Throws `FORBIDDEN` unless the actor may set it or manages the role's members, and
 * `STEP_UP_REQUIRED` if they may in a session that meets more.
 */
export async function findPolicy(
  deps: GraphDeps,
  actor: Actor,
  roleId: number,
): Promise<{ authenticationPolicy: AuthenticationPolicy }> {
  const args = { now: deps.clock(), actorId: actor.userId, sessionId: actor.sessionId, roleId };
  const [row] = await readRevised(deps.database, bind(FIND_DEMAND, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const { needs, needsBefore, needsFrom } = row;
  if (needs === null || needsBefore === null) {
    const refuses = (judged?: { readonly maySee: number }): boolean => judged?.maySee !== 1;
    throw await refusalOf(deps, actor, { statement: FIND_DEMAND, args, refuses });
  }
  return { authenticationPolicy: toPolicy({ needs, needsBefore, needsFrom }, args.now) };
}

/** Lifts the demand of a role for members who are locked out. Returns what it was; undefined if there was none. */
export async function clearDemand(
  { database, clock }: GraphDeps,
  roleId: number,
): Promise<AuthenticationPolicy | undefined> {
  const args = { opId: crypto.randomUUID(), now: clock(), roleId };
  const guard = REFUSE_REPEATED_CHANGE;
  const row = await writeOnce<DemandRow>(database, { guard, batch: CLEAR_DEMAND, args });
  return row && toPolicy(readDemand(JSON.parse(row.oldDemand) as DemandList), args.now);
}
