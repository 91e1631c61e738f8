import type { Clock } from "../core/clock.ts";
import type { GivenEmail } from "../core/email.ts";
import type { Database } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { FIND_SPELLINGS } from "./user_queries.ts";

interface StoredEmailDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Returns the spelling under which an account has the address, or may take it back: as it was typed, or else another one
 * of the same domain. Without one, the normal spelling. Only accounts from before have another; so an account that is
 * made meanwhile has the one that is returned. Most addresses have one spelling, and are not looked up.
 */
export async function storedEmail(deps: StoredEmailDeps, given: GivenEmail): Promise<string> {
  const [email = given.normal] = await storedEmails(deps, [given]);
  return email;
}

/** Addresses per read. */
const PART = 1000;

/** Returns the spelling of each address, like `storedEmail`. */
export async function storedEmails(
  { database, clock }: StoredEmailDeps,
  list: readonly GivenEmail[],
): Promise<string[]> {
  const several = list.filter(({ spellings }) => spellings.length > 1);
  if (several.length === 0) return list.map(({ normal }) => normal);
  const stored = new Map<GivenEmail | undefined, string>();
  for (let start = 0; start < several.length; start += PART) {
    const part = several.slice(start, start + PART);
    const asked = JSON.stringify(part.map(({ spellings }) => spellings));
    const found = await database.read(bind(FIND_SPELLINGS, { asked, now: clock() }));
    for (const { place, email } of found) stored.set(part[place], email);
  }
  return list.map((given) => stored.get(given) ?? given.normal);
}
