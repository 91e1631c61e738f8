import { api, dataOf } from "./api.ts";
import type { components } from "./openapi_types.ts";

/** What those who manage all roles of a person are told of the account. */
export type AccountTold = components["schemas"]["Person"];

/** Maximum number of accounts in a request. */
const MOST = 50;

/** Loads what is told of accounts, by id. Those with a role that the viewer does not manage are missing. */
export async function loadAccounts(
  userIds: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, AccountTold>> {
  const ids = [...new Set(userIds)];
  const parts = Array.from(
    { length: Math.ceil(ids.length / MOST) },
    (_, i) => ids.slice(i * MOST, (i + 1) * MOST),
  );
  const lists = await Promise.all(
    parts.map((userId) => dataOf(api.POST("/v1/person/query", { body: { userId }, signal }))),
  );
  return new Map(lists.flatMap(({ person }) => person.map((told) => [told.userId, told] as const)));
}
