import { toRights } from "../../src/graph/rights.ts";
import { createRandom, randomInteger } from "../../tests/helpers/random_numbers.ts";
import { type ApiClient, forEachAtOnce, RefusedError } from "./api_client.ts";
import type { ExpectedGraph, ExpectedRelation } from "./expected_graph.ts";
import type { PlacedSynset } from "./synsets.ts";

/** Number of concurrent requests; the service writes one at a time anyway. */
const AT_ONCE = 4;
const ROLE_MANAGEMENT = 1;
const ALL_RIGHTS = 63;

export interface BuildOptions {
  readonly client: ApiClient;
  readonly rootId: number;
  readonly synsets: readonly PlacedSynset[];
  readonly seed: number;
  /** Updated with everything sent to the service. */
  readonly expected: ExpectedGraph;
  /** Called after each role and relation. */
  readonly onStep: () => void;
}

export interface BuiltHierarchy {
  /** Role ids by the synsets' offsets. */
  readonly roleIds: ReadonlyMap<string, number>;
  readonly relations: number;
  readonly rolesWithSeveralParents: number;
  /** Relations that would have closed a cycle. The dictionary has a few, and the service accepts none. */
  readonly refused: number;
}

interface CreatedRole {
  readonly role: { readonly id: number };
}

/** A relation to create, with its rights. */
export interface PlannedRelation {
  /** Offset of the hypernym; undefined for the root role. */
  readonly hypernym: string | undefined;
  readonly rights: number;
}

/** The random values of a synset, chosen in the order of the list, whatever the order of the requests. */
export interface PlannedRole {
  readonly synset: PlacedSynset;
  readonly selfRights: number;
  /** The relation created together with the role. */
  readonly first: PlannedRelation;
  readonly further: readonly PlannedRelation[];
}

/** Creates a role for each synset, level by level, and then the relations to its further hypernyms. */
export async function buildHierarchy(options: BuildOptions): Promise<BuiltHierarchy> {
  const planned = planRoles(options.synsets, options.seed);
  const roleIds = new Map<string, number>();
  const deepest = options.synsets.at(-1)?.depth ?? 0;
  for (let depth = 0; depth <= deepest; depth++) {
    const level = planned.filter(({ synset }) => synset.depth === depth);
    await forEachAtOnce(AT_ONCE, level, async (role) => {
      roleIds.set(role.synset.offset, await createRole(options, role, roleIds));
      options.onStep();
    });
  }
  let refused = 0;
  const further = planned.flatMap(({ synset, further }) => further.map((relation) => ({ synset, relation })));
  await forEachAtOnce(AT_ONCE, further, async ({ synset, relation }) => {
    const parentId = roleIds.get(relation.hypernym ?? "") as number;
    const childId = roleIds.get(synset.offset) as number;
    if (!await putRelation(options, { parentId, childId, rights: relation.rights })) refused++;
    options.onStep();
  });
  return {
    roleIds,
    relations: options.synsets.length + further.length - refused,
    rolesWithSeveralParents: planned.filter((role) => role.further.length > 0).length,
    refused,
  };
}

/** The number of requests that `buildHierarchy` sends for the synsets. */
export function countSteps(synsets: readonly PlacedSynset[]): number {
  return planRoles(synsets, 0).reduce((sum, { further }) => sum + 1 + further.length, 0);
}

/** Chooses random rights for the synsets and their relations. */
export function planRoles(synsets: readonly PlacedSynset[], seed: number): PlannedRole[] {
  const random = createRandom(seed);
  const anyRights = (): number => randomInteger(random, ALL_RIGHTS + 1);
  const depths = new Map(synsets.map(({ offset, depth }) => [offset, depth]));
  return synsets.map((synset) => {
    const above = synset.hypernyms.filter((offset) => depths.has(offset));
    const first = above.find((offset) => depths.get(offset) === synset.depth - 1);
    return {
      synset,
      selfRights: anyRights(),
      // Some role must manage it.
      first: { hypernym: first, rights: anyRights() | ROLE_MANAGEMENT },
      further: above.filter((offset) => offset !== first).map((hypernym) => ({
        hypernym,
        rights: anyRights(),
      })),
    };
  });
}

async function createRole(
  { client, rootId, expected }: BuildOptions,
  { synset, selfRights, first }: PlannedRole,
  roleIds: ReadonlyMap<string, number>,
): Promise<number> {
  const parentId = roleIds.get(first.hypernym ?? "") ?? rootId;
  const body = {
    manages: toRights(first.rights),
    role: { name: synset.name, selfRights: toRights(selfRights) },
  };
  const path = `/v1/role?parentRoleId=${parentId}`;
  const { role } = await client.send<CreatedRole>("create a role", "POST", path, body);
  expected.addRole(role.id, selfRights);
  expected.putRelation({ parentId, childId: role.id, rights: first.rights });
  return role.id;
}

async function putRelation({ client, expected }: BuildOptions, relation: ExpectedRelation): Promise<boolean> {
  const { parentId, childId, rights } = relation;
  const path = `/v1/role/${parentId}/manages?childRoleId=${childId}`;
  try {
    await client.send("PUT a relation", "PUT", path, toRights(rights));
  } catch (error) {
    if (error instanceof RefusedError && error.status === 409) return false;
    throw error;
  }
  expected.putRelation(relation);
  return true;
}
