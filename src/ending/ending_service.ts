import type { SudoActor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { noteRevision, requireClient } from "../db/revisions.ts";
import { bind, pickNamed, type SqlArgs, type Statement } from "../db/statement.ts";
import { runChange } from "../changes/change_service.ts";
import { accepted, type DecisionRow } from "../changes/decision.ts";
import type { RoleDeps } from "../role/deps.ts";
import { isOneOfTags, tagsOf } from "../changes/preview/effect.ts";
import { MAKE, MAX_ROUNDS, type Mode } from "../changes/preview/preview_service.ts";
import { type Rights, type RightsMask, toRights } from "../graph/rights.ts";
import { END_ACCESS, LISTED_RELATIONS } from "./ending_queries.ts";
import { ACCESS_LEFT, type LeftRow } from "./left_queries.ts";

type EndingDeps = Pick<RoleDeps, "database" | "clock" | "secrets" | "storeLimits">;

/** The person: a normalized address, or the id of an account. */
type Named = { readonly userEmail: string } | { readonly userId: number };

export type EndAccessInput = Named & {
  /** The role at and below which to end access. */
  readonly under: number;
  /** Also what the person gave. */
  readonly granted?: boolean | undefined;
};

export interface EndedThing {
  readonly kind: "membership" | "key" | "rolePassword";
  /** Of a membership or key. */
  readonly id?: number;
  readonly roleId: number;
  /** The most that it lets its holder use, or a relation made with it carry. */
  readonly rights: Rights;
  /** ISO 8601. Of a membership or key: its end, if it has one. */
  readonly until?: string;
  /** Of a membership. */
  readonly userEmail?: string | null;
  /** Of a membership that was deleted with its role: the undo of that would have brought it back. */
  readonly inTrash?: true;
  /** Of a key. */
  readonly name?: string;
}

interface RelationLeft {
  readonly id: number;
  /** Null if the actor does not see it. */
  readonly parentRoleId: number | null;
  readonly childRoleId: number;
  readonly rights: Rights;
}

/** What stays when access ends. */
interface Rest {
  readonly relations: readonly RelationLeft[];
  /** Set if there may be more relations. */
  readonly moreRelations?: true;
  readonly left: { readonly roles: number; readonly more?: true };
}

export interface EndedAccess extends Rest {
  readonly ended: readonly EndedThing[];
  /** Only in a preview. */
  readonly effect?: { readonly tag: string; readonly revision: number };
}

interface EndedRow extends DecisionRow {
  /** JSON. */
  readonly members: string;
  readonly passwords: string;
  /** One more than the response lists, if there are more. */
  readonly relations: string;
  /** 1 if not all relations were looked at. */
  readonly more: number | null;
}

type Search = Readonly<{ email: string | null; userId: number | null; roleId: number; granted: number }>;

interface EndedMember {
  readonly id: number;
  readonly roleId: number;
  /** Negative for a key. */
  readonly userId: number;
  readonly userEmail: string | null;
  readonly inTrash: 0 | 1;
  readonly name: string | null;
  readonly rights: RightsMask;
  readonly endsAt: number | null;
}

/**
 * Ends what the actor may end of a person's access at and below a role; see `ending_queries.ts`. Lists the relations
 * that stay, and counts the roles to which they still have access. Throws `SUDO_TOKEN_REQUIRED`, `FORBIDDEN`,
 * `ROOT_WITHOUT_MEMBER`, `TOO_MUCH_TO_END`, and the errors of `changeOrPreview`.
 */
export async function endAccess(
  deps: EndingDeps,
  actor: SudoActor,
  input: EndAccessInput,
  mode: Mode = MAKE,
): Promise<EndedAccess> {
  const search: Search = {
    email: "userEmail" in input ? input.userEmail : null,
    userId: "userId" in input ? input.userId : null,
    roleId: input.under,
    granted: input.granted === true ? 1 : 0,
  };
  const run = async (batch: readonly Statement[], args: SqlArgs): Promise<EndedRow | undefined> => {
    const all = { ...search, sudoVersion: actor.sudoVersion, isPreview: 0, ...args };
    return await runChange<EndedRow>(deps, actor, batch, pickNamed(batch, all));
  };
  if (mode.kind === "make") {
    const row = accepted(await run(END_ACCESS.make, {}));
    const { rest } = await readRest(deps, actor, search, row);
    return { ended: endedOf(row), ...rest };
  }

  const request = JSON.stringify(["access.end", ...Object.values(search)]);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const now = deps.clock();
    const row = accepted(await run(END_ACCESS.preview, { isPreview: 1, now }));
    const { rest, revision, moved } = await readRest(deps, actor, search, row, now);
    if (moved && !(round === MAX_ROUNDS - 1 && mode.kind === "preview")) continue;
    const shown = { ended: endedOf(row), ...rest };
    const tags = await tagsOf(deps.secrets, { actorId: actor.userId, request, effect: shown });
    if (mode.kind === "preview") {
      noteRevision(revision);
      return { ...shown, effect: { tag: tags[0], revision } };
    }
    if (!isOneOfTags(mode.tag, tags)) throw new AppError("EFFECT_CHANGED");
    const since = { sinceRevision: row.revision, sinceTime: now };
    const applied = await run(END_ACCESS.apply, since);
    if (applied?.decision === "moved") continue;
    return { ...shown, ended: endedOf(accepted(applied)) };
  }
  throw new AppError("UNAVAILABLE");
}

