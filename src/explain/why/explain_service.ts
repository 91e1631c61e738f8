import { type Actor, principalOfKey } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind, bindNamed, type SqlArgs } from "../../db/statement.ts";
import { demandOf } from "../../role/authentication_policy.ts";
import { STEP_UP_LEVELS } from "../../graph/rules/step_up_queries.ts";
import { type AsOf, momentArgs, readMoment } from "../../graph/history/as_of.ts";
import type { LineageRelation } from "../../graph/history/lineage.ts";
import { maskOf, NO_RIGHTS, type RightsMask } from "../../graph/rights.ts";
import { type LineageRow, READ_LINEAGE, READ_NAMES, READ_VIEW } from "./explain_queries.ts";
import {
  type Answer,
  type Explained,
  type Explanation,
  findLoss,
  rolesOf,
  showAnswer,
} from "./explanation.ts";
import { findWays, type Lineage, MAX_WAYS, type Membership, type Ways } from "./ways.ts";
import type { GraphDeps } from "../../graph/deps.ts";

/**
 * The principal whose right is explained. `userEmail` is normalized; `principalId` is the id of an account, or minus a
 * key's.
 */
export type Subject =
  | { readonly userEmail: string }
  | { readonly keyId: number }
  | { readonly principalId: number };

export interface ExplainInput {
  readonly roleId: number;
  readonly right: Explained;
  /** By default the actor. */
  readonly subject?: Subject | undefined;
  readonly asOf?: AsOf | undefined;
}

interface FoundAnswer extends Answer {
  readonly isOwn: boolean;
}

/**
 * Explains a right on a role: the ways on which it gets through or is lost, and the least to widen. Actors may ask
 * about themselves, and as managers of the role about others; otherwise the role counts as unknown. Throws
 * `BEFORE_HISTORY`, `MALFORMED_REQUEST` for a future moment, and `LINEAGE_TOO_LARGE` for too many past relations.
 */
export async function explainRight(
  deps: GraphDeps,
  { userId: actorId, sessionId }: Actor,
  input: ExplainInput,
): Promise<Explanation> {
  // The second read tells what the actor sees and may do. If that has changed in between, the later state counts.
  const acting = { now: deps.clock(), actorId, sessionId };
  const answer = await findAnswer(deps, "actor", input, {
    ...acting,
    ...subjectArgs(input.subject, actorId),
  });
  if (answer === undefined) throw new AppError("TOKEN_INVALID");
  const roleIds = rolesOf(answer);
  if (roleIds.length === 0) return showAnswer(answer, NO_VIEW);
  const loss = findLoss(answer);
  const member = loss?.isLostAtMember ? loss.membership : undefined;
  const [view] = await readRevised(
    deps.database,
    bind(READ_VIEW, {
      ...acting,
      roleIds: JSON.stringify(roleIds),
      ownIds: JSON.stringify(answer.isOwn ? roleIds : []),
      relationIds: JSON.stringify(loss?.lostAt.map(([id]) => id) ?? []),
      roleId: loss?.isLostAtRole ? input.roleId : null,
      memberId: member?.id ?? null,
      memberRoleId: member?.roleId ?? null,
      right: toMask(input.right),
    }),
  );
  if (view === undefined) throw new AppError("TOKEN_INVALID");
  return showAnswer(answer, {
    names: new Map(JSON.parse(view.roles) as [number, string][]),
    seesMember: answer.isOwn || view.seesMember === 1,
    mayWiden: {
      relations: new Set(JSON.parse(view.relationIds) as number[]),
      role: view.mayWidenRole === 1,
      member: view.mayWidenMember === 1,
    },
  });
}

