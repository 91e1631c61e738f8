import { stringify } from "csv-stringify/sync";
import { COLUMNS, formatRow, type HierarchyRow } from "../../src/transfer/roles/role_format.ts";
import { ExpectedGraph } from "./expected_graph.ts";
import { planRoles } from "./hierarchy_builder.ts";
import type { PlacedSynset } from "./synsets.ts";

/** A hierarchy to import. */
export interface PlannedImport {
  /** In the order of the file, which is also that of the roles' ids. The keys are the names. */
  readonly rows: readonly HierarchyRow[];
  /** Without the relation from the role that the file is imported under. */
  readonly relations: number;
  readonly rolesWithSeveralParents: number;
  /** Relations left out because they would close a cycle. */
  readonly cycles: number;
}

/** Turns synsets into rows of an import, with random rights determined by the seed. */
export function planImport(synsets: readonly PlacedSynset[], seed: number): PlannedImport {
  const names = new Map(synsets.map(({ offset, name }) => [offset, name]));
  const places = new Map(synsets.map(({ offset }, place) => [offset, place]));
  const graph = new ExpectedGraph();
  const placeOf = (offset: string | undefined): number => places.get(offset ?? "") ?? -1;
  const planned = planRoles(synsets, seed);
  for (const { synset, first } of planned) {
    const [parentId, childId] = [placeOf(first.hypernym), placeOf(synset.offset)];
    graph.putRelation({ parentId, childId, rights: first.rights });
  }
  let cycles = 0;
  const rows = planned.map(({ synset, selfRights, first, further }): HierarchyRow => {
    const childId = placeOf(synset.offset);
    const parents = new Map<string, number>();
    if (first.hypernym !== undefined) parents.set(names.get(first.hypernym) ?? "", first.rights);
    for (const { hypernym, rights } of further) {
      const parentId = placeOf(hypernym);
      if (parentId === childId || graph.above(parentId).has(childId)) {
        cycles++;
        continue;
      }
      graph.putRelation({ parentId, childId, rights });
      parents.set(names.get(hypernym ?? "") ?? "", rights);
    }
    const topRights = first.hypernym === undefined ? first.rights : undefined;
    return { key: synset.name, name: synset.name, selfRights, topRights, parents };
  });
  return {
    rows,
    relations: rows.reduce((sum, { parents }) => sum + parents.size, 0),
    rolesWithSeveralParents: rows.filter(({ parents }) => parents.size > 1).length,
    cycles,
  };
}

/** The rows in the format of `deno task import`. */
export function formatImport(rows: readonly HierarchyRow[]): string {
  return stringify([[...COLUMNS]]) + stringify(rows.map(formatRow), { columns: [...COLUMNS] });
}

/** The graph after an import under a role, given the id of the first imported role. */
export function graphOfImport(
  rows: readonly HierarchyRow[],
  { underId, firstRoleId }: { readonly underId: number; readonly firstRoleId: number },
): ExpectedGraph {
  const graph = new ExpectedGraph();
  graph.addRole(underId, 0b111111);
  const ids = new Map(rows.map(({ key }, i) => [key, firstRoleId + i]));
  for (const [i, { selfRights, topRights, parents }] of rows.entries()) {
    const childId = firstRoleId + i;
    graph.addRole(childId, selfRights);
    if (topRights !== undefined) graph.putRelation({ parentId: underId, childId, rights: topRights });
    for (const [key, rights] of parents) {
      graph.putRelation({ parentId: ids.get(key) ?? NaN, childId, rights });
    }
  }
  return graph;
}
