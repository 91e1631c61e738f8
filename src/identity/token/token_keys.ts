import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import * as v from "valibot";
import { fromBase64Url } from "../../core/encoding.ts";

/** The only signature algorithm in use: Ed25519 (RFC 8037). */
export const TOKEN_ALGORITHM = "EdDSA";

const CURVE_BYTES = 32;

/** The keys that sign and verify tokens. */
export interface TokenKeys {
  readonly signingKeyId: string;
  readonly signingKey: CryptoKey;
  /** The public key of every configured key, by key id. */
  readonly verificationKeys: ReadonlyMap<string, CryptoKey>;
  readonly publicJwks: readonly PublicJwk[];
}

/** A public key, as published to other services (RFC 7517). */
export interface PublicJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly alg: typeof TOKEN_ALGORITHM;
  readonly use: "sig";
}

function curveBytes(member: string): v.GenericSchema<string> {
  const message = `must have ${CURVE_BYTES} bytes of base64url as "${member}"`;
  return v.pipe(
    v.string(message),
    v.check((text) => fromBase64Url(text)?.byteLength === CURVE_BYTES, message),
  );
}

const PrivateJwk = v.object({
  kty: v.literal("OKP", 'must have "kty" OKP'),
  crv: v.literal("Ed25519", 'must have "crv" Ed25519'),
  kid: v.pipe(
    v.string('must have a "kid"'),
    v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have a "kid" of 1 to 64 letters, digits, "_" or "-"'),
  ),
  alg: v.optional(v.literal(TOKEN_ALGORITHM, 'must have "alg" EdDSA or none')),
  use: v.optional(v.literal("sig", 'must have "use" sig or none')),
  x: curveBytes("x"),
  d: curveBytes("d"),
}, (issue) => issue.expected === "Object" ? "must be an object" : `must have ${issue.expected}`);

type PrivateJwk = v.InferOutput<typeof PrivateJwk>;

const KEY_SET_SHAPE = 'must be a JSON object with a list "keys" of one or more';
const PrivateJwks = v.object({
  keys: v.pipe(v.array(PrivateJwk, KEY_SET_SHAPE), v.minLength(1, KEY_SET_SHAPE)),
}, () => KEY_SET_SHAPE);

/**
 * Parses `TOKEN_KEYS`: a private JWKS of Ed25519 keys, newest first. Throws a `RangeError` that names the position of
 * a faulty key, never its value.
 */
export function parseTokenKeys(text: string): readonly PrivateJwk[] {
  const result = v.safeParse(PrivateJwks, parseJson(text), { abortEarly: true });
  if (!result.success) {
    const [issue] = result.issues;
    const index = issue.path?.[1]?.key;
    throw new RangeError(typeof index === "number" ? `key ${index + 1} ${issue.message}` : issue.message);
  }
  const { keys } = result.output;
  if (new Set(keys.map((key) => key.kid)).size < keys.length) {
    throw new RangeError('gives two keys the same "kid": it must be unique');
  }
  return keys;
}

/** Imports `TOKEN_KEYS`: the first key signs, all keys verify. Throws a `RangeError` like `parseTokenKeys`. */
export async function importTokenKeys(jwks: string): Promise<TokenKeys> {
  const keys = parseTokenKeys(jwks);
  const verificationKeys = new Map<string, CryptoKey>();
  let signing: { id: string; key: CryptoKey } | undefined;
  for (const [i, jwk] of keys.entries()) {
    const { publicKey, privateKey } = await importPair(jwk, i + 1);
    verificationKeys.set(jwk.kid, publicKey);
    signing ??= { id: jwk.kid, key: privateKey };
  }
  if (signing === undefined) throw new RangeError(KEY_SET_SHAPE);
  return {
    signingKeyId: signing.id,
    signingKey: signing.key,
    verificationKeys,
    publicJwks: keys.map(toPublicJwk),
  };
}

/** Generates a key, as the JSON text of a private JWKS. To rotate, prepend it to the configured list. */
export async function generateTokenKeys(): Promise<string> {
  const pair = await generateKeyPair(TOKEN_ALGORITHM, { crv: "Ed25519", extractable: true });
  const { kty, crv, x, d } = await exportJWK(pair.privateKey);
  const kid = await calculateJwkThumbprint(pair.publicKey);
  return JSON.stringify({ keys: [{ kty, crv, kid, alg: TOKEN_ALGORITHM, use: "sig", x, d }] });
}

/** Returns the published key set for services that verify tokens themselves, without private keys. */
export function publicJwks(keys: TokenKeys): { keys: readonly PublicJwk[] } {
  return { keys: keys.publicJwks };
}

async function importPair(jwk: PrivateJwk, position: number): Promise<CryptoKeyPair> {
  let paired: boolean;
  let pair: CryptoKeyPair;
  try {
    const { kty, crv, x, d } = jwk;
    const publicKey = await crypto.subtle.importKey("jwk", { kty, crv, x }, "Ed25519", false, ["verify"]);
    const privateKey = await crypto.subtle.importKey("jwk", { kty, crv, x, d }, "Ed25519", false, ["sign"]);
    pair = { publicKey, privateKey };
    paired = await isPair(pair);
  } catch (cause) {
    throw new RangeError(`key ${position} is not a usable Ed25519 key`, { cause });
  }
  if (!paired) throw new RangeError(`key ${position} has an "x" that does not belong to its "d"`);
  return pair;
}

/**
 * Whether the keys belong together. With a wrong `x` no signed token would verify, so startup fails instead of
 * logins.
 */
async function isPair({ publicKey, privateKey }: CryptoKeyPair): Promise<boolean> {
  const probe = new Uint8Array(CURVE_BYTES);
  const signature = await crypto.subtle.sign("Ed25519", privateKey, probe);
  return await crypto.subtle.verify("Ed25519", publicKey, signature, probe);
}

/** Picks the public members by name, so that nothing else is published. */
function toPublicJwk({ x, kid }: PrivateJwk): PublicJwk {
  return { kty: "OKP", crv: "Ed25519", x, kid, alg: TOKEN_ALGORITHM, use: "sig" };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which is a private key.
    throw new RangeError(KEY_SET_SHAPE);
  }
}
