import { AppError } from "../core/errors.ts";
import { countToPrincipal } from "../core/request_scope.ts";
import { bind } from "../db/statement.ts";
import type { ThrottleKeys } from "../throttle/networks.ts";
import type { IdentityDeps } from "./deps.ts";
import { FIND_USER_WHO_KNOWS } from "./known_address_queries.ts";

/**
 * Counts the current request to the account of an address if that knows the client, so that it does not wait among
 * strangers. Without it, forty clients of one person would hold up the sign-ins of all others. If the database does not
 * answer, the request goes on as a stranger's.
 */
export async function countIfKnown(
  { database }: Pick<IdentityDeps, "database">,
  { email, addressBucket }: { readonly email: string } & Pick<ThrottleKeys, "addressBucket">,
): Promise<void> {
  try {
    const [known] = await database.read(bind(FIND_USER_WHO_KNOWS, { email, addressBucket }));
    if (known !== undefined) countToPrincipal(known.userId);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "UNAVAILABLE")) throw error;
  }
}
