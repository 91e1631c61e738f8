import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import type { PageRequest } from "../../core/page.ts";
import { readRevised } from "../../db/revisions.ts";
import { bind } from "../../db/statement.ts";
import type { AsOf } from "../../graph/history/as_of.ts";
import { type Manages, type ManagesRow, toManages } from "../../role/manages/manages_service.ts";
import { type Role, toListedRole } from "../../role/role_service.ts";
import { MAX_SUMMARIES, summarizeRoles, type Summary } from "../../role/summary_service.ts";
import { type RoleAccess, toAccess } from "../../lists/access/roles_service.ts";
import {
  MAX_ABOVE,
  MAX_COUNT,
  MAX_RELATIONS,
  type NearRow,
  type NeighbourhoodRow,
  READ_NEIGHBOURHOOD,
  READ_NEIGHBOURHOOD_OF_PERSON,
} from "./neighbourhood_queries.ts";
import { type Around, readPastAround } from "./past_service.ts";
import type { GraphDeps } from "../../graph/deps.ts";

/** A person's access to the roles of a neighbourhood. */
export interface NearPerson {
  readonly access: readonly RoleAccess[];
  /** The roles that they are a direct member of, as far as an explanation would tell the actor. */
  readonly memberOf: readonly number[];
  /** The roles on which the actor may ask what others may do. */
  readonly mayAsk: readonly number[];
}

/** What is around a role, as far as the actor sees it. */
export interface Neighbourhood {
  /** The role, those above it, nearest first, and a page of its children. */
  readonly role: readonly Role[];
  /** The relations that lead to these roles, by id. */
  readonly manages: readonly Manages[];
  /** By id. */
  readonly summary: readonly Summary[];
  /** The roles that the actor is a direct member of. */
  readonly memberOf: readonly number[];
  readonly person?: NearPerson;
  /** Of a past moment: the revision that it stands for. */
  readonly revision?: number;
  /** Whether there may be more roles above, or more such relations. */
  readonly moreAbove: boolean;
  readonly moreManages: boolean;
  /** The place of the last child, if others may follow. */
  readonly next: number | null;
}

export interface NeighbourhoodQuery {
  readonly roleId: number;
  /** Whose access to show as well, a normalized address. */
  readonly userEmail: string | undefined;
  /** The moment to show, in place of now. Nothing is counted then. */
  readonly asOf?: AsOf | undefined;
}

/**
 * What is around a role, in one snapshot; nothing, if the actor does not see it. Only large counts take further reads,
 * and may be of a later revision. Throws `TOKEN_INVALID`, and for a moment the errors of `readPastAround`.
 */
export async function readNeighbourhood(
  deps: GraphDeps,
  actor: Actor,
  query: NeighbourhoodQuery,
  page: PageRequest,
): Promise<Neighbourhood> {
  const { asOf, userEmail } = query;
  const { above, below, manages, ...around } = asOf === undefined
    ? await readAround(deps, actor, query, page)
    : await readPastAround(deps, actor, { ...query, asOf }, page);
  const shown = [...above, ...below];
  return {
    ...around,
    role: shown.map(toListedRole),
    manages: manages.map(toManages).sort(byId),
    summary: asOf === undefined
      ? await summarize(deps, actor, { shown, manages, moreManages: around.moreManages })
      : [],
    memberOf: shown.filter(({ isOwn }) => isOwn).map(({ id }) => id),
    ...userEmail !== undefined && { person: toPerson(above, below) },
  };
}

async function readAround(
  deps: GraphDeps,
  actor: Actor,
  query: NeighbourhoodQuery,
  page: PageRequest,
): Promise<Around> {
  const row = await readRow(deps, actor, query, page);
  const found = (JSON.parse(row.roles) as NearRow[]).toSorted((a, b) => a.place - b.place);
  const [allBelow, allAbove] = [
    found.filter(({ isBelow }) => isBelow),
    found.filter(({ isBelow }) => !isBelow),
  ];
  // The role itself is the first.
  const [above, below] = [allAbove.slice(0, 1 + MAX_ABOVE), allBelow.slice(0, page.limit)];
  const ids = new Set([...above, ...below].map(({ id }) => id));
  const relations = JSON.parse(row.manages) as ManagesRow[];
  const isPageCut = allBelow.length > below.length || row.lastBelow !== null;
  return {
    above,
    below,
    manages: relations.slice(0, MAX_RELATIONS).filter(({ childRoleId }) => ids.has(childRoleId)),
    moreAbove: row.isWalkCut === 1 || allAbove.length > above.length || row.lastAbove !== null,
    moreManages: row.isWalkCut === 1 || row.areParentsCut === 1 || relations.length > MAX_RELATIONS,
    next: isPageCut ? below.at(-1)?.place ?? null : null,
  };
}

async function readRow(
  { database, clock }: GraphDeps,
  { userId: actorId, sessionId }: Actor,
  { roleId, userEmail }: NeighbourhoodQuery,
  page: PageRequest,
): Promise<NeighbourhoodRow> {
  const args = { now: clock(), actorId, sessionId, roleId, ...page };
  const [row] = await readRevised(
    database,
    userEmail === undefined
      ? bind(READ_NEIGHBOURHOOD, args)
      : bind(READ_NEIGHBOURHOOD_OF_PERSON, { ...args, email: userEmail, userId: null, keyId: null }),
  );
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return row;
}

/** What `summarizeRoles` says. It is asked only about roles of which the snapshot does not hold all. */
async function summarize(
  deps: GraphDeps,
  actor: Actor,
  { shown, manages, moreManages }: {
    readonly shown: readonly NearRow[];
    readonly manages: readonly ManagesRow[];
    readonly moreManages: boolean;
  },
): Promise<Summary[]> {
  const summaries = new Map(shown.map(({ id, children, descendants }) => {
    const parents = manages.filter(({ childRoleId }) => childRoleId === id).length;
    return [id, { id, parents, children, descendants }];
  }));
  const cut = shown.filter(({ children, descendants }) =>
    moreManages || children === MAX_COUNT || descendants === MAX_COUNT
  ).map(({ id }) => id);
  for (let i = 0; i < cut.length; i += MAX_SUMMARIES) {
    const counted = await summarizeRoles(deps, actor, cut.slice(i, i + MAX_SUMMARIES));
    for (const summary of counted) summaries.set(summary.id, summary);
  }
  return [...summaries.values()].sort(byId);
}

/**
 * Returns the person's access. Their memberships of roles above lead to the role itself, so a caller who may ask about
 * that may know them, as by an explanation.
 */
function toPerson(above: readonly NearRow[], below: readonly NearRow[]): NearPerson {
  const shown = [...above, ...below];
  const isKnown = ({ isMember, mayAsk, isBelow }: NearRow): boolean =>
    isMember === 1 && (mayAsk === 1 || (isBelow === 0 && above[0]?.mayAsk === 1));
  const access = shown.flatMap(({ id: roleId, name, access, isMember = 0 }) => {
    if (access === null || access === undefined) return [];
    const [rights, endsAt] = access;
    return toAccess({ roleId, name, rights, isDirect: isMember, endsAt });
  });
  return {
    access: access.sort((a, b) => a.roleId - b.roleId),
    memberOf: shown.filter(isKnown).map(({ id }) => id),
    mayAsk: shown.filter(({ mayAsk }) => mayAsk).map(({ id }) => id),
  };
}

function byId(a: { readonly id: number }, b: { readonly id: number }): number {
  return a.id - b.id;
}
