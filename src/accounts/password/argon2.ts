import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";

interface Argon2Parameters {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Cost of new password hashes (OWASP Password Storage Cheat Sheet: Argon2id, 19 MiB, two passes, one lane). */
const ARGON2_PARAMETERS: Argon2Parameters = { memoryKib: 19 * 1024, passes: 2, lanes: 1 };
/** The cost of hashes that earlier versions made. Others are those of another system (`foreign_hash.ts`). */
const FORMER_PARAMETERS: readonly Argon2Parameters[] = [];

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** An implementation of Argon2id. Hashes are PHC strings, which all implementations can verify. */
export interface Argon2 {
  readonly name: "native" | "wasm";
  hash(password: Uint8Array): Promise<string>;
  /** Compares, using the parameters in the hash. Throws if `phc` is not a hash. */
  verify(password: Uint8Array, phc: string): Promise<boolean>;
  /** Hashes with the salt and the parameters of another hash. Throws if `phc` is not an Argon2id hash. */
  hashLike(password: Uint8Array, phc: string): Promise<string>;
}

/**
 * Loads the native implementation, or WebAssembly, at about a quarter of the speed, if the add-on does not load (it
 * needs FFI).
 */
export async function loadArgon2(loadNative: () => Promise<Argon2> = loadNativeArgon2): Promise<Argon2> {
  try {
    return await loadNative();
  } catch {
    return await loadWasmArgon2();
  }
}

/** Loads the native implementation, which does not block the event loop. Throws if the add-on does not load. */
export async function loadNativeArgon2(): Promise<Argon2> {
  const { hash, verify } = await import("@node-rs/argon2");
  const { memoryKib, passes, lanes } = ARGON2_PARAMETERS;
  const algorithm = 2; // Argon2id; the package's enum exists in its types only.
  const options = {
    algorithm,
    memoryCost: memoryKib,
    timeCost: passes,
    parallelism: lanes,
    outputLen: HASH_BYTES,
  };
  return {
    name: "native",
    hash: (password) => hash(password, options),
    verify: (password, phc) => verify(phc, password),
    hashLike: (password, phc) => {
      const { memoryKib, passes, lanes, salt, hashBytes } = readPhc(phc);
      return hash(password, {
        algorithm,
        memoryCost: memoryKib,
        timeCost: passes,
        parallelism: lanes,
        outputLen: hashBytes,
        salt,
      });
    },
  };
}

/** Loads the WebAssembly implementation, which runs everywhere but blocks the event loop. */
export async function loadWasmArgon2(): Promise<Argon2> {
  const { argon2id, argon2Verify } = await import("hash-wasm");
  const { memoryKib, passes, lanes } = ARGON2_PARAMETERS;
  return {
    name: "wasm",
    hash: (password) =>
      argon2id({
        password,
        salt: randomBytes(SALT_BYTES),
        memorySize: memoryKib,
        iterations: passes,
        parallelism: lanes,
        hashLength: HASH_BYTES,
        outputType: "encoded",
      }),
    verify: async (password, phc) => {
      // The library refuses the empty password, but that guess must cost as much as any other.
      const isEmpty = password.byteLength === 0;
      const matches = await argon2Verify({ password: isEmpty ? new Uint8Array(1) : password, hash: phc });
      return matches && !isEmpty;
    },
    hashLike: (password, phc) => {
      const { memoryKib, passes, lanes, salt, hashBytes } = readPhc(phc);
      return argon2id({
        password,
        salt,
        memorySize: memoryKib,
        iterations: passes,
        parallelism: lanes,
        hashLength: hashBytes,
        outputType: "encoded",
      });
    },
  };
}

/** Returns a hash with the current parameters that no password matches, for checks that must fail at the usual cost. */
export function makeUnmatchableHash(): string {
  const { memoryKib, passes, lanes } = ARGON2_PARAMETERS;
  const salt = toPhcBase64(randomBytes(SALT_BYTES));
  const hash = toPhcBase64(randomBytes(HASH_BYTES));
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${salt}$${hash}`;
}

/** Whether this service makes such hashes, or did so: their form and cost, not who made this one. */
export function isOwnHash(phc: string): boolean {
  return !isOutdatedHash(phc) || FORMER_PARAMETERS.some((former) => hasParameters(phc, former));
}

/** Whether a hash has another form or cost than new ones. */
export function isOutdatedHash(phc: string): boolean {
  return !hasParameters(phc, ARGON2_PARAMETERS);
}

/** A salt of 16 bytes and a digest of 32. The last character of each has no bits beyond them, or nothing decodes it. */
const OWN_FORM =
  /^\$argon2id\$v=19\$(m=\d+,t=\d+,p=\d+)\$[A-Za-z0-9+/]{21}[AQgw]\$[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]$/;

function hasParameters(phc: string, { memoryKib, passes, lanes }: Argon2Parameters): boolean {
  return OWN_FORM.exec(phc)?.[1] === `m=${memoryKib},t=${passes},p=${lanes}`;
}

interface PhcParts extends Argon2Parameters {
  readonly salt: Buffer;
  readonly hashBytes: number;
}

function readPhc(phc: string): PhcParts {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc);
  if (match === null) throw new TypeError("Cannot reuse the parameters: not an Argon2id hash");
  const [, memoryKib, passes, lanes, salt = "", hash = ""] = match;
  return {
    memoryKib: Number(memoryKib),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, "base64"),
    hashBytes: Buffer.from(hash, "base64").byteLength,
  };
}

/** Base64 without padding, as PHC strings use it. */
function toPhcBase64(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