/** Explains a right to the administrator, who sees all of it, and may widen it. */
export async function explainToAdministrator(
  deps: GraphDeps,
  input: ExplainInput & { readonly subject: Subject },
): Promise<Explanation> {
  const args = { now: deps.clock(), ...subjectArgs(input.subject, 0) };
  const answer = await findAnswer(deps, "administrator", input, args);
  if (answer === undefined) throw new TypeError("A read without conditions returned nothing");
  const [row] = await deps.database.read(
    bind(READ_NAMES, { roleIds: JSON.stringify(rolesOf(answer)) }),
  );
  const relations = new Set(findLoss(answer)?.lostAt.map(([id]) => id));
  return showAnswer(answer, {
    names: new Map(JSON.parse(row?.roles ?? "[]") as [number, string][]),
    seesMember: true,
    mayWiden: { relations, role: true, member: true },
  });
}

/** Every relation carries the empty mask, so that of access itself. */
function toMask(right: Explained): RightsMask {
  return right === "member" ? NO_RIGHTS : maskOf(right);
}

const NO_VIEW = {
  names: new Map(),
  seesMember: false,
  mayWiden: { relations: new Set<number>(), role: false, member: false },
};

function subjectArgs(subject: Subject | undefined, actorId: number): SqlArgs {
  if (subject === undefined) return { subjectEmail: null, subjectId: actorId };
  if ("userEmail" in subject) return { subjectEmail: subject.userEmail, subjectId: null };
  const subjectId = "keyId" in subject ? principalOfKey(subject.keyId) : subject.principalId;
  return { subjectEmail: null, subjectId };
}

/** Returns undefined if the session has ended. */
async function findAnswer(
  { database }: GraphDeps,
  asker: keyof typeof READ_LINEAGE,
  { roleId, right, asOf }: ExplainInput,
  who: SqlArgs,
): Promise<FoundAnswer | undefined> {
  const mask = toMask(right);
  const args = { ...who, roleId, right: mask };
  if (asOf === undefined) {
    const [row] = await readRevised(database, bindNamed(READ_LINEAGE[asker].now, args));
    if (row === undefined) return undefined;
    const { isAllowed, revision } = row;
    return { ...toAnswer(row, roleId, right), allowed: isAllowed === 1, revision: revision ?? 0 };
  }
  const statement = bindNamed(READ_LINEAGE[asker].then, { ...args, ...momentArgs(asOf) });
  const row = await readMoment(database, statement);
  if (row === undefined) return undefined;
  const answer = toAnswer(row, roleId, right);
  // Without the closure, an answer needs all relations.
  if (answer.isCut) throw new AppError("LINEAGE_TOO_LARGE");
  return { ...answer, allowed: answer.ways.open.length > 0, revision: row.momentRevision };
}

function toAnswer(
  row: LineageRow,
  roleId: number,
  right: Explained,
): Omit<FoundAnswer, "allowed" | "revision"> {
  const lineage = {
    roleId,
    selfRights: row.selfRights ?? NO_RIGHTS,
    relations: JSON.parse(row.relations) as LineageRelation[],
    memberships: JSON.parse(row.memberships) as Membership[],
  };
  const mask = toMask(right);
  return {
    roleId,
    right,
    isOwn: row.isOwn === 1,
    isCut: row.isCut === 1,
    ...findWaysOfSession(lineage, mask),
  };
}

/**
 * Finds the ways of the memberships that count in the session. If only dormant ones let the right through, their ways
 * are the first blocked ones, and `stepUp` is the demand to meet.
 */
function findWaysOfSession(lineage: Lineage, mask: RightsMask): Pick<Answer, "ways" | "stepUp"> {
  const { memberships } = lineage;
  const dormant = memberships.filter(({ isDormant }) => isDormant === 1);
  const awake = memberships.filter(({ isDormant }) => isDormant !== 1);
  const among = (some: readonly Membership[]): Ways => findWays({ ...lineage, memberships: some }, mask);
  const ways = among(awake);
  if (dormant.length === 0 || ways.open.length > 0) return { ways };
  for (const level of STEP_UP_LEVELS) {
    const { open } = among(dormant.filter(({ needs = 0 }) => needs <= level));
    if (open.length === 0) continue;
    return {
      ways: { open: [], blocked: [...open, ...ways.blocked].slice(0, MAX_WAYS) },
      stepUp: demandOf(level),
    };
  }
  return { ways: among(memberships) };
}
