import { createPublicKey } from "node:crypto";
import { toBase64Url } from "../../../core/encoding.ts";

/** Labels of COSE_Key (RFC 9052, 7; RFC 9053, 7; RFC 8230, 4). */
const ALG = 3, CRV = -1, X_OR_N = -1, Y = -3, X = -2, E = -2;

/** Sizes of RSA keys in bytes. Smaller ones are weak, and larger ones costly to verify. */
const LEAST_RSA_BYTES = 256;
const MOST_RSA_BYTES = 512;

/** A decoded COSE_Key. */
interface CoseKey {
  get(label: number): unknown;
}

/** Returns the key as JWK, or undefined for one of another kind. */
function toJwk(key: CoseKey): Record<string, string> | undefined {
  const bytes = (label: number): Uint8Array => {
    const value = key.get(label);
    return value instanceof Uint8Array ? value : new Uint8Array();
  };
  const text = (label: number): string => toBase64Url(bytes(label));
  const { length } = bytes(X_OR_N);
  switch (key.get(ALG)) {
    case -7:
      return key.get(CRV) === 1 ? { kty: "EC", crv: "P-256", x: text(X), y: text(Y) } : undefined;
    case -8:
      return key.get(CRV) === 6 ? { kty: "OKP", crv: "Ed25519", x: text(X) } : undefined;
    case -257:
      if (length < LEAST_RSA_BYTES || length > MOST_RSA_BYTES) return undefined;
      return { kty: "RSA", n: text(X_OR_N), e: text(E) };
    default:
      return undefined;
  }
}

/**
 * Whether a COSE_Key is a key of its algorithm that can be used: a point on the curve that belongs to it (WebAuthn Level
 * 3, 5.8.5), or RSA of a common size.
 */
export function isUsableKey(key: CoseKey): boolean {
  const jwk = toJwk(key);
  if (jwk === undefined) return false;
  try {
    // WebCrypto would take a point that is on no curve.
    createPublicKey({ key: jwk, format: "jwk" });
    return true;
  } catch {
    return false;
  }
}
