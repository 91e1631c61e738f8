import fc from "fast-check";
import type { TestApp } from "../helpers/test_app.ts";
import { createRole, link, startSmallWorld, unlink } from "./oracle_builder.ts";
import type { GraphRun } from "./oracle_run.ts";
import { ALL_RIGHTS, closureOf, ROLE_MANAGEMENT } from "./oracle_rights.ts";

/** A relation between two roles by their numbers, from a lower to a higher one. */
export interface Edge {
  readonly parent: number;
  readonly child: number;
  readonly rights: number;
}

/** A graph, its relations in another order, and relations that are made first and later replaced or removed. */
export interface Blueprint {
  readonly roles: number;
  readonly edges: readonly Edge[];
  readonly shuffled: readonly Edge[];
  readonly detours: readonly Edge[];
}

export const blueprint: fc.Arbitrary<Blueprint> = fc.integer({ min: 3, max: 8 }).chain((roles) =>
  fc.tuple(edgesBetween(roles), edgesBetween(roles)).chain(([edges, detours]) =>
    fc.record({
      roles: fc.constant(roles),
      edges: fc.constant(edges),
      shuffled: fc.shuffledSubarray(edges, { minLength: edges.length }),
      detours: fc.constant(detours),
    })
  )
);

function edgesBetween(roles: number): fc.Arbitrary<Edge[]> {
  const role = fc.nat({ max: roles - 1 });
  const edge = fc.tuple(role, role, fc.nat({ max: ALL_RIGHTS })).filter(([a, b]) => a !== b)
    .map(([a, b, rights]) => ({ parent: Math.min(a, b), child: Math.max(a, b), rights }));
  return fc.uniqueArray(edge, { maxLength: 14, selector: ({ parent, child }) => `${parent}>${child}` });
}

/**
 * Creates the roles below a root, then the detours, then the edges in the given order, and removes the detours that
 * are not edges. Returns the closure by the names of the roles; every step has compared it with the tables.
 */
export async function buildGraph(
  target: TestApp,
  roles: number,
  edges: readonly Edge[],
  detours: readonly Edge[] = [],
): Promise<string[]> {
  const { run, rootId, adminId } = await startSmallWorld(target);
  const ids: number[] = [];
  for (let i = 0; i < roles; i++) {
    ids.push(await createRole(run, adminId, { parentId: rootId, rights: ROLE_MANAGEMENT, name: `r${i}` }));
  }
  const ends = ({ parent, child }: Edge): { parentId: number; childId: number } => ({
    parentId: ids[parent] ?? 0,
    childId: ids[child] ?? 0,
  });
  for (const edge of [...detours, ...edges]) await link(run, adminId, { ...ends(edge), rights: edge.rights });
  for (const detour of detours) {
    const isWanted = edges.some(({ parent, child }) => parent === detour.parent && child === detour.child);
    if (!isWanted) await unlink(run, adminId, ends(detour));
  }
  return closureByName(run);
}

function closureByName({ world }: GraphRun): string[] {
  const nameOf = (id: number): string => world.roles.get(id)?.name ?? "";
  return [...closureOf(world)].flatMap(([ancestorId, reached]) =>
    [...reached].map(([id, rights]) => `${nameOf(ancestorId)} > ${nameOf(id)}: ${rights}`)
  ).sort();
}
