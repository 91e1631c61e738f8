import * as v from "valibot";
import { SUDO_SECONDS } from "../lifetimes.ts";
import {
  createSignedTokens,
  Identifier,
  type SignedTokenDeps,
  type SignedTokens,
  type TokenKind,
} from "./signed_token.ts";

/** Fresh proof, minutes old at most, that a session's user is present (step-up, RFC 9470). */
export interface SudoTokenInput {
  readonly userId: number;
  readonly sessionId: string;
  /** The account's `security_version` at issue; any later change voids the token. */
  readonly securityVersion: number;
}

type SudoClaims = Omit<SudoTokenInput, "userId">;

export type SudoTokens = SignedTokens<SudoTokenInput, SudoClaims>;

const SUDO_TOKEN: TokenKind<SudoTokenInput, SudoClaims> = {
  typ: "sudo+jwt",
  audiencePath: "/user",
  ttlSeconds: SUDO_SECONDS,
  schema: v.pipe(
    v.object({ sid: Identifier, sv: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) }),
    v.transform(({ sid, sv }) => ({ sessionId: sid, securityVersion: sv })),
  ),
  toPayload: ({ sessionId, securityVersion }) => ({ sid: sessionId, sv: securityVersion }),
};

/**
 * Creates sudo tokens, which are not renewable and bound to a session. Account operations accept them as bearer
 * tokens; operations whose results outlast the session, in `X-Sudo-Token` beside the access token.
 */
export function createSudoTokens(deps: SignedTokenDeps): SudoTokens {
  return createSignedTokens(deps, SUDO_TOKEN);
}
