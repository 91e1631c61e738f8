import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { type Answer, execute, send, succeed } from "./http.ts";
import { TEST_URL, type TestApp } from "./test_app.ts";

/**
 * An authenticator in software, written from W3C WebAuthn Level 3 (6.1, 6.5) and RFC 9053, apart from the service and its
 * library. Each part of a response can be replaced, to see that the service notices.
 */

export type Algorithm = -7 | -8 | -257;

export const UP = 0x01, UV = 0x04, BE = 0x08, BS = 0x10, AT = 0x40;

type Cbor = number | string | Uint8Array | readonly (readonly [Cbor, Cbor])[];

/** Encodes a value in CBOR (RFC 8949); maps are lists of pairs. */
export function toCbor(value: Cbor): Uint8Array {
  const head = (major: number, count: number): number[] =>
    count < 24
      ? [major << 5 | count]
      : count < 256
      ? [major << 5 | 24, count]
      : [major << 5 | 25, count >> 8, count & 255];
  if (typeof value === "number") return Uint8Array.from(value < 0 ? head(1, -1 - value) : head(0, value));
  if (typeof value === "string") {
    return Buffer.concat([Buffer.from(head(3, value.length)), Buffer.from(value)]);
  }
  if (value instanceof Uint8Array) return Buffer.concat([Buffer.from(head(2, value.length)), value]);
  const pairs = value.flatMap(([key, each]) => [toCbor(key), toCbor(each)]);
  return Buffer.concat([Buffer.from(head(5, value.length)), ...pairs]);
}

function makeKey(algorithm: Algorithm): KeyObject {
  if (algorithm === -7) return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  if (algorithm === -8) return generateKeyPairSync("ed25519").privateKey;
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

/** Returns the public key as COSE_Key. */
export function toCose(algorithm: Algorithm, key: KeyObject): Uint8Array {
  const jwk = key.export({ format: "jwk" });
  const bytes = (name: "x" | "y" | "n" | "e") => new Uint8Array(Buffer.from(jwk[name] ?? "", "base64url"));
  if (algorithm === -7) return toCbor([[1, 2], [3, -7], [-1, 1], [-2, bytes("x")], [-3, bytes("y")]]);
  if (algorithm === -8) return toCbor([[1, 1], [3, -8], [-1, 6], [-2, bytes("x")]]);
  return toCbor([[1, 3], [3, -257], [-1, bytes("n")], [-2, bytes("e")]]);
}

/** What a response says in place of the right values. */
export interface Changes {
  readonly type?: string;
  readonly challenge?: string;
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly rpId?: string;
  readonly flags?: number;
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly id?: string;
  /** A COSE_Key in place of the passkey's. */
  readonly publicKey?: Uint8Array;
  /** Replaces the signature by one over other data. */
  readonly signs?: "nothing";
}

export interface Options {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

export class SoftwarePasskey {
  readonly id = toText(randomBytes(32));
  readonly algorithm: Algorithm;
  readonly #key: KeyObject;
  userHandle = "";
  counter = 0;

  constructor(algorithm: Algorithm = -7) {
    this.algorithm = algorithm;
    this.#key = makeKey(algorithm);
  }

  /** The key as it is stored. */
  publicKey(): string {
    return toText(toCose(this.algorithm, this.#key));
  }

  #clientData(type: string, options: Options, changes: Changes): string {
    const { topOrigin } = changes;
    return toText(Buffer.from(JSON.stringify({
      type: changes.type ?? type,
      challenge: changes.challenge ?? options.challenge,
      origin: changes.origin ?? TEST_URL,
      crossOrigin: changes.crossOrigin ?? false,
      ...(topOrigin !== undefined && { topOrigin }),
    })));
  }

  #authenticatorData(flags: number, changes: Changes, attested: Uint8Array = new Uint8Array()): Uint8Array {
    const head = Buffer.alloc(37);
    createHash("sha256").update(changes.rpId ?? new URL(TEST_URL).hostname).digest().copy(head);
    head[32] = changes.flags ?? flags;
    head.writeUInt32BE(changes.counter ?? this.counter, 33);
    return Buffer.concat([head, attested]);
  }

  /** The response to options for a new passkey. */
  create(options: Options, changes: Changes = {}): Record<string, unknown> {
    this.userHandle = options.user?.id ?? "";
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([
      Buffer.alloc(16),
      length,
      id,
      changes.publicKey ?? toCose(this.algorithm, this.#key),
    ]);
    const authData = this.#authenticatorData(UP | UV | AT, changes, attested);
    return this.#wrap(changes, {
      clientDataJSON: this.#clientData("webauthn.create", options, changes),
      attestationObject: toText(toCbor([["fmt", "none"], ["attStmt", []], ["authData", authData]])),
      transports: ["internal", "future"],
    });
  }

  /** The response to options for a proof. */
  prove(options: Options, changes: Changes = {}): Record<string, unknown> {
    const authenticatorData = this.#authenticatorData(UP | UV, changes);
    const clientDataJSON = this.#clientData("webauthn.get", options, changes);
    const hash = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
    const signed = changes.signs === "nothing" ? Buffer.alloc(0) : Buffer.concat([authenticatorData, hash]);
    const digest = this.algorithm === -8 ? null : "sha256";
    return this.#wrap(changes, {
      clientDataJSON,
      authenticatorData: toText(authenticatorData),
      signature: toText(sign(digest, signed, this.#key)),
      userHandle: changes.userHandle === undefined ? this.userHandle : changes.userHandle,
    });
  }

  #wrap(changes: Changes, response: Record<string, unknown>): Record<string, unknown> {
    const id = changes.id ?? this.id;
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }
}

