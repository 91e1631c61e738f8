import { createHash } from "node:crypto";
import type { Database } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { SHARED_ROLES } from "./fence_queries.ts";
import { pairOf, readInParts } from "./known.ts";
import {
  MEMBERS_OF_ROLES,
  type PlaceOfRole,
  PLACES_OF_ROLES,
  type RelationOfRole,
  RELATIONS_BY,
} from "./missing_queries.ts";
import type { ImportPlan } from "./plan.ts";
import type { TableKind } from "./table_header.ts";

/** What may be deleted. A place, the relation of a device, ends if its role and device stay, and keeps its past. */
export type RemovalKind = "membership" | "ended place" | "deleted place" | "relation" | "role";

/** A relation to delete or to end. */
export interface Removal {
  readonly kind: RemovalKind;
  /** The role of a membership or place; the parent of another relation. */
  readonly roleId: number;
  readonly relationId: number;
  /** The role that goes with the relation if it is the last that enters it. */
  readonly childId?: number;
  /** Says what goes. */
  readonly text: string;
}

/** What the files do not name, in the order in which it can be deleted, so that each role goes after those below it. */
export interface Missing {
  readonly removals: readonly Removal[];
  /** Names exactly these. */
  readonly tag: string;
}

/**
 * Finds what of the database the files do not name. Of each kind, it is what the files could name: members and devices
 * of the roles that they name, relations between these, and roles directly below them that have an external id, with
 * roles below those in turn. Accounts are never missing. `kinds` are those of the files.
 *
 * A fence keeps what is outside: of a role that something outside manages, too, only the relations from inside are
 * missing.
 */
export async function findMissing(
  database: Database,
  plan: ImportPlan,
  kinds: ReadonlySet<TableKind>,
  now: number,
): Promise<Missing> {
  const { graph, named } = plan;
  const gone = kinds.has("roles") ? await findMissingRoles(database, plan) : NO_ROLES;
  const rolesWith = (further: ReadonlySet<number>): Set<number> =>
    new Set([...graph.named.keys(), ...further]);
  const removals: Removal[] = [];
  if (kinds.has("members")) {
    const found = await readInParts(
      rolesWith(named.members.roles),
      (list) => database.read(bind(MEMBERS_OF_ROLES, { list, now })),
    );
    for (const { id, roleId, roleName, userId, email } of found) {
      if (named.members.pairs.has(pairOf(roleId, userId))) continue;
      const text = `${email} in ${describe(roleId, roleName)}`;
      removals.push({ kind: "membership", roleId, relationId: id, text });
    }
  }
  if (kinds.has("devices")) {
    const found = await readInParts(
      [...rolesWith(named.devices.roles), ...gone.ids],
      (list) => database.read(bind(PLACES_OF_ROLES, { list, now })),
    );
    for (const place of found) {
      const kind = removalOf(place, plan, gone.ids);
      if (kind === undefined) continue;
      const { id, roleId, roleName, nodeId } = place;
      const text = `device ${JSON.stringify(nodeId)} in ${describe(roleId, roleName)}`;
      removals.push({ kind, roleId, relationId: id, text });
    }
  }
  const all = [...removals, ...gone.relations, ...gone.roles];
  const listed = all.map(({ kind, roleId, relationId }) => [kind, roleId, relationId]);
  const tag = createHash("sha256").update(JSON.stringify(listed)).digest("hex").slice(0, 16);
  return { removals: all, tag };
}

function describe(roleId: number, name: string): string {
  return `role #${roleId} ${JSON.stringify(name)}`;
}

interface MissingRoles {
  readonly ids: ReadonlySet<number>;
  /** Relations between roles that stay. */
  readonly relations: readonly Removal[];
  /** The relations that enter the roles, the lowest roles first. */
  readonly roles: readonly Removal[];
}

const NO_ROLES: MissingRoles = { ids: new Set(), relations: [], roles: [] };

/** Returns the roles of the database that any row refers to. */
function findStaying({ graph, underId, named }: ImportPlan): ReadonlySet<number> {
  const ofRows = [...graph.named].flatMap(([id, parents]) => [id, ...parents]);
  const ofNewRows = graph.relations.flatMap(({ parentId }) => parentId < 0 ? [-parentId] : []);
  const under = underId === undefined ? [] : [underId];
  return new Set([...ofRows, ...ofNewRows, ...under, ...named.members.roles, ...named.devices.roles]);
}

