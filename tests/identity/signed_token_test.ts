/** Sudo and partial tokens: exact contents, and each kind is refused as any other. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { toBase64Url } from "../../src/core/encoding.ts";
import { AppError } from "../../src/core/errors.ts";
import { createAccessTokens } from "../../src/identity/token/access_token.ts";
import { createPartialTokens, PARTIAL_TOKEN_TTL_SECONDS } from "../../src/identity/token/partial_token.ts";
import { createSudoTokens } from "../../src/identity/token/sudo_token.ts";
import { generateTokenKeys, importTokenKeys } from "../../src/identity/token/token_keys.ts";

const PUBLIC_URL = "https://rolegrid.example";
const NOW_MS = Date.UTC(2026, 0, 15, 12, 0, 0);
const NOW = NOW_MS / 1000;

const keys = await importTokenKeys(await generateTokenKeys());

const deps = { keys, publicUrl: PUBLIC_URL, clock: (): number => NOW_MS };
const access = createAccessTokens(deps);
const sudo = createSudoTokens(deps);
const partial = createPartialTokens(deps);

const accessToken = await access.sign({
  userId: 7,
  sessionId: "s",
  authenticatedAtMs: NOW_MS,
  assuranceLevel: 1,
});
const sudoToken = await sudo.sign({ userId: 7, sessionId: "s", securityVersion: 3 });
const partialToken = await partial.sign({ userId: 7, partialLoginId: "p" });

const INVALID = { code: "TOKEN_INVALID" };

type Json = Record<string, unknown>;

function segment(token: string, index: number): Json {
  return JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString());
}

/** Signs the claims of a valid token, with changed claims or another header. */
async function resign(
  token: string,
  { claims = {}, header = {} }: { claims?: Json; header?: Json },
): Promise<string> {
  const encode = (value: Json): string => toBase64Url(new TextEncoder().encode(JSON.stringify(value)));
  const content = `${encode({ ...segment(token, 0), ...header })}.${
    encode({ ...segment(token, 1), ...claims })
  }`;
  const signature = await crypto.subtle.sign("Ed25519", keys.signingKey, new TextEncoder().encode(content));
  return `${content}.${toBase64Url(new Uint8Array(signature))}`;
}

/** A token of exactly this length, padded with an unused claim. */
async function ofLength(length: number): Promise<string> {
  // Four characters hold three bytes; the claim's name takes some of them.
  for (let filling = Math.floor((length - accessToken.length) * 3 / 4) - 20;; filling++) {
    const token = await resign(accessToken, { claims: { filling: "x".repeat(filling) } });
    if (token.length >= length) {
      assert.equal(token.length, length);
      return token;
    }
  }
}

Deno.test("The reason why a token is invalid is in the error's cause, for the log alone", async () => {
  const foreign = await importTokenKeys(await generateTokenKeys());
  const unknown = createAccessTokens({ ...deps, keys: foreign });
  const withoutKey = await resign(accessToken, { header: { kid: undefined } });
  const causes = await Promise.all([
    access.verify(sudoToken),
    unknown.verify(accessToken),
    access.verify(withoutKey),
  ].map((verified) => verified.catch(({ message, cause }) => [message, cause.message])));
  const message = new AppError("TOKEN_INVALID").message;
  assert.deepEqual(causes, [
    [message, "A token of another kind, issuer or audience"],
    [message, "No such key"],
    [message, "No such key"],
  ]);
});

Deno.test("A sudo token names its session and the account's security version, for five minutes", async () => {
  assert.deepEqual(segment(sudoToken, 0), { alg: "EdDSA", typ: "sudo+jwt", kid: keys.signingKeyId });
  const { jti, ...claims } = segment(sudoToken, 1);
  assert.equal(typeof jti, "string");
  const aud = `${PUBLIC_URL}/user`;
  assert.deepEqual(claims, { iss: PUBLIC_URL, aud, sub: "7", sid: "s", sv: 3, iat: NOW, exp: NOW + 300 });
  const { tokenId: _, ...read } = await sudo.verify(sudoToken);
  assert.deepEqual(read, {
    userId: 7,
    sessionId: "s",
    securityVersion: 3,
    issuedAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 300_000,
  });
});