/** Requests options for a new passkey. */
export async function setUpPasskey(target: TestApp, token: string): Promise<Options> {
  const { options } = await succeed<{ options: Options }>(target, "POST", "/user/2fa/passkey/setup", {
    token,
  });
  assert.ok(options.user);
  return options;
}

/**
 * Makes a passkey for the owner of an access or sudo token, by default a confirmed one. Returns it with the first recovery
 * codes.
 */
export async function addPasskey(
  target: TestApp,
  token: string,
  { algorithm, name, changes, isConfirmed = true }: {
    algorithm?: Algorithm;
    name?: string;
    changes?: Changes;
    isConfirmed?: boolean;
  } = {},
): Promise<{ passkey: SoftwarePasskey; recoveryCodes: string[] }> {
  const passkey = new SoftwarePasskey(algorithm);
  const response = passkey.create(await setUpPasskey(target, token), changes);
  const { recoveryCodes } = await succeed<{ recoveryCodes: string[] }>(
    target,
    "POST",
    "/user/2fa/passkey/enable",
    { token, body: { response, name } },
  );
  if (isConfirmed) {
    await execute(target, "UPDATE passkey SET meets = 2 WHERE credential_id = :id", { id: passkey.id });
  }
  return { passkey, recoveryCodes };
}

/** Requests options for a proof: of a session or login by its token, or of a sign-in without one. */
export async function challengePasskey(target: TestApp, token?: string): Promise<Options> {
  const path = token === undefined ? "/auth/passkey/challenge" : "/user/2fa/passkey/challenge";
  const sent = token === undefined ? {} : { token };
  return (await succeed<{ options: Options }>(target, "POST", path, sent)).options;
}

/** Proves a passkey to a session or a login, by its token. */
export async function provePasskey(
  target: TestApp,
  token: string,
  passkey: SoftwarePasskey,
  changes?: Changes,
): Promise<Answer> {
  const body = { response: passkey.prove(await challengePasskey(target, token), changes) };
  return await send(target, "POST", "/user/2fa/passkey/authenticate", { token, body });
}

/** Signs in with a passkey alone. */
export async function signInWithPasskey(
  target: TestApp,
  passkey: SoftwarePasskey,
  { changes, from }: { changes?: Changes; from?: string } = {},
): Promise<Answer> {
  const body = { response: passkey.prove(await challengePasskey(target), changes) };
  return await send(target, "POST", "/auth/passkey/login", { body, from });
}

/** The ids of the passkeys of a session's account, in the order of the list. */
export async function listPasskeys(target: TestApp, token: string): Promise<number[]> {
  const { passkey } = await succeed<{ passkey: { id: number }[] }>(target, "GET", "/user/2fa/passkey", {
    token,
  });
  return passkey.map(({ id }) => id);
}
