import { type Hidden, NONE_HIDDEN } from "../../picture/hidden.ts";
import { isCapped } from "../../texts/plural.ts";
import type { Manages, Role } from "../../schemas.ts";
import type { Neighbourhood } from "./neighbourhood.ts";

/** Levels above the focus that are drawn at first, unless they have more than so many roles. The first one always is. */
const LEVELS = 4;
const MOST_ABOVE = 40;

/** What of a neighbourhood is drawn. */
export interface Shown {
  readonly neighbourhood: Neighbourhood;
  readonly roles: readonly Role[];
  /** Those between these roles. */
  readonly relations: readonly Manages[];
  /** By role: parents and children that are not drawn. */
  readonly hidden: ReadonlyMap<number, Hidden>;
  readonly above: Above;
}

/** The roles above that one box stands for. */
export interface Above {
  /** How many are known. */
  readonly count: number;
  /** Whether there are more than that. */
  readonly isMore: boolean;
  /** Whether they can be drawn. Otherwise they are parents of the focus, of which it has too many. */
  readonly canOpen: boolean;
  /** The drawn roles that they lead to; none if nothing is above. */
  readonly leadsTo: readonly number[];
}

/** The nearest levels above the focus or all that are known, the focus, and the children that are known. */
export function chooseShown(neighbourhood: Neighbourhood, areAllLevels: boolean): Shown {
  const { focusId, relations, summaries } = neighbourhood;
  const levels = findLevels(neighbourhood);
  const known = [...neighbourhood.roles.values()];
  const nearest = countNearest([...levels.values()]);
  const roles = known.filter(({ id }) => areAllLevels || (levels.get(id) ?? 0) <= nearest);
  const ids = new Set(roles.map(({ id }) => id));
  const drawn = relations.filter((each) => ids.has(each.parentRoleId) && ids.has(each.childRoleId));
  const hidden = new Map(roles.map(({ id }) => {
    const summary = summaries.get(id);
    // Nothing is counted in the past.
    if (summary === undefined) return [id, NONE_HIDDEN];
    const { parents, children } = summary;
    return [id, {
      parents: parents - drawn.filter(({ childRoleId }) => childRoleId === id).length,
      children: children - drawn.filter(({ parentRoleId }) => parentRoleId === id).length,
      isLeast: isCapped(children),
    }];
  }));
  const canOpen = known.some(({ id }) => levels.has(id) && !ids.has(id));
  const hasHiddenParents = (id: number): boolean => (hidden.get(id)?.parents ?? 0) > 0;
  const above = {
    count: canOpen
      ? [...levels.keys()].filter((id) => !ids.has(id)).length
      : hidden.get(focusId)?.parents ?? 0,
    isMore: canOpen && [...levels.keys()].some((id) => hasUnknownParents(neighbourhood, id)),
    canOpen,
    // Of other roles, a click leads to what is above them.
    leadsTo: [...levels.keys()].filter((id) => hasHiddenParents(id) && (canOpen || id === focusId)),
  };
  return { neighbourhood, roles, relations: drawn, hidden, above };
}

/** How far the focus, and each role above it, is from the focus. */
function findLevels({ focusId, relations }: Neighbourhood): Map<number, number> {
  const entering = Map.groupBy(relations, ({ childRoleId }) => childRoleId);
  const levels = new Map([[focusId, 0]]);
  // A map can grow while it is walked.
  for (const [id, level] of levels) {
    for (const { parentRoleId } of entering.get(id) ?? []) {
      if (!levels.has(parentRoleId)) levels.set(parentRoleId, level + 1);
    }
  }
  return levels;
}

/** How many levels are drawn at first. */
function countNearest(levels: readonly number[]): number {
  const countUpTo = (most: number): number => levels.filter((level) => level > 0 && level <= most).length;
  let nearest = 1;
  while (nearest < LEVELS && countUpTo(nearest + 1) <= MOST_ABOVE) nearest++;
  return nearest;
}

function hasUnknownParents({ relations, summaries }: Neighbourhood, id: number): boolean {
  const known = relations.filter(({ childRoleId }) => childRoleId === id).length;
  return (summaries.get(id)?.parents ?? Infinity) > known;
}
