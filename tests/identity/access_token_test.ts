/** Access tokens: exact contents, every forgery and respelling refused, and what is remembered. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { AppError } from "../../src/core/errors.ts";
import { toBase64Url } from "../../src/core/encoding.ts";
import {
  type AccessTokens,
  createAccessTokens,
  createAudienceTokens,
} from "../../src/identity/token/access_token.ts";
import { generateTokenKeys, importTokenKeys, type TokenKeys } from "../../src/identity/token/token_keys.ts";

const PUBLIC_URL = "https://rolegrid.example";
const NOW_MS = Date.UTC(2026, 0, 15, 12, 0, 0);
const NOW = NOW_MS / 1000;

const INPUT = {
  userId: 42,
  sessionId: "session-1",
  authenticatedAtMs: NOW_MS - 90_500,
  assuranceLevel: 1,
} as const;

const keys = await importTokenKeys(await generateTokenKeys());
const otherKeys = await importTokenKeys(await generateTokenKeys());

type Json = Record<string, unknown>;

const HEADER: Json = { alg: "EdDSA", typ: "at+jwt", kid: keys.signingKeyId };
const CLAIMS: Json = {
  iss: PUBLIC_URL,
  aud: PUBLIC_URL,
  sub: "42",
  sid: "session-1",
  jti: "token-1",
  iat: NOW,
  exp: NOW + 600,
  auth_time: NOW - 90,
  aal: 1,
};

function tokensAt(
  nowMs = NOW_MS,
  options: { keys?: TokenKeys; rememberedTokens?: number } = {},
): AccessTokens {
  return createAccessTokens({ keys, publicUrl: PUBLIC_URL, clock: () => nowMs, ...options });
}

function encode(value: unknown): string {
  return toBase64Url(new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)));
}

/** Signs any header and payload, so that a token differs from a valid one only in what the case changes. */
async function forge(header: Json, claims: unknown, key: CryptoKey = keys.signingKey): Promise<string> {
  const content = `${encode(header)}.${encode(claims)}`;
  const signature = await crypto.subtle.sign("Ed25519", key, new TextEncoder().encode(content));
  return `${content}.${toBase64Url(new Uint8Array(signature))}`;
}

async function assertRefused(tokens: AccessTokens, token: string): Promise<void> {
  await assert.rejects(
    tokens.verify(token),
    (error) => error instanceof AppError && error.code === "TOKEN_INVALID",
  );
}

function decodeSegment(token: string, index: number): Json {
  return JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString());
}

Deno.test("Verifying a signed token returns the signed values", async () => {
  const tokens = tokensAt();
  const claims = await tokens.verify(await tokens.sign({ ...INPUT, assuranceLevel: 2 }));
  const { tokenId, ...rest } = claims;
  assert.deepEqual(rest, {
    userId: 42,
    sessionId: "session-1",
    assuranceLevel: 2,
    authenticatedAtMs: NOW_MS - 91_000,
    issuedAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 600_000,
  });
  assert.match(tokenId, /^[0-9a-f-]{36}$/);
});

Deno.test("A token contains exactly the documented header and claims", async () => {
  const token = await tokensAt().sign(INPUT);
  assert.deepEqual(decodeSegment(token, 0), HEADER);
  const { jti, ...claims } = decodeSegment(token, 1);
  const { jti: _, ...expected } = CLAIMS;
  assert.equal(typeof jti, "string");
  assert.deepEqual(claims, { ...expected, auth_time: NOW - 91, amr: ["pwd"] });
});

Deno.test("Two tokens for one session have different ids", async () => {
  const tokens = tokensAt();
  const ids = await Promise.all(
    [1, 2].map(async () => (await tokens.verify(await tokens.sign(INPUT))).tokenId),
  );
  assert.notEqual(ids[0], ids[1]);
});

Deno.test("The forged token on which all cases below are based is accepted", async () => {
  assert.equal((await tokensAt().verify(await forge(HEADER, CLAIMS))).userId, 42);
});

