import { countToPrincipal, isStrangerAsking } from "../core/request_scope.ts";
import { FULL, GAVE_WAY } from "../core/shares.ts";
import { bind } from "../db/statement.ts";
import type { ThrottleKeys } from "../throttle/networks.ts";
import type { IdentityDeps } from "./deps.ts";
import { FIND_USER_WHO_KNOWS } from "./known_address_queries.ts";

/**
 * Runs a write that concerns the account of an address. If it is refused because too many strangers wait, but the
 * account knows the client, counts the request to the user and retries once.
 */
export async function retryAsKnown<T>(
  { database }: Pick<IdentityDeps, "database">,
  { email, addressBucket }: { readonly email: string } & Pick<ThrottleKeys, "addressBucket">,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if ((error !== FULL && error !== GAVE_WAY) || !isStrangerAsking()) throw error;
    const [known] = await database.read(bind(FIND_USER_WHO_KNOWS, { email, addressBucket }));
    if (known === undefined) throw error;
    countToPrincipal(known.userId);
    return await write();
  }
}
