import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { PageRequest } from "../../core/page.ts";
import type { Database } from "../../db/database.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import { type AsOf, momentArgs, readMoment } from "../../graph/history/as_of.ts";
import type { LineageRelation } from "../../graph/history/lineage.ts";
import type { ManagesRow } from "../../role/manages/manages_service.ts";
import { NO_RIGHTS, type RightsMask } from "../../graph/rights.ts";
import { accessThen, type PastMembership } from "../../lists/access/roles_service.ts";
import { MAX_ABOVE, MAX_RELATIONS, type NearRow } from "./neighbourhood_queries.ts";
import { type PastAroundRow, READ_PAST_AROUND, READ_SEEN_THEN, type SeenThenRow } from "./past_queries.ts";

/** Maximum number of roles above of which it is asked whether the actor sees them, and of further parents of children. */
const MAX_ASKED = 1000;

/** The roles to show and what leads to them, of now or of a past moment. */
export interface Around {
  /** The role, and those above it, nearest first. */
  readonly above: readonly NearRow[];
  readonly below: readonly NearRow[];
  readonly manages: readonly ManagesRow[];
  readonly moreAbove: boolean;
  readonly moreManages: boolean;
  readonly next: number | null;
  /** Of a past moment: the revision that it stands for. */
  readonly revision?: number;
}

interface PastQuery {
  readonly roleId: number;
  readonly userEmail: string | undefined;
  readonly asOf: AsOf;
}

/**
 * What was around a role at a past moment, of what the actor sees now. Throws `TOKEN_INVALID`, the errors of
 * `readMoment`, and `LINEAGE_TOO_LARGE` for too many relations.
 */
export async function readPastAround(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { userId: actorId, sessionId }: Actor,
  { roleId, userEmail, asOf }: PastQuery,
  page: PageRequest,
): Promise<Around> {
  const acting = { now: clock(), actorId, sessionId, email: userEmail ?? null, userId: null, keyId: null };
  const row = await readMoment(
    database,
    bind(READ_PAST_AROUND, { ...acting, ...momentArgs(asOf), roleId, ...page }),
  );
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const revision = row.momentRevision;
  if (row.isThere === 0) return { ...NOTHING, revision };
  if (row.isCut === 1) throw new AppError("LINEAGE_TOO_LARGE");
  const relations = JSON.parse(row.relations) as LineageRelation[];
  const found = JSON.parse(row.children) as [place: number, id: number][];
  const children = found.slice(0, page.limit);
  const above = rolesAbove(roleId, relations);
  const near = new Set([...children.map(([, id]) => id), ...above]);
  const further = new Set(
    relations.flatMap(([, parentId, childId]) => near.has(childId) && !near.has(parentId) ? [parentId] : []),
  );
  // The role itself first: the statement may not judge all.
  const asked = [
    roleId,
    ...children.map(([, id]) => id),
    ...above.slice(1, MAX_ASKED),
    ...[...further].slice(0, MAX_ASKED),
  ];
  const [view] = await readRevised(
    database,
    bind(READ_SEEN_THEN, { ...acting, roleIds: JSON.stringify(asked), asOfRevision: revision }),
  );
  if (view === undefined) throw new AppError("TOKEN_INVALID");
  const seen = new Map((JSON.parse(view.roles) as SeenThenRow[]).map((role) => [role.id, role]));
  const { lastPlace } = view;
  const isCut = lastPlace !== null;
  // The children follow the role. A page goes on at least with the first, so that the next one is another.
  const judged = isCut ? children.slice(0, Math.max(1, lastPlace)) : children;
  const toNear = nearRows(row, relations, seen);
  const seenAbove = above.flatMap((id, place) => toNear(id, place + 1, 0));
  const nearAbove = seenAbove.slice(0, 1 + MAX_ABOVE);
  const below = judged.flatMap(([place, id]) => toNear(id, place, 1));
  const shown = new Set([...nearAbove, ...below].map(({ id }) => id));
  const leading = relations.flatMap(([id, parentRoleId, childRoleId, rights]) =>
    seen.has(parentRoleId) && shown.has(childRoleId) ? [{ id, parentRoleId, childRoleId, rights }] : []
  );
  const isPageCut = found.length > judged.length;
  return {
    above: nearAbove,
    below,
    manages: leading.slice(0, MAX_RELATIONS),
    moreAbove: isCut || above.length > MAX_ASKED || seenAbove.length > nearAbove.length,
    moreManages: isCut || further.size > MAX_ASKED || leading.length > MAX_RELATIONS,
    next: isPageCut ? judged.at(-1)?.[0] ?? null : row.lookedTo,
    revision,
  };
}

const NOTHING = { above: [], below: [], manages: [], moreAbove: false, moreManages: false, next: null };

/** Returns the role and those above it, nearest first. */
function rolesAbove(roleId: number, relations: readonly LineageRelation[]): number[] {
  const entering = Map.groupBy(relations, ([, , childId]) => childId);
  const above = new Set([roleId]);
  // A set can grow while it is walked.
  for (const id of above) for (const [, parentId] of entering.get(id) ?? []) above.add(parentId);
  return [...above];
}

/** Returns how a role is shown, with the rights of the actor and the person then; nothing if the actor does not see it. */
function nearRows(
  row: PastAroundRow,
  relations: readonly LineageRelation[],
  seen: ReadonlyMap<number, SeenThenRow>,
): (id: number, place: number, isBelow: 0 | 1) => NearRow[] {
  const held = JSON.parse(row.held) as [isPerson: 0 | 1, ...PastMembership][];
  const roles = [...seen.values()].map(({ id, name, selfRights }) => [id, name, selfRights] as const);
  const accessOf = (whose: 0 | 1) => {
    const mine = held.flatMap(([isPerson, ...membership]) => isPerson === whose ? [membership] : []);
    return new Map(accessThen(roles, mine, relations).map((access) => [access.roleId, access]));
  };
  const [own, theirs] = [accessOf(0), accessOf(1)];
  const rightsOf = (id: number): RightsMask => own.get(id)?.rights ?? NO_RIGHTS;
  return (id, place, isBelow) => {
    const role = seen.get(id);
    if (role === undefined) return [];
    const access = theirs.get(id);
    return [{
      ...role,
      externalId: null,
      userRights: rightsOf(id),
      isBelow,
      place,
      children: 0,
      descendants: 0,
      isOwn: own.get(id)?.isDirect === 1 ? 1 : 0,
      access: role.mayAsk === 1 && access !== undefined ? [access.rights, access.endsAt] : null,
      isMember: access?.isDirect === 1 ? 1 : 0,
    }];
  };
}
