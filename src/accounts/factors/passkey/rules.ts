import { SECOND_MS } from "../../../core/clock.ts";

/** Maximum number of passkeys of an account. */
export const PASSKEYS_PER_ACCOUNT = 20;

/** How long a challenge can be answered, in milliseconds. */
export const CHALLENGE_MS = 300 * SECOND_MS;

/** The algorithms of new passkeys: Ed25519, ES256 and RS256 (IANA COSE Algorithms), the most wanted first. */
export const ALGORITHMS: number[] = [-8, -7, -257];

/** The service as authenticators know it. */
export interface RelyingParty {
  /** The domain that passkeys are bound to. */
  readonly id: string;
  /** The service's name, as authenticators show it. */
  readonly name: string;
  /** The origins of the pages on which passkeys may be used. */
  readonly origins: readonly string[];
}
