import { AppError } from "../core/errors.ts";
import { countToPrincipal, isStrangerAsking } from "../core/request_scope.ts";
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
    const isFull = error instanceof AppError && error.code === "UNAVAILABLE";
    if (!isFull || !isStrangerAsking()) throw error;
    const [known] = await database.read(bind(FIND_USER_WHO_KNOWS, { email, addressBucket }));
    if (known === undefined) throw error;
    countToPrincipal(known.userId);
    return await write();
  }
}