const WRONG_HEADERS: Record<string, Json> = {
  "the type of an ID token": { ...HEADER, typ: "JWT" },
  "the type of a sudo token": { ...HEADER, typ: "sudo+jwt" },
  "another spelling of its type": { ...HEADER, typ: "AT+JWT" },
  "its type as a full media type": { ...HEADER, typ: "application/at+jwt" },
  "no type": { alg: "EdDSA", kid: keys.signingKeyId },
  "no key id": { alg: "EdDSA", typ: "at+jwt" },
  "an unknown key id": { ...HEADER, kid: "unknown" },
  "the key id of an object's member": { ...HEADER, kid: "constructor" },
  "another name for its algorithm": { ...HEADER, alg: "Ed25519" },
  "the algorithm ES256": { ...HEADER, alg: "ES256" },
  "no algorithm": { typ: "at+jwt", kid: keys.signingKeyId },
  "an extension that must be understood": { ...HEADER, crit: ["x"], x: true },
  "an unencoded payload": { ...HEADER, crit: ["b64"], b64: false },
};

const WRONG_CLAIMS: Record<string, Json> = {
  "another issuer": { iss: "https://other.example" },
  "another audience": { aud: "https://other.example" },
  "the audience of account operations": { aud: `${PUBLIC_URL}/user` },
  "several audiences": { aud: [PUBLIC_URL, "https://other.example"] },
  "its audience as a list": { aud: [PUBLIC_URL] },
  "an expiry at this very second": { exp: NOW },
  "an expiry a second ago": { exp: NOW - 1 },
  "an expiry as text": { exp: String(NOW + 600) },
  "a fractional expiry": { exp: NOW + 0.5 },
  "an issue time beyond the tolerance": { iat: NOW + 6 },
  "a start beyond the tolerance": { nbf: NOW + 6 },
  "a start as text": { nbf: "now" },
  "user 0": { sub: "0" },
  "a user with a leading zero": { sub: "042" },
  "a negative user": { sub: "-42" },
  "a user with white space": { sub: " 42" },
  "a user as a number": { sub: 42 },
  "a user in another notation": { sub: "4e1" },
  "a user beyond the safe integers": { sub: "9007199254740993" },
  "assurance level 0": { aal: 0 },
  "assurance level 3": { aal: 3 },
  "an assurance level as text": { aal: "1" },
  "an empty session": { sid: "" },
  "a session as a number": { sid: 1 },
  "an authentication time as text": { auth_time: "today" },
};

/** The header and the payload of each token that is refused. */
const WRONG: readonly (readonly [what: string, header: Json, payload: unknown])[] = [
  ...Object.entries(WRONG_HEADERS).map(([what, header]) =>
    [`with ${what} in its header`, header, CLAIMS] as const
  ),
  ...Object.entries(WRONG_CLAIMS).map(([what, change]) =>
    [`with ${what}`, HEADER, { ...CLAIMS, ...change }] as const
  ),
  ...Object.keys(CLAIMS).map((name) =>
    [`without ${name}`, HEADER, { ...CLAIMS, [name]: undefined }] as const
  ),
  ...["[]", "null", "42", "no json", ""].map((text) => [`with the payload "${text}"`, HEADER, text] as const),
];

for (const [what, header, payload] of WRONG) {
  Deno.test(`A token ${what} is refused`, async () => {
    await assertRefused(tokensAt(), await forge(header, payload));
  });
}

Deno.test("An issue time and a start within 5 s in the future are accepted", async () => {
  const token = await forge(HEADER, { ...CLAIMS, iat: NOW + 5, nbf: NOW + 5 });
  assert.equal((await tokensAt().verify(token)).issuedAtMs, NOW_MS + 5000);
});

Deno.test("A token is valid until the millisecond before its expiry", async () => {
  const token = await tokensAt().sign(INPUT);
  assert.equal((await tokensAt(NOW_MS + 599_999).verify(token)).userId, 42);
  await assertRefused(tokensAt(NOW_MS + 600_000), token);
});

