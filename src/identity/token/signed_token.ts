import { decodeProtectedHeader, type JWTPayload, jwtVerify, type JWTVerifyGetKey, SignJWT } from "jose";
import * as v from "valibot";
import { type Clock, SECOND_MS } from "../../core/clock.ts";
import { fromBase64Url } from "../../core/encoding.ts";
import { AppError } from "../../core/errors.ts";
import { TOKEN_ALGORITHM, type TokenKeys } from "./token_keys.ts";

export interface SignedTokenDeps {
  readonly keys: TokenKeys;
  /** The issuer; with a kind's path, the audience. */
  readonly publicUrl: string;
  readonly clock: Clock;
  /** How many verified tokens are remembered; the oldest make room. */
  readonly rememberedTokens?: number;
}

/**
 * A kind of token is known by its `typ` and its audience, so that one never passes as another (RFC 8725, 3.11 and 3.12).
 * `schema` is about the claims that only this kind has.
 */
export interface TokenKind<I extends { readonly userId: number }, C> {
  readonly typ: string;
  readonly audiencePath: string;
  readonly ttlSeconds: number;
  readonly schema: v.GenericSchema<unknown, C>;
  readonly toPayload: (input: I) => JWTPayload;
}

/** What every verified token states besides the claims of its kind. */
export interface CommonClaims {
  readonly userId: number;
  readonly tokenId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

export interface SignedTokens<I, C> {
  /** Makes a token that is valid from now on. */
  sign(input: I): Promise<string>;
  /** Verifies a token in full. Throws `AppError("TOKEN_INVALID")` whatever is wrong with it. */
  verify(token: string): Promise<C & CommonClaims>;
  /** Whether a token calls itself one of this kind: tells which kind to verify it as, and nothing more. */
  claimsToBe(token: string): boolean;
}

/** Clocks of siblings may differ by this much; it never prolongs a token's life. */
const TOLERANCE_SECONDS = 5;

/** Far above the length of any token made here (about 550), and short enough to be looked at for nothing. */
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

/** A verified token, with what must hold anew at every use. */
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
  const audience = publicUrl + kind.audiencePath;
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
      // The library would take another spelling of `typ` and a list as `aud`; no token made here has either.
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

  /** Saves the signature's work at the next use. What depends on the time is judged every time. */
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
 * Whether a text is three segments of canonical base64url. The library skips white space and unused bits, which
 * would give one token many spellings.
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
