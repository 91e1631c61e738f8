import { reachableFrom } from "../../tests/model/oracle_rights.ts";

/** A relation from a parent to a child. Bit i of `rights` is the i-th right. */
export interface ExpectedRelation {
  readonly parentId: number;
  readonly childId: number;
  readonly rights: number;
}

type Relations = Map<number, Map<number, number>>;

const NONE: ReadonlyMap<number, number> = new Map();

/** The roles and relations that the service should have. Independent of how the service stores them. */
export class ExpectedGraph {
  readonly #selfRights = new Map<number, number>();
  /** Rights by child and parent, and the other way round. */
  readonly #children: Relations = new Map();
  readonly #parents: Relations = new Map();
  #revision = 0;

  /** Incremented by each change; conclusions from another revision may be outdated. */
  get revision(): number {
    return this.#revision;
  }

  addRole(roleId: number, selfRights: number): void {
    this.#selfRights.set(roleId, selfRights);
    this.#revision++;
  }

  /** Adds a relation, or replaces the one between the same roles. */
  putRelation({ parentId, childId, rights }: ExpectedRelation): void {
    put(this.#children, [parentId, childId], rights);
    put(this.#parents, [childId, parentId], rights);
    this.#revision++;
  }

  deleteRelation(parentId: number, childId: number): void {
    this.#children.get(parentId)?.delete(childId);
    this.#parents.get(childId)?.delete(parentId);
    this.#revision++;
  }

  /** Deletes a role and its relations. */
  deleteRole(roleId: number): void {
    for (const childId of [...this.childrenOf(roleId).keys()]) this.deleteRelation(roleId, childId);
    for (const parentId of [...this.parentsOf(roleId).keys()]) this.deleteRelation(parentId, roleId);
    this.#selfRights.delete(roleId);
    this.#revision++;
  }

  hasRole(roleId: number): boolean {
    return this.#selfRights.has(roleId);
  }

  selfRightsOf(roleId: number): number {
    return this.#selfRights.get(roleId) ?? 0;
  }

  /** The rights of the relations to the children, by child. */
  childrenOf(roleId: number): ReadonlyMap<number, number> {
    return this.#children.get(roleId) ?? NONE;
  }

  /** The rights of the relations from the parents, by parent. */
  parentsOf(roleId: number): ReadonlyMap<number, number> {
    return this.#parents.get(roleId) ?? NONE;
  }

  /** The roles below one over relations with any rights, without the role itself. */
  below(roleId: number): Set<number> {
    return reachableFrom(roleId, (id) => this.childrenOf(id));
  }

  /** The roles above one, over relations with any rights, without the role itself. */
  above(roleId: number): Set<number> {
    return reachableFrom(roleId, (id) => this.parentsOf(id));
  }
}

function put(relations: Relations, [from, to]: readonly [number, number], rights: number): void {
  const known = relations.get(from);
  if (known === undefined) relations.set(from, new Map([[to, rights]]));
  else known.set(to, rights);
}