Deno.test("A token without a signature under alg none is refused", async () => {
  const content = `${encode({ ...HEADER, alg: "none" })}.${encode(CLAIMS)}`;
  await assertRefused(tokensAt(), `${content}.`);
  await assertRefused(tokensAt(), content);
});

Deno.test("A token under HS256 with the public key as its secret is refused", async () => {
  const [jwk] = keys.publicJwks;
  const secrets = [
    Buffer.from(jwk?.x ?? "", "base64url"),
    Buffer.from(jwk?.x ?? ""),
    Buffer.from(JSON.stringify(jwk)),
  ];
  for (const secret of secrets) {
    const content = `${encode({ ...HEADER, alg: "HS256" })}.${encode(CLAIMS)}`;
    const mac = createHmac("sha256", secret).update(content).digest("base64url");
    await assertRefused(tokensAt(), `${content}.${mac}`);
  }
});

Deno.test("A token signed with another key is refused, with any key id and even with that key in its header", async () => {
  const [jwk] = otherKeys.publicJwks;
  for (const change of [{}, { jwk }, { kid: otherKeys.signingKeyId }]) {
    await assertRefused(tokensAt(), await forge({ ...HEADER, ...change }, CLAIMS, otherKeys.signingKey));
  }
});

Deno.test("A token with a changed payload is refused", async () => {
  const [header = "", , signature = ""] = (await tokensAt().sign(INPUT)).split(".");
  await assertRefused(tokensAt(), `${header}.${encode({ ...CLAIMS, sub: "43" })}.${signature}`);
});

const SPELLINGS: Record<string, (token: string) => string> = {
  "white space before it": (token) => ` ${token}`,
  "white space after it": (token) => `${token} `,
  "a line break after it": (token) => `${token}\n`,
  "white space inside its payload": (token) => token.replace(/\.(.{10})/, ".$1 "),
  "a line break inside its signature": (token) => `${token.slice(0, -10)}\n${token.slice(-10)}`,
  "a fourth segment": (token) => `${token}.${encode("more")}`,
  "an empty fourth segment": (token) => `${token}.`,
  "a padded signature": (token) => `${token}==`,
  "an unused bit of its last character set": (token) => setUnusedBit(token),
  "the plain base64 alphabet": (token) => token.replaceAll("_", "/").replaceAll("-", "+"),
  "half its signature": (token) => token.slice(0, -43),
  "no signature": (token) => token.slice(0, token.lastIndexOf(".") + 1),
  "its payload alone": (token) => token.split(".")[1] ?? "",
  "nothing": () => "",
  "dots alone": () => "..",
  "a scheme before it": (token) => `Bearer ${token}`,
};

/** 64 bytes end in a character with two significant bits: the next one in the alphabet decodes to the same bytes. */
function setUnusedBit(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const changed = token.slice(0, -1) + alphabet.charAt(alphabet.indexOf(token.slice(-1)) + 1);
  const signatures = [token, changed].map((text) => Buffer.from(text.split(".")[2] ?? "", "base64url"));
  assert.deepEqual(signatures[0], signatures[1]);
  return changed;
}

for (const [name, spell] of Object.entries(SPELLINGS)) {
  Deno.test(`A token spelled with ${name} is refused, even after the right spelling was verified`, async () => {
    const tokens = tokensAt();
    // Without "-" and "_", a token is the same in both alphabets.
    const token = await forge(HEADER, { ...CLAIMS, jti: "token-~~~???", sid: "ÿÿÿþþþ>>>???" });
    await tokens.verify(token);
    assert.notEqual(spell(token), token);
    await assertRefused(tokens, spell(token));
  });
}

Deno.test("An oversized token is refused, even with a valid signature", async () => {
  await assertRefused(tokensAt(), await forge(HEADER, { ...CLAIMS, more: "x".repeat(10_000) }));
});

