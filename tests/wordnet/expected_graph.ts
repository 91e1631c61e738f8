import { reachableFrom } from "../model/oracle_rights.ts";

/** A relation from a parent to a child. Bit i of the rights stands for the i-th right. */
export interface ExpectedRelation {
  readonly parentId: number;
  readonly childId: number;
  readonly rights: number;
}

type Relations = Map<number, Map<number, number>>;

const NONE: ReadonlyMap<number, number> = new Map();

/** The roles and relations that the service was told. Knows nothing of how the service keeps them. */
export class ExpectedGraph {
  readonly #selfRights = new Map<number, number>();
  /** Rights by the child, by the parent; and the other way round. */
  readonly #children: Relations = new Map();
  readonly #parents: Relations = new Map();
  #revision = 0;

  /** Counts the changes: what was concluded at another revision may not hold any more. */
  get revision(): number {
    return this.#revision;
  }

  addRole(roleId: number, selfRights: number): void {
    this.#selfRights.set(roleId, selfRights);
    this.#revision++;
  }

  /** Adds a relation, or replaces the one of the same pair. */
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

  /** The roles below one, over relations of any rights; the role itself is not among them. */
  below(roleId: number): Set<number> {
    return reachableFrom(roleId, (id) => this.childrenOf(id));
  }

  /** The roles above one, likewise. */
  above(roleId: number): Set<number> {
    return reachableFrom(roleId, (id) => this.parentsOf(id));
  }
}

function put(relations: Relations, [from, to]: readonly [number, number], rights: number): void {
  const known = relations.get(from);
  if (known === undefined) relations.set(from, new Map([[to, rights]]));
  else known.set(to, rights);
}