function endedOf({ members, passwords }: EndedRow): EndedThing[] {
  const byId = (JSON.parse(members) as EndedMember[]).sort((a, b) => a.id - b.id);
  const ofMembers = byId.map((
    { id, roleId, userId, userEmail, inTrash, name, rights, endsAt },
  ): EndedThing => ({
    ...(userId > 0
      ? { kind: "membership", id, roleId, userEmail, ...(inTrash === 1 ? { inTrash: true } : {}) }
      : { kind: "key", id, roleId, name: name ?? "" }),
    rights: toRights(rights),
    ...(endsAt === null ? {} : { until: new Date(endsAt).toISOString() }),
  }));
  const ofPasswords = (JSON.parse(passwords) as { roleId: number; rights: RightsMask }[]).map((
    { roleId, rights },
  ): EndedThing => ({ kind: "rolePassword", roleId, rights: toRights(rights) }));
  return [...ofMembers, ...ofPasswords];
}

/** Maximum number of statements that look up roles of a response. */
const MAX_PAGES = 10;

/**
 * Returns the relations that stay, and counts the roles to which the person has access without what the row ends. Reads
 * outside the write lock. `moved`: the graph may have changed since the decision, which was made at `sinceTime`. Throws
 * `TOKEN_INVALID` if the session has ended, and the error of `requireClient`.
 */
async function readRest(
  { database, clock }: EndingDeps,
  { userId: actorId, sessionId }: SudoActor,
  { granted: _, ...person }: Search,
  row: EndedRow,
  sinceTime = clock(),
): Promise<{ rest: Rest; revision: number; moved: boolean }> {
  const endedIds = JSON.stringify((JSON.parse(row.members) as EndedMember[]).map(({ id }) => id));
  const args = { actorId, sessionId, ...person, endedIds, sinceRevision: row.revision, sinceTime };
  let [roles, afterId, moved, { revision }]: [number, number | null, boolean, EndedRow] = [0, -1, false, row];
  for (let page = 0; page < MAX_PAGES && afterId !== null; page++) {
    requireClient();
    const [left]: LeftRow[] = await database.read(bind(ACCESS_LEFT, { ...args, now: clock(), afterId }));
    if (left === undefined) throw new AppError("TOKEN_INVALID");
    roles += left.roles;
    afterId = left.lookedTo;
    revision = left.revision;
    moved ||= left.moved === 1;
  }
  const relations = JSON.parse(row.relations) as (Omit<RelationLeft, "rights"> & { rights: RightsMask })[];
  const shown = relations.sort((a, b) => a.id - b.id).slice(0, LISTED_RELATIONS);
  return {
    rest: {
      relations: shown.map(({ rights, ...relation }) => ({ ...relation, rights: toRights(rights) })),
      ...(row.more === 1 || relations.length > shown.length ? { moreRelations: true } : {}),
      left: { roles, ...(afterId === null ? {} : { more: true }) },
    },
    revision,
    moved,
  };
}
