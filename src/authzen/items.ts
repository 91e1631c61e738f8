import { storedNodeIds } from "../device/grant_service.ts";
import type { AuthzenDeps } from "./deps.ts";
import type { Question, ResourceRef } from "./question.ts";

/** Returns questions as entries of `:items` (see `ITEMS`), with nodeIds as they are stored. */
export async function toItems(deps: AuthzenDeps, questions: readonly Question[]): Promise<string[]> {
  const resources = await settleResources(deps, questions.map(({ resource }) => resource));
  return questions.map(({ subject, needed, meets }, i) =>
    JSON.stringify({ ...subject, ...resources[i], ...needed, meets })
  );
}

/** Returns resources with nodeIds as they are stored. */
export async function settleResources(
  deps: AuthzenDeps,
  resources: readonly ResourceRef[],
): Promise<ResourceRef[]> {
  const named = resources.flatMap((resource) => "nodeId" in resource ? [resource.nodeId] : []);
  const stored = (await storedNodeIds(deps, named)).values();
  return resources.map((resource) => "nodeId" in resource ? { nodeId: stored.next().value ?? "" } : resource);
}
