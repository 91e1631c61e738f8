import { forEachRight, RIGHT_NAMES, type RightName, type Rights } from "../../../../graph/rights.ts";
import { rightsOf, type Standing } from "../../picture/standing.ts";
import type {
  AddedRole,
  BoxToBe,
  LineToBe,
  NewRelation,
  Pictured,
  PictureToBe,
} from "../../picture/to_be.ts";
import { NEW_ID } from "../../picture/to_be.ts";
import type { components } from "../../openapi_types.ts";
import { ALL, NONE, type RightsToBe, type SomeRights } from "../../rights.ts";
import type { Member, Role } from "../../schemas.ts";

/** What a change does to the graph, as far as a picture shows it. */
export interface Drawing {
  /** Rights change on this role and on those below it, at most. */
  readonly roleId: number;
  /** Whether they change on that role alone. */
  readonly isAlone?: boolean;
  /** The new name of the role. */
  readonly name?: string | undefined;
  /** The only person whose rights change; undefined if all members' of some roles may. */
  readonly email?: string | undefined;
  /** A relation that is made, or changed, and the roles that it connects as far as they are known. */
  readonly put?: PutRelation | undefined;
  /** A relation that is deleted. */
  readonly deletedId?: number | undefined;
}

interface PutRelation {
  readonly parentRoleId: number;
  readonly childRoleId: number;
  readonly rights: Rights;
  readonly ends?: readonly Role[];
}

/** The viewer, whose own memberships tell what a change does to them. */
export interface Viewer {
  readonly email: string | undefined;
  /** Undefined until loaded. */
  readonly memberships: readonly Member[] | undefined;
}

/** A change that is drawn: without a preview until that is loaded. */
export interface Drawn {
  readonly drawing: Drawing;
  readonly shown: { readonly effect: Effect; readonly deletedNodeIds: readonly number[] } | undefined;
}

type Effect = components["schemas"]["Effect"];
type Direction = keyof RightsToBe;

/** Returns what a change would make of a picture. Rights that may change are marked as unsure, never as lost. */
export function drawToBe({ drawing, shown }: Drawn, now: Pictured, viewer: Viewer): PictureToBe {
  const deleted = new Set(shown?.deletedNodeIds);
  const roles = listAdded(drawing, now, viewer);
  const known = new Set([...now.roles, ...roles.map(({ role }) => role)].map(({ id }) => id));
  const relation = newRelation(drawing, now, known);
  const boxes = new Map<number, BoxToBe>();
  const judged = new Map(now.roles.map(({ id }) => [id, now.standings.get(id) ?? "unknown"]));
  for (const { role: { id }, standing } of roles) {
    if (id === NEW_ID) boxes.set(id, { ...SAME, fate: "new" });
    else judged.set(id, standing ?? "unknown");
  }
  // A name has no effect on rights, so it does not wait for the preview.
  const renamed = now.roles.find(({ id, name }) => id === drawing.roleId && name !== (drawing.name ?? name));
  if (shown !== undefined) {
    const below = listBelow(drawing, relation === undefined ? now.relations : [...now.relations, relation]);
    // Those that roles which are not drawn lead to.
    for (const { roleId } of shown.effect.changes) below.add(roleId);
    const changeOn = judgePerson({ drawing, shown }, now, viewer);
    for (const [id, standing] of judged) {
      const box: BoxToBe = deleted.has(id)
        ? { gained: [], lost: heldIn(standing), fate: "deleted" }
        : below.has(id)
        ? changeOn(id, standing)
        : SAME;
      if (box.fate !== undefined || box.gained.length + box.lost.length > 0) boxes.set(id, box);
    }
  }
  if (renamed !== undefined) {
    boxes.set(renamed.id, { ...boxes.get(renamed.id) ?? SAME, name: drawing.name });
  }
  return { lines: listLines(drawing, now, deleted), boxes, roles, relation };
}

const SAME: BoxToBe = { gained: [], lost: [] };

function heldIn(rights: Standing | SomeRights): RightName[] {
  return RIGHT_NAMES.filter((name) => typeof rights === "object" && rights[name] === true);
}

