import type { Actor } from "../core/actor.ts";
import { AppError, type ErrorDetail } from "../core/errors.ts";
import { countChecks } from "../core/metrics.ts";
import { readRevised } from "../db/revisions.ts";
import { bind } from "../db/statement.ts";
import { type ExplainInput, explainRight } from "../explain/why/explain_service.ts";
import type { Explanation } from "../explain/why/explanation.ts";
import { type Demand, demandOf } from "../role/authentication_policy.ts";
import { maskOf, RIGHT_NAMES } from "../graph/rights.ts";
import { EVALUATION_STEPS } from "../throttle/limits.ts";
import type { AuthzenDeps } from "./deps.ts";
import { DECIDE, type DecisionsRow, PRICE } from "./evaluation_queries.ts";
import { countReturned, parseItems } from "./evaluation_list.ts";
import {
  type AskedNames,
  findNeeded,
  meetsOf,
  parseResource,
  parseSubject,
  type Question,
  whyUndecidable,
} from "./question.ts";
import type { Evaluation, Evaluations } from "./schemas.ts";
import { toItems } from "./items.ts";

/** A decision as a response has it. */
export interface Decision {
  readonly decision: boolean;
  readonly context: {
    readonly revision: number;
    readonly reason_user?: Explanation;
    /** Why the question can only be denied, whatever is stored. */
    readonly reason?: string;
    /** On a denial: what a session of the subject would have to meet. */
    readonly needs?: Demand;
    readonly error?: { readonly status: 400; readonly message: string };
  };
}

/**
 * Decides one question, and with `context.explain` explains the decision about a right on a role. Throws like `decide`.
 */
export async function evaluate(deps: AuthzenDeps, actor: Actor, evaluation: Evaluation): Promise<Decision> {
  const question = toQuestion(evaluation);
  const explained = evaluation.context?.["explain"] === true
    ? question && findExplained(question)
    : undefined;
  if (explained !== undefined) {
    const explanation = await explainRight(deps, actor, explained);
    const { allowed, revision } = explanation;
    if (!allowed) countChecks(deps.metrics, "evaluation", [false]);
    // An explanation about another subject counts memberships as awake.
    const { decisions: [decision = false], needs: [needs] } = allowed
      ? await decide(deps, actor, [question])
      : NOTHING_DECIDED;
    return { decision, context: { revision, ...(needs && { needs }), reason_user: explanation } };
  }
  const { decisions: [decision = false], needs: [needs], revision } = await decide(deps, actor, [question]);
  return { decision, context: { revision, ...(needs && { needs }), ...reasonOf(evaluation) } };
}

function reasonOf(asked: Asked): { readonly reason?: string } {
  const reason = whyUndecidable(asked);
  return reason === undefined ? {} : { reason };
}

const NOTHING_DECIDED: Pick<Decided, "decisions" | "needs"> = { decisions: [], needs: [] };

/** Returns the question as one about a right, or undefined if it is about something else. */
function findExplained({ subject, resource, needed }: Question): ExplainInput | undefined {
  const right = RIGHT_NAMES.find((name) => maskOf(name) === needed.direct);
  if (right === undefined || !("roleId" in resource)) return undefined;
  return {
    roleId: resource.roleId,
    right,
    subject: "email" in subject ? { userEmail: subject.email } : subject,
  };
}

/**
 * Decides each item of a list, up to the one that ends it. An item with a fault is a denial that names it. Throws like
 * `decide`.
 */
export async function evaluateList(
  deps: AuthzenDeps,
  actor: Actor,
  request: Evaluations,
): Promise<Decision[]> {
  await requireAffordable(deps, actor, request.evaluations?.length ?? 0);
  const items = parseItems(request);
  const questions = items.map((item) => "evaluation" in item ? toQuestion(item.evaluation) : undefined);
  const { decisions, needs, revisions } = await decide(deps, actor, questions);
  const { evaluations_semantic: semantic = "execute_all" } = request.options ?? {};
  return items.slice(0, countReturned(decisions, semantic)).map((item, i) => ({
    decision: decisions[i] === true,
    context: {
      revision: revisions[i] ?? 0,
      ...(needs[i] && { needs: needs[i] }),
      ...("fault" in item ? { error: describeFault(item.fault) } : reasonOf(item.evaluation)),
    },
  }));
}

