import * as v from "valibot";
import { SECOND_MS } from "../../core/clock.ts";
import {
  createSignedTokens,
  Identifier,
  Seconds,
  type SignedTokenDeps,
  type SignedTokens,
  type TokenKind,
} from "./signed_token.ts";

/** Authenticator assurance level: 1 with a password alone, 2 with a second factor. */
export type AssuranceLevel = 1 | 2;

export interface AccessTokenInput {
  readonly userId: number;
  readonly sessionId: string;
  readonly authenticatedAtMs: number;
  readonly assuranceLevel: AssuranceLevel;
}

/** The claims specific to access tokens. Only the database knows whether the session still lives. */
type AccessClaims = Omit<AccessTokenInput, "userId">;

export type AccessTokens = SignedTokens<AccessTokenInput, AccessClaims>;

const ACCESS_TOKEN: TokenKind<AccessTokenInput, AccessClaims> = {
  typ: "at+jwt",
  audiencePath: "",
  ttlSeconds: 600,
  schema: v.pipe(
    v.object({ sid: Identifier, aal: v.picklist([1, 2]), auth_time: Seconds }),
    v.transform(({ sid, aal, auth_time: authTime }) => ({
      sessionId: sid,
      assuranceLevel: aal,
      authenticatedAtMs: authTime * SECOND_MS,
    })),
  ),
  toPayload: ({ sessionId, authenticatedAtMs, assuranceLevel }) => ({
    sid: sessionId,
    auth_time: Math.floor(authenticatedAtMs / SECOND_MS),
    aal: assuranceLevel,
  }),
};

/** Creates access tokens: type `at+jwt` (RFC 9068), which other services can verify themselves. */
export function createAccessTokens(deps: SignedTokenDeps): AccessTokens {
  return createSignedTokens(deps, ACCESS_TOKEN);
}

/** Access tokens for other services, by audience. */
export type AudienceTokens = ReadonlyMap<string, AccessTokens>;

/** Maximum number of cached verified tokens per audience. */
const REMEMBERED_PER_AUDIENCE = 1000;

/**
 * Creates access tokens for other services (RFC 8707), one set per audience. This service's `AccessTokens` refuse
 * them, so that such a service cannot use a token here.
 */
export function createAudienceTokens(deps: SignedTokenDeps, audiences: readonly string[]): AudienceTokens {
  return new Map(audiences.map((audience) => [
    audience,
    createAccessTokens({ ...deps, audience, rememberedTokens: REMEMBERED_PER_AUDIENCE }),
  ]));
}
