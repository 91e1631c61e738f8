import type { IdentityDeps } from "../../../identity/deps.ts";
import type { RelyingParty } from "./rules.ts";

/** The dependencies of the passkey area. */
export interface PasskeyDeps extends IdentityDeps {
  readonly relyingParty: RelyingParty;
}