Deno.test("After a rotation old tokens verify and new ones carry the new key; removing a key ends its tokens", async () => {
  const [older, newer] = [JSON.parse(await generateTokenKeys()), JSON.parse(await generateTokenKeys())];
  const before = await importTokenKeys(JSON.stringify(older));
  const rotated = await importTokenKeys(JSON.stringify({ keys: [...newer.keys, ...older.keys] }));
  const after = await importTokenKeys(JSON.stringify(newer));
  const oldToken = await tokensAt(NOW_MS, { keys: before }).sign(INPUT);
  const newToken = await tokensAt(NOW_MS, { keys: rotated }).sign(INPUT);
  assert.equal(decodeSegment(newToken, 0)["kid"], after.signingKeyId);
  assert.equal((await tokensAt(NOW_MS, { keys: rotated }).verify(oldToken)).userId, 42);
  assert.equal((await tokensAt(NOW_MS, { keys: after }).verify(newToken)).userId, 42);
  await assertRefused(tokensAt(NOW_MS, { keys: after }), oldToken);
});

/** Counts key lookups: one for each verified signature. */
function countingKeys(): { keys: TokenKeys; lookups: () => number } {
  let count = 0;
  class CountingMap extends Map<string, CryptoKey> {
    override get(key: string): CryptoKey | undefined {
      count += 1;
      return super.get(key);
    }
  }
  return {
    keys: { ...keys, verificationKeys: new CountingMap(keys.verificationKeys) },
    lookups: () => count,
  };
}

Deno.test("A signature is verified once, and the time is checked at every use", async () => {
  const counting = countingKeys();
  let nowMs = NOW_MS;
  const tokens = createAccessTokens({ keys: counting.keys, publicUrl: PUBLIC_URL, clock: () => nowMs });
  const token = await tokens.sign(INPUT);
  const first = await tokens.verify(token);
  assert.deepEqual(await tokens.verify(token), first);
  assert.equal(counting.lookups(), 1);
  nowMs += 600_000;
  await assertRefused(tokens, token);
  nowMs = NOW_MS - 6_000;
  await assertRefused(tokens, token);
});

Deno.test("The oldest remembered token makes room for a new one", async () => {
  const counting = countingKeys();
  const tokens = tokensAt(NOW_MS, { keys: counting.keys, rememberedTokens: 2 });
  const [a, b, c] = [await tokens.sign(INPUT), await tokens.sign(INPUT), await tokens.sign(INPUT)];
  for (const token of [a, b, c, b, c]) await tokens.verify(token);
  assert.equal(counting.lookups(), 3);
  await tokens.verify(a);
  assert.equal(counting.lookups(), 4);
});

Deno.test("Verifying a remembered token again evicts no other token", async () => {
  const counting = countingKeys();
  const tokens = tokensAt(NOW_MS, { keys: counting.keys, rememberedTokens: 2 });
  const [a, b] = [await tokens.sign(INPUT), await tokens.sign(INPUT)];
  for (const token of [a, b, b, b, a]) await tokens.verify(token);
  assert.equal(counting.lookups(), 2);
});

Deno.test("A refused token is not remembered as good", async () => {
  const tokens = tokensAt();
  const token = await forge(HEADER, CLAIMS, otherKeys.signingKey);
  await assertRefused(tokens, token);
  await assertRefused(tokens, token);
});

Deno.test("A token for one audience is refused by all others and by the service itself", async () => {
  const audiences = ["https://billing.example", "https://reports.example/api"];
  const deps = { keys, publicUrl: PUBLIC_URL, clock: () => NOW_MS };
  const byAudience = createAudienceTokens(deps, audiences);
  assert.deepEqual([...byAudience.keys()], audiences);
  const verifiers = [tokensAt(), ...byAudience.values()];
  for (const [audience, tokens] of byAudience) {
    const token = await tokens.sign(INPUT);
    assert.equal(JSON.parse(atob(token.split(".")[1] ?? "")).aud, audience);
    assert.equal((await tokens.verify(token)).userId, INPUT.userId);
    for (const other of verifiers) if (other !== tokens) await assertRefused(other, token);
    await assertRefused(tokens, await tokensAt().sign(INPUT));
  }
});
