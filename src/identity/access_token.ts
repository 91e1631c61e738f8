import { jwtVerify, type JWTVerifyGetKey, SignJWT } from "jose";
import * as v from "valibot";
import { type Clock, SECOND_MS } from "../core/clock.ts";
import { fromBase64Url } from "../core/encoding.ts";
import { AppError } from "../core/errors.ts";
import { TOKEN_ALGORITHM, type TokenKeys } from "./token_keys.ts";

/** Authenticator assurance level: 1 with a password alone, 2 with a second factor. */
export type AssuranceLevel = 1 | 2;

/** What an access token states. The session it names may have ended since: only the database knows. */
export interface AccessTokenClaims {
  readonly userId: number;
  readonly sessionId: string;
  readonly tokenId: string;
  readonly assuranceLevel: AssuranceLevel;
  readonly authenticatedAtMs: number;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

export interface AccessTokenInput {
  readonly userId: number;
  readonly sessionId: string;
  readonly authenticatedAtMs: number;
  readonly assuranceLevel: AssuranceLevel;
}

export interface AccessTokens {
  /** Makes a token that is valid from now on, for `ACCESS_TOKEN_TTL_SECONDS`. */
  sign(input: AccessTokenInput): Promise<string>;
  /** Verifies a token in full. Throws `AppError("TOKEN_INVALID")` whatever is wrong with it. */
  verify(token: string): Promise<AccessTokenClaims>;
}

export interface AccessTokenDeps {
  readonly keys: TokenKeys;
  /** The issuer, and the audience of the tokens. */
  readonly publicUrl: string;
  readonly clock: Clock;
  /** How many verified tokens are remembered; the oldest make room. */
  readonly rememberedTokens?: number;
}

/** A kind of token is known by its `typ` and its audience, so that one never passes as another (RFC 8725, 3.11 and 3.12). */
interface TokenKind {
  readonly typ: string;
  readonly audiencePath: string;
  readonly ttlSeconds: number;
}

const TOKEN_KINDS = {
  access: { typ: "at+jwt", audiencePath: "", ttlSeconds: 600 },
} satisfies Record<string, TokenKind>;

export const ACCESS_TOKEN_TTL_SECONDS = TOKEN_KINDS.access.ttlSeconds;

/** Clocks of siblings may differ by this much; it never prolongs a token's life. */
const TOLERANCE_SECONDS = 5;

/** Far above the length of any token made here (about 520), and short enough to be looked at for nothing. */
const MAX_TOKEN_LENGTH = 2048;

const REMEMBERED_TOKENS = 10_000;

const Seconds = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Identifier = v.pipe(v.string(), v.minLength(1), v.maxLength(128));

const ClaimsSchema = v.object({
  iss: v.string(),
  aud: v.string(),
  sub: v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,15}$/), v.transform(Number), v.safeInteger()),
  sid: Identifier,
  jti: Identifier,
  aal: v.picklist([1, 2]),
  auth_time: Seconds,
  iat: Seconds,
  exp: Seconds,
});

/** Signs and verifies access tokens: JWTs (RFC 7519) of type `at+jwt` (RFC 9068), with Ed25519 signatures. */
export function createAccessTokens(deps: AccessTokenDeps): AccessTokens {
  return createTokens(deps, TOKEN_KINDS.access);
}

function createTokens(deps: AccessTokenDeps, kind: TokenKind): AccessTokens {
  const { keys, publicUrl, clock, rememberedTokens = REMEMBERED_TOKENS } = deps;
  const audience = publicUrl + kind.audiencePath;
  const remembered = new Map<string, AccessTokenClaims>();

  async function sign(input: AccessTokenInput): Promise<string> {
    const issuedAt = Math.floor(clock() / SECOND_MS);
    return await new SignJWT({
      sid: input.sessionId,
      auth_time: Math.floor(input.authenticatedAtMs / SECOND_MS),
      aal: input.assuranceLevel,
    })
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: kind.typ, kid: keys.signingKeyId })
      .setIssuer(publicUrl)
      .setAudience(audience)
      .setSubject(String(input.userId))
      .setJti(crypto.randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + kind.ttlSeconds)
      .sign(keys.signingKey);
  }

  async function verify(token: string): Promise<AccessTokenClaims> {
    const nowMs = clock();
    const claims = remembered.get(token) ?? await verifyAnew(token, nowMs);
    if (!isCurrent(claims, nowMs)) {
      remembered.delete(token);
      throw new AppError("TOKEN_INVALID");
    }
    remember(token, claims);
    return claims;
  }

  async function verifyAnew(token: string, nowMs: number): Promise<AccessTokenClaims> {
    if (!isCompact(token)) throw new AppError("TOKEN_INVALID");
    try {
      const { payload, protectedHeader } = await jwtVerify(token, findKey, {
        algorithms: [TOKEN_ALGORITHM],
        currentDate: new Date(nowMs),
        clockTolerance: TOLERANCE_SECONDS,
      });
      const claims = v.parse(ClaimsSchema, payload);
      // The library would take another spelling of `typ` and a list as `aud`; no token made here has either.
      const ours = protectedHeader.typ === kind.typ && claims.iss === publicUrl && claims.aud === audience;
      if (!ours) throw new RangeError("A token of another kind, issuer or audience");
      return toAccessTokenClaims(claims);
    } catch (cause) {
      throw new AppError("TOKEN_INVALID", { cause });
    }
  }

  const findKey: JWTVerifyGetKey = function findKey({ kid }) {
    const key = keys.verificationKeys.get(kid ?? "");
    if (key === undefined) throw new RangeError("No such key");
    return key;
  };

  /** Saves the signature's work at the next use. What depends on the time is judged every time. */
  function remember(token: string, claims: AccessTokenClaims): void {
    if (remembered.has(token)) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= rememberedTokens) remembered.delete(oldest);
    remembered.set(token, claims);
  }

  return { sign, verify };
}

/**
 * Whether a text is three segments of canonical base64url. The library skips white space and unused bits, which
 * would give one token many spellings.
 */
function isCompact(token: string): boolean {
  if (token.length > MAX_TOKEN_LENGTH) return false;
  const segments = token.split(".");
  return segments.length === 3 && segments.every((segment) => fromBase64Url(segment) !== undefined);
}

function toAccessTokenClaims(claims: v.InferOutput<typeof ClaimsSchema>): AccessTokenClaims {
  return {
    userId: claims.sub,
    sessionId: claims.sid,
    tokenId: claims.jti,
    assuranceLevel: claims.aal,
    authenticatedAtMs: claims.auth_time * SECOND_MS,
    issuedAtMs: claims.iat * SECOND_MS,
    expiresAtMs: claims.exp * SECOND_MS,
  };
}

/** The library lets its tolerance prolong a token's life and does not look at `iat`. */
function isCurrent({ issuedAtMs, expiresAtMs }: AccessTokenClaims, nowMs: number): boolean {
  return nowMs < expiresAtMs && nowMs >= issuedAtMs - TOLERANCE_SECONDS * SECOND_MS;
}
