import { api, dataOf } from "./api.ts";
import { readId } from "./router.ts";
import type { Role } from "./schemas.ts";

/** Maximum number of ids per request. */
export const MOST_IDS = 1000;

const RESULTS = 8;

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

/** Finds the first roles whose names begin with a text, and the role with that id. */
export async function findRoles(text: string, signal: AbortSignal): Promise<Role[]> {
  if (text === "") return [];
  const params = { query: { limit: RESULTS } };
  const id = readId(text);
  const [byId, { role }] = await Promise.all([
    loadRoles(id === undefined ? [] : [id], signal),
    dataOf(api.POST("/v1/role/query", { params, body: { filter: { namePrefix: text } }, signal })),
  ]);
  return [...byId.values(), ...role.filter((each) => !byId.has(each.id))];
}
