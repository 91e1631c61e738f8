import { decodeProtectedHeader, type JWTPayload, jwtVerify, type JWTVerifyGetKey, SignJWT } from "jose";
import * as v from "valibot";
import { type Clock, SECOND_MS } from "../../core/clock.ts";
import { fromBase64Url } from "../../core/encoding.ts";
import { AppError } from "../../core/errors.ts";
import { TOKEN_ALGORITHM, type TokenKeys } from "./token_keys.ts";

export interface SignedTokenDeps {
  readonly keys: TokenKeys;
  /** The issuer. */
  readonly publicUrl: string;
  /** By default the issuer with the path of the kind. */
  readonly audience?: string;
  readonly clock: Clock;
  /** Maximum number of verified tokens in the cache; the oldest is evicted. */
  readonly rememberedTokens?: number;
}

/**
 * A kind of token, with its own `typ` and audience, so that no kind passes as another (RFC 8725, 3.11 and 3.12).
 * `schema` validates its specific claims.
 */
export interface TokenKind<I extends { readonly userId: number }, C> {
  readonly typ: string;
  readonly audiencePath: string;
  readonly ttlSeconds: number;
  readonly schema: v.GenericSchema<unknown, C>;
  readonly toPayload: (input: I) => JWTPayload;
}

/** The claims of every verified token. */
export interface CommonClaims {
  readonly userId: number;
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

export interface SignedTokens<I, C> {
  /** Makes a token that is valid from now on. */
  sign(input: I): Promise<string>;
  /** Verifies a token in full. Throws `TOKEN_INVALID` for any fault. */
  verify(token: string): Promise<C & CommonClaims>;
  /** Whether a token claims to be of this kind. Use it only to choose how to verify. */
  claimsToBe(token: string): boolean;
}

/** Allowed clock difference to other services; it never prolongs a token's lifetime. */
const TOLERANCE_SECONDS = 5;

/** Far above the length of real tokens (about 550), and cheap to check. */
const MAX_TOKEN_LENGTH = 2048;

const REMEMBERED_TOKENS = 10_000;

export const Seconds = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const Identifier = v.pipe(v.string(), v.minLength(1), v.maxLength(128));

const CommonSchema = v.object({
  iss: v.string(),
  aud: v.string(),
  sub: v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,15}$/), v.transform(Number), v.safeInteger()),
  jti: Identifier,
  iat: Seconds,
  exp: Seconds,
  nbf: v.optional(Seconds),
});

/** A verified token, with the times to check at every use. */
interface Verified<C> {
  readonly claims: C & CommonClaims;
  readonly notBeforeMs: number;
}

/** Signs and verifies tokens of one kind: JWTs (RFC 7519) with Ed25519 signatures. */
export function createSignedTokens<I extends { readonly userId: number }, C>(
  deps: SignedTokenDeps,
  kind: TokenKind<I, C>,
): SignedTokens<I, C> {
  const { keys, publicUrl, clock, rememberedTokens = REMEMBERED_TOKENS } = deps;
  const { audience = publicUrl + kind.audiencePath } = deps;
  const remembered = new Map<string, Verified<C>>();

  async function sign(input: I): Promise<string> {
    const issuedAt = Math.floor(clock() / SECOND_MS);
    return await new SignJWT(kind.toPayload(input))
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: kind.typ, kid: keys.signingKeyId })
      .setIssuer(publicUrl)
      .setAudience(audience)
      .setSubject(String(input.userId))
      .setJti(crypto.randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + kind.ttlSeconds)
      .sign(keys.signingKey);
  }

  async function verify(token: string): Promise<C & CommonClaims> {
    const nowMs = clock();
    const verified = remembered.get(token) ?? await verifyAnew(token, nowMs);
    if (!isCurrent(verified, nowMs)) {
      remembered.delete(token);
      throw new AppError("TOKEN_INVALID");
    }
    remember(token, verified);
    return verified.claims;
  }

  async function verifyAnew(token: string, nowMs: number): Promise<Verified<C>> {
    if (!isCompact(token)) throw new AppError("TOKEN_INVALID");
    try {
      const { payload, protectedHeader } = await jwtVerify(token, findKey, {
        algorithms: [TOKEN_ALGORITHM],
        currentDate: new Date(nowMs),
        clockTolerance: TOLERANCE_SECONDS,
      });
      const common = v.parse(CommonSchema, payload);
      // The library accepts other spellings of `typ`, and a list as `aud`; our tokens have neither.
      const ours = protectedHeader.typ === kind.typ && common.iss === publicUrl && common.aud === audience;
      if (!ours) throw new RangeError("A token of another kind, issuer or audience");
      return {
        notBeforeMs: Math.max(common.iat, common.nbf ?? 0) * SECOND_MS,
        claims: { ...v.parse(kind.schema, payload), ...toCommonClaims(common) },
      };
    } catch (cause) {
      throw new AppError("TOKEN_INVALID", { cause });
    }
  }

  const findKey: JWTVerifyGetKey = function findKey({ kid }) {
    const key = keys.verificationKeys.get(kid ?? "");
    if (key === undefined) throw new RangeError("No such key");
    return key;
  };

  /** Caches a token, which saves verifying its signature again. Times are checked at every use. */
  function remember(token: string, verified: Verified<C>): void {
    if (remembered.has(token)) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= rememberedTokens) remembered.delete(oldest);
    remembered.set(token, verified);
  }

  function claimsToBe(token: string): boolean {
    try {
      return isCompact(token) && decodeProtectedHeader(token).typ === kind.typ;
    } catch {
      return false;
    }
  }

  return { sign, verify, claimsToBe };
}

/**
 * Whether a text is three segments of canonical base64url. The library ignores white space and unused bits, so a
 * token would have many spellings.
 */
function isCompact(token: string): boolean {
  if (token.length > MAX_TOKEN_LENGTH) return false;
  const segments = token.split(".");
  return segments.length === 3 && segments.every((segment) => fromBase64Url(segment) !== undefined);
}

function toCommonClaims(claims: v.InferOutput<typeof CommonSchema>): CommonClaims {
  return {
    userId: claims.sub,
    tokenId: claims.jti,
    issuedAtMs: claims.iat * SECOND_MS,
    expiresAtMs: claims.exp * SECOND_MS,
  };
}

function isCurrent<C>({ claims, notBeforeMs }: Verified<C>, nowMs: number): boolean {
  return nowMs < claims.expiresAtMs && nowMs >= notBeforeMs - TOLERANCE_SECONDS * SECOND_MS;
}