/** Returns the lines that change: the relation that is put or deleted, and those of deleted roles. */
function listLines(
  { put, deletedId }: Drawing,
  { relations }: Pictured,
  deleted: ReadonlySet<number>,
): Map<number, LineToBe> {
  const lines = new Map<number, LineToBe>();
  for (const relation of relations) {
    const { id, parentRoleId, childRoleId } = relation;
    if (id === deletedId) {
      lines.set(id, { gained: [], lost: heldIn(relation), fate: "deleted" });
    } else if (deleted.has(parentRoleId) || deleted.has(childRoleId)) {
      lines.set(id, { ...SAME, fate: "deleted" });
    } else if (parentRoleId === put?.parentRoleId && childRoleId === put.childRoleId) {
      const gained = heldIn(put.rights).filter((name) => !relation[name]);
      const lost = heldIn(relation).filter((name) => !put.rights[name]);
      if (gained.length + lost.length > 0) lines.set(id, { gained, lost });
    }
  }
  return lines;
}

/** Returns the relation to be drawn in, if it leads between roles that are drawn. */
function newRelation(
  { put }: Drawing,
  { relations }: Pictured,
  drawn: ReadonlySet<number>,
): NewRelation | undefined {
  if (put === undefined || !drawn.has(put.parentRoleId) || !drawn.has(put.childRoleId)) return undefined;
  const { parentRoleId, childRoleId, rights } = put;
  const isThere = relations.some((each) =>
    each.parentRoleId === parentRoleId && each.childRoleId === childRoleId
  );
  return isThere ? undefined : { id: NEW_ID, parentRoleId, childRoleId, ...rights };
}

/** Returns the ends of a new relation that are not drawn, if the other one is. */
function listAdded({ put }: Drawing, now: Pictured, viewer: Viewer): AddedRole[] {
  if (put === undefined) return [];
  const isDrawn = (id: number): boolean => now.roles.some((role) => role.id === id);
  if (!isDrawn(put.parentRoleId) && !isDrawn(put.childRoleId)) return [];
  const isViewer = now.email === undefined || now.email === viewer.email;
  return (put.ends ?? []).filter(({ id }) => !isDrawn(id)).map((role) => ({
    role,
    standing: role.id === NEW_ID ? standingOnNew(put, now, viewer) : isViewer ? role.userRights : undefined,
  }));
}

/** Returns what the person would have on a role that does not exist yet; undefined if that is not known. */
function standingOnNew(
  { parentRoleId, rights }: PutRelation,
  { email, standings, memberOf }: Pictured,
  viewer: Viewer,
): Standing | undefined {
  const standing = standings.get(parentRoleId) ?? "unknown";
  if (standing === "unknown") return undefined;
  const isMember = memberOf.has(parentRoleId);
  const own = email === undefined || email === viewer.email
    ? viewer.memberships?.find(({ roleId }) => roleId === parentRoleId)
    : undefined;
  if (isMember && own === undefined) return undefined;
  const held = rightsOf(standing);
  if (held === undefined) return "none";
  // The members of a role have below it what their memberships carry, whatever they have on the role itself.
  const passed: SomeRights = isMember ? own?.rights ?? ALL : NONE;
  return forEachRight((name) => rights[name] && (passed[name] === true || held[name] === true));
}

/** Returns the drawn roles on which rights may change. */
function listBelow(
  { roleId, isAlone }: Drawing,
  relations: readonly Pick<NewRelation, "parentRoleId" | "childRoleId">[],
) {
  const below = new Set([roleId]);
  if (isAlone) return below;
  // A set can grow while it is walked.
  for (const id of below) {
    for (const { parentRoleId, childRoleId } of relations) if (parentRoleId === id) below.add(childRoleId);
  }
  return below;
}

type Judge = (roleId: number, standing: Standing) => BoxToBe;

