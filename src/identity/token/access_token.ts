import * as v from "valibot";
import { SECOND_MS } from "../../core/clock.ts";
import { acrOf, amrOf, type Meets, SHOWN } from "../session_proof.ts";
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
  /** What the session has shown (`session_proof.ts`), for `amr`. Default: a password. */
  readonly methods?: number | undefined;
  /** The demand that it meets, for `acr`. Default: none. */
  readonly meets?: Meets | undefined;
}

/**
 * The claims that this service reads. Whether the session still lives, and what it has proved since, is known only from
 * the database.
 */
type AccessClaims = Omit<AccessTokenInput, "userId" | "methods" | "meets">;

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
  toPayload: ({ sessionId, authenticatedAtMs, assuranceLevel, methods = SHOWN.password, meets = 0 }) => ({
    sid: sessionId,
    auth_time: Math.floor(authenticatedAtMs / SECOND_MS),
    aal: assuranceLevel,
    acr: acrOf(meets),
    amr: amrOf(methods),
  }),
};

/** Creates access tokens of type `at+jwt` (RFC 9068). Other services can verify them by the published keys. */
export function createAccessTokens(deps: SignedTokenDeps): AccessTokens {
  return createSignedTokens(deps, ACCESS_TOKEN);
}

/** Access tokens for other services, by audience. */
export type AudienceTokens = ReadonlyMap<string, AccessTokens>;

/** Maximum number of cached verified tokens per audience. */
const REMEMBERED_PER_AUDIENCE = 1000;

/**
 * Creates access tokens for other services (RFC 8707), one set per audience. The `AccessTokens` of this service refuse
 * them, so another service cannot call this one with a token that it received.
 */
export function createAudienceTokens(deps: SignedTokenDeps, audiences: readonly string[]): AudienceTokens {
  return new Map(audiences.map((audience) => [
    audience,
    createAccessTokens({ ...deps, audience, rememberedTokens: REMEMBERED_PER_AUDIENCE }),
  ]));
}
