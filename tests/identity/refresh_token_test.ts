/** Refresh tokens are bound to family and generation by a MAC, and only one spelling is read. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createSecrets, type SecretKey } from "../../src/core/secrets.ts";
import {
  generateFamily,
  hashFamily,
  makeRefreshToken,
  networkMac,
  readRefreshToken,
} from "../../src/identity/token/refresh_token.ts";

function key(id: string): SecretKey {
  return { id, bytes: new Uint8Array(Buffer.alloc(32, id)) };
}

const secrets = await createSecrets([key("a")]);
const FAMILY = Buffer.alloc(32, "family").toString("base64url");
const TOKEN = await makeRefreshToken(secrets, FAMILY, 12);
const [, , MAC = ""] = TOKEN.split(".");

Deno.test("Reading a refresh token returns its family and generation", async () => {
  assert.deepEqual(await readRefreshToken(secrets, TOKEN), {
    family: FAMILY,
    generation: 12,
    familyHash: createHash("sha256").update(FAMILY).digest("base64url"),
  });
});

Deno.test("The same family and generation give the same token", async () => {
  assert.equal(await makeRefreshToken(secrets, FAMILY, 12), TOKEN);
});

Deno.test("The MAC of a refresh token depends on its use, its family and its generation", async () => {
  const [mac] = await secrets.macs("refresh", FAMILY, "12");
  assert.equal(TOKEN, `${FAMILY}.12.${mac}`);
});

Deno.test("The MAC of a network depends on its use, its family and its /64", async () => {
  const [mac] = await secrets.macs("refresh.network", FAMILY, "2001:db8:0:1::/64");
  for (const address of ["2001:db8:0:1::1", "2001:db8:0:1:2:3:4:5"]) {
    assert.equal(await networkMac(secrets, FAMILY, address), mac);
  }
  assert.notEqual(await networkMac(secrets, FAMILY, "2001:db8:0:2::1"), mac);
  assert.notEqual(await networkMac(secrets, generateFamily(), "2001:db8:0:1::1"), mac);
});

Deno.test("Each generation and each family has its own token", async () => {
  const other = generateFamily();
  const tokens = [
    TOKEN,
    await makeRefreshToken(secrets, FAMILY, 13),
    await makeRefreshToken(secrets, other, 12),
  ];
  assert.equal(new Set(tokens.map((token) => token.split(".")[2])).size, 3);
});

Deno.test("A new family is 32 random bytes", async () => {
  const families = [generateFamily(), generateFamily()];
  assert.notEqual(families[0], families[1]);
  for (const family of families) {
    assert.equal(Buffer.from(family, "base64url").byteLength, 32);
    const token = await makeRefreshToken(secrets, family, 1);
    assert.equal((await readRefreshToken(secrets, token))?.family, family);
  }
});

/** Replaces the character at `index` with another one of the alphabet. */
function flip(text: string, index: number): string {
  return text.slice(0, index) + (text.charAt(index) === "A" ? "B" : "A") + text.slice(index + 1);
}

const TAMPERED: Record<string, string> = {
  "another family": [flip(FAMILY, 0), 12, MAC].join("."),
  "the last character of the family changed": [flip(FAMILY, 42), 12, MAC].join("."),
  "a later generation": [FAMILY, 13, MAC].join("."),
  "an earlier generation": [FAMILY, 11, MAC].join("."),
  "another MAC": [FAMILY, 12, flip(MAC, 0)].join("."),
  "the last character of the MAC changed": [FAMILY, 12, flip(MAC, 42)].join("."),
  "a leading zero": [FAMILY, "012", MAC].join("."),
  "a sign": [FAMILY, "+12", MAC].join("."),
  "a fraction": [FAMILY, "12.0", MAC].join("."),
  "another notation of the generation": [FAMILY, "1.2e1", MAC].join("."),
  "other digits": [FAMILY, "１２", MAC].join("."),
  "a padded family": [`${FAMILY}=`, 12, MAC].join("."),
  "a padded MAC": `${TOKEN}=`,
  "white space before it": ` ${TOKEN}`,
  "a line break after it": `${TOKEN}\n`,
  "a fourth part": `${TOKEN}.${MAC}`,
  "no MAC": [FAMILY, 12, ""].join("."),
  "no generation": [FAMILY, "", MAC].join("."),
  "no family": ["", 12, MAC].join("."),
  "nothing": "",
  "dots alone": "..",
  "a very long generation": [FAMILY, "1".repeat(100_000), MAC].join("."),
  "a very long family": ["A".repeat(100_000), 12, MAC].join("."),
};

for (const [name, text] of Object.entries(TAMPERED)) {
  Deno.test(`A refresh token with ${name} is refused`, async () => {
    assert.notEqual(text, TOKEN);
    assert.equal(await readRefreshToken(secrets, text), undefined);
  });
}

Deno.test("A family that is not canonical base64url is refused, even with a valid MAC", async () => {
  const family = `${FAMILY.slice(0, -1)}${FAMILY.endsWith("B") ? "C" : "B"}`;
  assert.notEqual(Buffer.from(family, "base64url").toString("base64url"), family);
  const [mac] = await secrets.macs("refresh", family, "12");
  assert.equal(await readRefreshToken(secrets, `${family}.12.${mac}`), undefined);
});

Deno.test("Generation 0 and unsafe integers are refused, even with a valid MAC", async () => {
  for (const generation of ["0", "9007199254740993"]) {
    const [mac] = await secrets.macs("refresh", FAMILY, generation);
    assert.equal(await readRefreshToken(secrets, `${FAMILY}.${generation}.${mac}`), undefined);
  }
});

Deno.test("A MAC made for another purpose is refused", async () => {
  const [mac] = await secrets.macs("link", FAMILY, "12");
  assert.equal(await readRefreshToken(secrets, `${FAMILY}.12.${mac}`), undefined);
});

Deno.test("A token under another secret is refused", async () => {
  const token = await makeRefreshToken(await createSecrets([key("b")]), FAMILY, 12);
  assert.equal(await readRefreshToken(secrets, token), undefined);
});

Deno.test("After a rotation old tokens are read and new ones use the new key", async () => {
  const rotated = await createSecrets([key("b"), key("a")]);
  const newOnly = await createSecrets([key("b")]);
  assert.equal((await readRefreshToken(rotated, TOKEN))?.generation, 12);
  const token = await makeRefreshToken(rotated, FAMILY, 12);
  assert.equal((await readRefreshToken(rotated, token))?.generation, 12);
  assert.equal((await readRefreshToken(newOnly, token))?.generation, 12);
  assert.equal(await readRefreshToken(newOnly, TOKEN), undefined);
});

Deno.test("The hash of a family differs from the family", async () => {
  const hash = await hashFamily(FAMILY);
  assert.match(hash, /^[A-Za-z0-9_-]{43}$/);
  assert.notEqual(hash, FAMILY);
});

Deno.test("Making a token from an invalid family or generation throws a RangeError", async () => {
  for (const generation of [0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, NaN]) {
    await assert.rejects(makeRefreshToken(secrets, FAMILY, generation), {
      name: "RangeError",
      message: "Cannot make a refresh token: the generation must be a positive integer",
    });
  }
  await assert.rejects(makeRefreshToken(secrets, "short", 1), {
    name: "RangeError",
    message: "Cannot make a refresh token: the family is malformed",
  });
});