/** Goes down from the roles of rows, level by level. */
async function findMissingRoles(database: Database, plan: ImportPlan): Promise<MissingRoles> {
  const { graph, underId, fenceId } = plan;
  const staying = findStaying(plan);
  const ids = new Set<number>();
  const relations: RelationOfRole[] = [];
  let level: readonly number[] = [
    ...new Set([...graph.named.keys(), ...(underId === undefined ? [] : [underId])]),
  ];
  while (level.length > 0) {
    const found = await readInParts(level, (list) => database.read(bind(RELATIONS_BY.parents, { list })));
    const next = new Set<number>();
    const shared = await readShared(database, fenceId, found.map(({ childId }) => childId));
    for (const relation of found) {
      const { parentId, childId, externalId, isRoot } = relation;
      const parents = graph.named.get(childId);
      if (parents !== undefined) {
        if (!parents.has(parentId)) relations.push(relation);
      } else if (externalId !== null && isRoot === 0 && !staying.has(childId) && !ids.has(childId)) {
        if (shared.has(childId)) relations.push(relation);
        else next.add(childId);
      }
    }
    for (const id of next) ids.add(id);
    level = [...next];
  }
  const entering = Map.groupBy(
    await readInParts(ids, (list) => database.read(bind(RELATIONS_BY.children, { list }))),
    ({ childId }) => childId,
  );
  // A role must not lose its last parent with roleManagement before the others.
  const inOrder = lowestFirst(ids, entering).flatMap((id) =>
    (entering.get(id) ?? []).toSorted((a, b) => a.isManaging - b.isManaging)
  );
  return {
    ids,
    relations: relations.map(({ id, parentId, childId, childName }) => {
      const text = `role #${parentId} manages ${describe(childId, childName)}`;
      return { kind: "relation", roleId: parentId, relationId: id, text };
    }),
    roles: inOrder.map(({ id, parentId, childId, childName, externalId }) => {
      const text = `${describe(childId, childName)}, externalId ${JSON.stringify(externalId)}`;
      return { kind: "role", roleId: parentId, relationId: id, childId, text };
    }),
  };
}

async function readShared(
  database: Database,
  fenceId: number | undefined,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (fenceId === undefined) return new Set();
  const found = await readInParts(
    new Set(ids),
    (list) => database.read(bind(SHARED_ROLES, { list, underId: fenceId })),
  );
  return new Set(found.map(({ id }) => id));
}

/** Orders roles so that each comes after those below it. `entering`: the relations that enter a role. */
function lowestFirst(
  ids: ReadonlySet<number>,
  entering: ReadonlyMap<number, readonly RelationOfRole[]>,
): readonly number[] {
  const below = new Map(Array.from(ids, (id) => [id, 0]));
  const count = (parentId: number, change: 1 | -1): number => {
    const counted = (below.get(parentId) ?? 0) + change;
    below.set(parentId, counted);
    return counted;
  };
  for (const { parentId } of [...entering.values()].flat()) if (ids.has(parentId)) count(parentId, 1);
  const ordered = [...ids].filter((id) => below.get(id) === 0);
  for (const id of ordered) {
    for (const { parentId } of entering.get(id) ?? []) {
      if (ids.has(parentId) && count(parentId, -1) === 0) ordered.push(parentId);
    }
  }
  return ordered;
}

/** Returns what becomes of a place, undefined if it stays. Devices without an external id stay. */
function removalOf(
  { roleId, deviceId, externalId, isClosed, hasBegun }: PlaceOfRole,
  { named }: ImportPlan,
  missingRoles: ReadonlySet<number>,
): "ended place" | "deleted place" | undefined {
  const roles = named.devices.places.get(deviceId);
  if (roles?.has(roleId) || (roles === undefined && externalId === null)) return undefined;
  if (missingRoles.has(roleId)) return "deleted place";
  if (isClosed === 1) return undefined;
  return hasBegun === 1 ? "ended place" : "deleted place";
}