Deno.test("A partial token names its sign-in, for ten minutes", async () => {
  assert.deepEqual(segment(partialToken, 0), { alg: "EdDSA", typ: "partial+jwt", kid: keys.signingKeyId });
  const { jti, ...claims } = segment(partialToken, 1);
  assert.equal(typeof jti, "string");
  const aud = `${PUBLIC_URL}/user`;
  assert.deepEqual(claims, { iss: PUBLIC_URL, aud, sub: "7", pid: "p", iat: NOW, exp: NOW + 600 });
  const { tokenId: _, ...read } = await partial.verify(partialToken);
  assert.deepEqual(read, {
    userId: 7,
    partialLoginId: "p",
    issuedAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 600_000,
  });
  assert.equal(PARTIAL_TOKEN_TTL_SECONDS, 600);
});

Deno.test("A token of one kind is recognized and is refused as any other kind", async () => {
  const kinds = [access, sudo, partial] as const;
  for (const [i, token] of [accessToken, sudoToken, partialToken].entries()) {
    for (const [k, kind] of kinds.entries()) {
      assert.equal(kind.claimsToBe(token), i === k);
      if (i !== k) await assert.rejects(kind.verify(token), INVALID);
    }
  }
});

Deno.test("A token with the right header or the right audience alone is refused", async () => {
  const claims = { sid: "s", sv: 3 };
  const header = { typ: "sudo+jwt" };
  await sudo.verify(await resign(partialToken, { claims, header }));
  await assert.rejects(sudo.verify(await resign(partialToken, { claims })), INVALID);
  await assert.rejects(sudo.verify(await resign(accessToken, { claims, header })), INVALID);
});

Deno.test("A text that is not a token claims to be none", () => {
  const twice = `${accessToken}.${accessToken}`;
  // A token of five segments is an encrypted one, whose header the library can read as well.
  const cutAndLong = [accessToken.split(".").slice(0, 2).join("."), `${accessToken}.abcd.abcd`];
  for (const text of ["", "a", "a.b.c", "!.!.!", "abcd.abcd.abcd", twice, ` ${accessToken}`, ...cutAndLong]) {
    assert.equal(access.claimsToBe(text), false, text);
  }
});

Deno.test("A security version is a whole number from 0, and ids have 1 to 128 characters", async () => {
  assert.equal((await sudo.verify(await resign(sudoToken, { claims: { sv: 0 } }))).securityVersion, 0);
  for (const sv of [-1, 0.5, 2 ** 53, "3"]) {
    await assert.rejects(sudo.verify(await resign(sudoToken, { claims: { sv } })), INVALID, `${sv}`);
  }
  const long = "x".repeat(128);
  assert.equal((await sudo.verify(await resign(sudoToken, { claims: { sid: long } }))).sessionId, long);
  for (const wrong of ["", `${long}x`, 5]) {
    await assert.rejects(sudo.verify(await resign(sudoToken, { claims: { sid: wrong } })), INVALID);
    await assert.rejects(partial.verify(await resign(partialToken, { claims: { pid: wrong } })), INVALID);
  }
});

Deno.test("A user's id has up to 16 digits", async () => {
  for (const sub of ["1", "123", "9007199254740991"]) {
    assert.equal((await access.verify(await resign(accessToken, { claims: { sub } }))).userId, Number(sub));
  }
  for (const sub of ["0", "01", "-1", "1.0", "1e3", "9007199254740993", "12345678901234567", " 1", 7]) {
    await assert.rejects(access.verify(await resign(accessToken, { claims: { sub } })), INVALID);
  }
});

Deno.test("A token of 2048 characters is read and a longer one is not", async () => {
  assert.equal((await access.verify(await ofLength(2048))).userId, 7);
  await assert.rejects(access.verify(await ofLength(2049)), INVALID);
});

Deno.test("Without a memory, every token is verified each time", async () => {
  const none = createAccessTokens({ ...deps, rememberedTokens: 0 });
  for (const token of [accessToken, accessToken]) assert.equal((await none.verify(token)).userId, 7);
});
