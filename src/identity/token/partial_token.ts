import * as v from "valibot";
import {
  createSignedTokens,
  Identifier,
  type SignedTokenDeps,
  type SignedTokens,
  type TokenKind,
} from "./signed_token.ts";

/** A login with a right password and a missing second factor. */
export interface PartialTokenInput {
  readonly userId: number;
  readonly partialLoginId: string;
}

type PartialClaims = Omit<PartialTokenInput, "userId">;

export type PartialTokens = SignedTokens<PartialTokenInput, PartialClaims>;

const PARTIAL_TOKEN: TokenKind<PartialTokenInput, PartialClaims> = {
  typ: "partial+jwt",
  audiencePath: "/user",
  ttlSeconds: 600,
  schema: v.pipe(v.object({ pid: Identifier }), v.transform(({ pid }) => ({ partialLoginId: pid }))),
  toPayload: ({ partialLoginId }) => ({ pid: partialLoginId }),
};

export const PARTIAL_TOKEN_TTL_SECONDS = PARTIAL_TOKEN.ttlSeconds;

/** Creates partial tokens, which only the operations that complete a login accept. */
export function createPartialTokens(deps: SignedTokenDeps): PartialTokens {
  return createSignedTokens(deps, PARTIAL_TOKEN);
}
