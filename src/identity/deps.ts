import type { Clock } from "../core/clock.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Database } from "../db/database.ts";
import type { KeyUses } from "./key_uses.ts";
import type { AccessTokens, AudienceTokens } from "./token/access_token.ts";
import type { PartialTokens } from "./token/partial_token.ts";
import type { SudoTokens } from "./token/sudo_token.ts";
import type { TokenKeys } from "./token/token_keys.ts";

/** See `password/hasher.ts`. */
export interface PasswordVerdict {
  readonly ok: boolean;
  readonly needsRehash: boolean;
  readonly isUnreadable: boolean;
}

/** The methods of the password hasher that logins use; see `password/hasher.ts`. */
export interface PasswordVerifier {
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<PasswordVerdict>;
  verifyDummy(password: string): Promise<PasswordVerdict>;
  verifyOwn(password: string, hash: string | null): Promise<boolean>;
  hashLike(text: string, phc: string): Promise<string>;
  requireRoom(password: string): void;
}

/** The dependencies of the identity area. */
export interface IdentityDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly accessTokens: AccessTokens;
  readonly audienceTokens: AudienceTokens;
  readonly sudoTokens: SudoTokens;
  readonly partialTokens: PartialTokens;
  readonly tokenKeys: TokenKeys;
  readonly passwords: PasswordVerifier;
  readonly keyUses: KeyUses;
  /** An origin, without a trailing slash. */
  readonly publicUrl: string;
  readonly metrics?: Metrics | undefined;
}

/** The client of a request. */
export interface Client {
  readonly address: string;
  /** Its User-Agent, shortened. */
  readonly name: string;
}