function describeFault({ path, message }: ErrorDetail): { status: 400; message: string } {
  return { status: 400, message: `${path}: ${message}` };
}

/** A question in a request. */
export interface Asked extends AskedNames {
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** Decisions in the order of the questions. */
export interface Decided {
  readonly decisions: readonly boolean[];
  /** What a session of the subject would have to meet, of denials that are for this reason. */
  readonly needs: readonly (Demand | undefined)[];
  /** The revision of each decision. Decisions of one statement share it. */
  readonly revisions: readonly number[];
  /** The lowest of these revisions. */
  readonly revision: number;
}

/** Returns the question, or undefined if its type or action does not exist: the decision is no. */
export function toQuestion({ subject, action, resource, context }: Asked): Question | undefined {
  const asked = {
    subject: parseSubject(subject),
    resource: parseResource(resource),
    needed: findNeeded(resource.type, action.name),
  };
  if (asked.subject === undefined || asked.resource === undefined || asked.needed === undefined) {
    return undefined;
  }
  return { subject: asked.subject, resource: asked.resource, needed: asked.needed, meets: meetsOf(context) };
}

/**
 * Decides each question by the rules of the service: no for what does not exist, and for other subjects unless the
 * actor sees who has access. Throws `TOKEN_INVALID`, and `EVALUATIONS_TOO_COSTLY` if all would take too long.
 */
export async function decide(
  deps: AuthzenDeps,
  actor: Actor,
  questions: readonly (Question | undefined)[],
): Promise<Decided> {
  const positions = new Map<string, number>();
  const texts = (await toItems(deps, questions.filter((question) => question !== undefined))).values();
  const asked = questions.map((question) => {
    const text = question === undefined ? undefined : texts.next().value;
    if (text === undefined) return undefined;
    if (!positions.has(text)) positions.set(text, positions.size);
    return positions.get(text);
  });
  const items = [...positions.keys()];
  const decided = await decideItems(deps, actor, items);
  const placed = asked.map((position) => position === undefined ? undefined : decided.items[position]);
  const decisions = placed.map((item) => item?.decision === 1);
  countChecks(deps.metrics, "evaluation", decisions);
  return {
    decisions,
    needs: placed.map((item) => item && item.decision < 0 ? demandOf(-item.decision) : undefined),
    revisions: placed.map((item) => item?.revision ?? decided.revision),
    revision: decided.revision,
  };
}

/** Decides items part by part, since a statement judges a bounded number of roles. */
async function decideItems(
  deps: AuthzenDeps,
  actor: Actor,
  items: readonly string[],
): Promise<{ readonly items: readonly { decision: number; revision: number }[]; readonly revision: number }> {
  const decided: { decision: number; revision: number }[] = [];
  for (;;) {
    const row = await readDecisions(deps, actor, `[${items.slice(decided.length).join(",")}]`);
    if (row.decisions === null) throw new AppError("EVALUATIONS_TOO_COSTLY");
    const revision = row.revision ?? 0;
    for (const decision of JSON.parse(row.decisions) as number[]) decided.push({ decision, revision });
    if (decided.length === items.length) {
      return { items: decided, revision: decided[0]?.revision ?? revision };
    }
  }
}

async function readDecisions(
  { database, clock }: AuthzenDeps,
  { userId: actorId, sessionId }: Actor,
  items: string,
): Promise<DecisionsRow> {
  const args = { now: clock(), actorId, sessionId, items };
  const [row] = await readRevised(database, bind(DECIDE, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return row;
}

/** Throws `EVALUATIONS_TOO_COSTLY` for a list that would take too long, and `TOKEN_INVALID`. */
async function requireAffordable(
  { database, clock }: AuthzenDeps,
  actor: Actor,
  count: number,
): Promise<void> {
  const { userId: actorId, sessionId } = actor;
  const [price] = await database.read(bind(PRICE, { now: clock(), actorId, sessionId, count }));
  if (price === undefined) throw new AppError("TOKEN_INVALID");
  if (price.steps > EVALUATION_STEPS) throw new AppError("EVALUATIONS_TOO_COSTLY");
}