/** Returns the function that tells what the person of the picture gains and loses on a role. */
function judgePerson(
  { drawing, shown: { effect } }: { readonly drawing: Drawing; readonly shown: NonNullable<Drawn["shown"]> },
  now: Pictured,
  viewer: Viewer,
): Judge {
  const email = now.email ?? viewer.email;
  const isViewer = email === viewer.email;
  const isConcerned = drawing.email === undefined || drawing.email === email;
  if (!isConcerned || isCutOff(drawing, now)) return () => SAME;
  const told = [...effect.named, ...effect.keeps].find(({ userEmail }) => userEmail === email);
  const possible = {
    gained: possibleRights(effect, "gained", told !== undefined),
    lost: possibleRights(effect, "lost", told !== undefined),
  };
  const own = isViewer ? listOwn(drawing, viewer.memberships) : undefined;
  const isWhole = !effect.truncated && (
    own !== undefined || (told !== undefined && told.others === 0 && effect.hidden === 0)
  );
  return (roleId, standing) => {
    const exact = told?.on.find(({ roleIds }) => roleIds.includes(roleId));
    if (exact !== undefined) return { gained: exact.gained, lost: exact.lost };
    const held = heldIn(standing);
    const { gained, lost, others, isComplete } = own === undefined
      ? UNKNOWN
      : changeByMemberships(effect.changes, roleId, held, own);
    const isSure = isComplete || isWhole ? others.length === 0 : standing === "unknown" || (
      possible.lost.every((name) => lost.includes(name) || !held.includes(name)) &&
      possible.gained.every((name) => gained.includes(name) || held.includes(name))
    );
    return { gained, lost, ...!isSure && { fate: "unsure" } };
  };
}

/** Returns the viewer's memberships. The effect of a change of one of them is not limited by its rights until now. */
function listOwn(
  { roleId, email }: Drawing,
  memberships: readonly Member[] | undefined,
): readonly Own[] | undefined {
  return email === undefined
    ? memberships
    : memberships && [{ roleId }, ...memberships.filter((own) => own.roleId !== roleId)];
}

type Own = Pick<Member, "roleId" | "rights">;

/** Whether the person has no access to the roles from which the relation leads, so that it gives nothing to them. */
function isCutOff({ put, deletedId }: Drawing, { relations, standings }: Pictured): boolean {
  const deleted = relations.find(({ id }) => id === deletedId);
  const parents = [put, deleted].flatMap((each) => each?.parentRoleId ?? []);
  return parents.length > 0 && parents.every((id) => standings.get(id) === "none");
}

/** Returns the rights that a person may gain, or lose, of whom the service does not tell this. */
function possibleRights(
  { named, people, rights, truncated }: Effect,
  direction: Direction,
  isNamed: boolean,
): readonly RightName[] {
  if (truncated) return RIGHT_NAMES;
  const tell = named.filter(({ on }) => on.some((each) => each[direction].length > 0));
  const areAllNamed = tell.length === people[direction] && named.every(({ others }) => others === 0);
  if (areAllNamed && !isNamed) return [];
  return RIGHT_NAMES.filter((name) => rights[name][direction] > 0);
}

/** What memberships tell: rights that are gained or lost for certain, and `others` that may be lost. */
interface ByMemberships {
  readonly gained: readonly RightName[];
  readonly lost: readonly RightName[];
  readonly others: readonly RightName[];
  /** Whether all of them are listed with this role, so that nothing else is gained or lost. */
  readonly isComplete: boolean;
}

const UNKNOWN: ByMemberships = { gained: [], lost: [], others: [], isComplete: false };

/** Returns what a person gains and loses on a role by all their memberships. */
function changeByMemberships(
  changes: Effect["changes"],
  roleId: number,
  held: readonly RightName[],
  memberships: readonly Own[],
): ByMemberships {
  const pairs = changes.filter((pair) => pair.roleId === roleId);
  const changed = memberships.map(({ roleId: actingId, rights }) => {
    const pair = pairs.find(({ actingRoleId }) => actingRoleId === actingId);
    const carries = (name: RightName): boolean => rights === undefined || rights[name];
    return {
      pair,
      carries,
      gained: pair?.gained.filter(carries) ?? [],
      lost: pair?.lost.filter(carries) ?? [],
    };
  });
  const touched = held.filter((name) =>
    changed.some(({ lost }) => lost.includes(name)) && !changed.some(({ gained }) => gained.includes(name))
  );
  // Another membership may carry the right on.
  const lost = touched.filter((name) =>
    changed.every((each) => each.lost.includes(name) || !each.carries(name))
  );
  return {
    gained: RIGHT_NAMES.filter((name) =>
      !held.includes(name) && changed.some(({ gained }) => gained.includes(name))
    ),
    lost,
    others: touched.filter((name) => !lost.includes(name)),
    isComplete: changed.every(({ pair }) => pair !== undefined),
  };
}
