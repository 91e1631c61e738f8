import { api, dataOf } from "./api.ts";
import type { Role, Summary } from "./schemas.ts";

/** Maximum number of ids per request. */
export const MOST_IDS = 1000;

/** Loads the visible roles by id. */
export async function loadRoles(
  ids: Iterable<number>,
  signal: AbortSignal | null = null,
): Promise<ReadonlyMap<number, Role>> {
  const id = [...new Set(ids)].slice(0, MOST_IDS);
  if (id.length === 0) return new Map();
  const { role } = await dataOf(api.POST("/v1/role/query", { body: { filter: { id } }, signal }));
  return new Map(role.map((each) => [each.id, each]));
}

/** Loads what is around up to 150 roles, by id. */
export async function loadSummaries(
  id: number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Summary>> {
  if (id.length === 0) return new Map();
  const { summary } = await dataOf(api.POST("/v1/role/summary", { body: { id }, signal }));
  return new Map(summary.map((each) => [each.id, each]));
}
