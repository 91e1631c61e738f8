import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { countChecks } from "../core/metrics.ts";
import { readRevised } from "../db/revisions.ts";
import { bind } from "../db/statement.ts";
import { refusalOf } from "../graph/rules/step_up.ts";
import { RIGHT_NAMES } from "../graph/rights.ts";
import { checkRights, requireSession } from "../role/role_service.ts";
import type { AuthzenDeps } from "./deps.ts";
import { DECIDE_OWN } from "./evaluation_queries.ts";
import { findNeeded, type Needed, parseId, type ResourceRef } from "./question.ts";
import { settleResources } from "./items.ts";

/** What a proxy asks: does the caller have this right on that resource? */
interface ForwardQuestion {
  readonly right: string;
  readonly needed: Needed;
  readonly resource: ResourceRef;
}

/**
 * Returns if the actor has the right that the query names. Throws `TOKEN_INVALID`, `STEP_UP_REQUIRED`, and `FORBIDDEN`
 * also for a query that asks nothing, or more than one thing.
 */
export async function requireForward(deps: AuthzenDeps, actor: Actor, query: string): Promise<void> {
  const asked = parseForward(query);
  const [resource] = asked === undefined ? [] : await settleResources(deps, [asked.resource]);
  const question = asked && resource && { ...asked, resource };
  if (question === undefined) {
    await requireSession(deps, actor);
    countChecks(deps.metrics, "forward", [false]);
    throw new AppError("FORBIDDEN");
  }
  const allowed = await isAllowed(deps, actor, question);
  countChecks(deps.metrics, "forward", [allowed]);
  if (allowed) return;
  throw await refusalOf(deps, actor, {
    statement: DECIDE_OWN,
    args: { items: toItems(question) },
    refuses: (row) => row?.isAllowed !== 1,
  });
}

/** A right on a role, the most frequent question, takes one probe. */
async function isAllowed(deps: AuthzenDeps, actor: Actor, question: ForwardQuestion): Promise<boolean> {
  const { resource } = question;
  const right = RIGHT_NAMES.find((each) => each === question.right);
  if ("roleId" in resource && right !== undefined) {
    const [isHeld] = await checkRights(deps, actor, [{ roleId: resource.roleId, right }]);
    return isHeld === true;
  }
  const { userId: actorId, sessionId } = actor;
  const args = { now: deps.clock(), actorId, sessionId, items: toItems(question) };
  const [row] = await readRevised(deps.database, bind(DECIDE_OWN, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return row.isAllowed === 1;
}

function toItems({ resource, needed }: ForwardQuestion): string {
  return JSON.stringify([{ ...resource, ...needed }]);
}

/**
 * Returns the question of a query string: a right and one resource. Anything else asks nothing: what a client manages to
 * add to the question of a proxy must not change it.
 */
function parseForward(query: string): ForwardQuestion | undefined {
  // Before parsing, which takes long for many parameters. So if both are there, neither is repeated.
  if (query.indexOf("&") !== query.lastIndexOf("&")) return undefined;
  const { right, ...named } = Object.fromEntries(new URLSearchParams(query));
  const [[kind, id] = []] = Object.entries(named);
  if (right === undefined || kind === undefined || id === undefined) return undefined;
  const resource = parseNamed(kind, id);
  const needed = resource && findForwardNeeded(resource, right);
  return resource && needed && { right, needed, resource };
}

function parseNamed(kind: string, id: string): ResourceRef | undefined {
  if (kind === "nodeId") return id.isWellFormed() ? { nodeId: id } : undefined;
  const number = parseId(id);
  if (number === undefined) return undefined;
  if (kind === "roleId") return { roleId: number };
  return kind === "deviceId" ? { deviceId: number } : undefined;
}

/** Returns what the right needs. A right on a device is one on a role that monitors it. */
function findForwardNeeded(resource: ResourceRef, right: string): Needed | undefined {
  const onRole = findNeeded("role", right);
  return "roleId" in resource ? onRole : onRole ?? findNeeded("device", right);
}
