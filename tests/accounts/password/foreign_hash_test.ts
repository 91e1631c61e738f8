/** Hashes of other systems: which are read, what they cost, and that each fits its password alone. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { pbkdf2Sync } from "node:crypto";
import { makeUnmatchableHash } from "../../../src/accounts/password/argon2.ts";
import {
  compareForeign,
  costsOfForeign,
  dummiesFor,
  type ForeignCost,
  readForeignHash,
  spellingsOf,
} from "../../../src/accounts/password/foreign_hash.ts";

const PASSWORD = "pässwort";
const SALT = "AAECAwQFBgcICQoLDA0ODw==";
const SHA512 = "PrCBcQiOy7rS5ZaJngC7zWZNGqTsrlzNfe9DDiZ6LxK0w0lMiZuR1pJByFe8XONhwGu7fEkTmHnZilkJ4BJlSQ==";
const SHA1 = "fjDVX9doTx/iQzinquu3zxSQUzPd4cRouL28OJSeSINMT9T8WmSXe9v6RDpeTuTZNT4k7MU/eEZyvbsTvX+rMg==";
const SHA256 = "X994IUaPiAl4AyisNtgLBScygMeNbwKb8ypnNoF0UHQ=";
const SCRYPT = "ozijkK801age0LNvIzyHILdpfV1ZPmNLrXb7ZuBIZhq6OH1ve8NxggeML0CiEQCXlRwx5sp0aRE2MvLyvna9kA==";

function keycloak(
  algorithm: string,
  hashIterations: number,
  value: string,
  { salt = SALT, additionalParameters = {} } = {},
): string {
  const credentialData = JSON.stringify({ hashIterations, algorithm, additionalParameters });
  const secretData = JSON.stringify({ value, salt, additionalParameters: {} });
  return JSON.stringify({ id: "1", type: "password", credentialData, secretData });
}

/**
 * The keys of PBKDF2 and scrypt are those of Python's `hashlib`, the hashes of bcrypt from Openwall's `crypt_blowfish`
 * and of Argon2 from the reference implementation's tests. Those of passlib and of bcrypt behind SHA-256 were made with
 * passlib and Django.
 */
const READ: readonly (readonly [form: string, text: string, password: string])[] = [
  ["bcrypt 2a", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["bcrypt 2b", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["bcrypt 2y", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  [
    "bcrypt whose last characters have bits without a meaning",
    "$2b$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeX",
    "U*U",
  ],
  ["Django's bcrypt", "bcrypt$$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["PBKDF2", `$pbkdf2-sha256$i=29000$c2Vhc2FsdA$${SHA256.replace("=", "")}`, PASSWORD],
  ["Django's PBKDF2", `pbkdf2_sha256$29000$seasalt$${SHA256}`, PASSWORD],
  ["Keycloak's PBKDF2", keycloak("pbkdf2-sha512", 210_000, SHA512), PASSWORD],
  ["Keycloak's first PBKDF2", keycloak("pbkdf2", 20_000, SHA1), PASSWORD],
  [
    "Keycloak's Argon2",
    keycloak("argon2", 2, "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4=", {
      salt: "c29tZXNhbHQ=",
      additionalParameters: { type: ["id"], version: ["1.3"], memory: ["256"], parallelism: ["1"] },
    }),
    "password",
  ],
  ["scrypt", `$scrypt$ln=14,r=8,p=5$c2Vhc2FsdA$${SCRYPT.replace("==", "")}`, PASSWORD],
  ["Django's scrypt", `scrypt$16384$seasalt$8$5$${SCRYPT}`, PASSWORD],
  [
    "argon2i",
    "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8",
    "password",
  ],
  [
    "argon2id with padding, and bits without a meaning",
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHR=$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/5=",
    "password",
  ],
  [
    "argon2id without a version",
    "$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$2gcOV25Q8vOKPIl8vdxsf7QCjocJcf+erntOGHkpXm4",
    "password",
  ],
  [
    "passlib's PBKDF2 with SHA-1",
    "$pbkdf2$1000$ABEiM0RVZneImaq7zN3u/w$3sKxeU/AM.a3Ll5gW5HdfyH2HOg",
    PASSWORD,
  ],
  [
    "passlib's PBKDF2, which is also Zitadel's",
    "$pbkdf2-sha256$1000$ABEiM0RVZneImaq7zN3u/w$75j7usCevhy1Ew.qUlokFQvL6mN34B8wxZOd45MbT2A",
    PASSWORD,
  ],
  [
    "passlib's PBKDF2 with SHA-512",
    "$pbkdf2-sha512$1000$ABEiM0RVZneImaq7zN3u/w$2xitou8THMtGpCFESAYPsAtArETKDwMP7LKezalg.QboOFbkcdOg4GJwlW.hh2p//UNSB6l6D3ftsEyPHW.yuA",
    PASSWORD,
  ],
  [
    "passlib's bcrypt behind HMAC",
    "$bcrypt-sha256$v=2,t=2b,r=5$n79VH.0Q2TMWmt3Oqt9uku$b6pw67QUJdwZbk1vorAd2n8AmK7iA0e",
    PASSWORD,
  ],
  [
    "passlib's bcrypt behind SHA-256",
    "$bcrypt-sha256$2b,5$LrmaIX5x4TRtAwEfwJZa1.$mkvUoZ88ExQCa6/GKC8b0dJY7J/bieK",
    PASSWORD,
  ],
  [
    "Django's bcrypt behind SHA-256",
    "bcrypt_sha256$$2b$05$CCCCCCCCCCCCCCCCCCCCC.xbo7Wye67IbI6KGCePMDRDcYwU9TXdy",
    PASSWORD,
  ],
  [
    "Kratos' PBKDF2 with SHA-224",
    "$pbkdf2-sha224$i=1000,l=28$ABEiM0RVZneImaq7zN3u/w$9X1kVTxI2zcGTTLQN51bMCJtd91m8V8hkVD1kw",
    PASSWORD,
  ],
  [
    "Kratos' PBKDF2 with SHA-384",
    "$pbkdf2-sha384$i=1000,l=48$ABEiM0RVZneImaq7zN3u/w$W07QYCcpd1bX5GTRaBu5wpTedznkGtji8Ke3fbv4mZmd20RaDEvYu96+EI6GEJR8",
    PASSWORD,
  ],
  [
    "Kratos' scrypt",
    "$scrypt$ln=1024,r=8,p=1$ABEiM0RVZneImaq7zN3u/w==$/rEZCrhOgP2aEUKLhvytUoH7teb5brmDBO9HiCcxA1Y=",
    PASSWORD,
  ],
  [
    "better-auth",
    "00112233445566778899aabbccddeeff:4f4aaaf4e39202170bc9e3e2b379570bb3b276ac72df6594680266be551e5193c5703bc3ddf1d249c3e1c0f03af4bb2b93241f92ddb4094441153155935461e9",
    PASSWORD,
  ],
  [
    "Django's argon2id",
    "argon2$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    "password",
  ],
];

for (const [form, text, password] of READ) {
  Deno.test(`a hash of ${form} is read, is kept in one form, and fits its password alone`, async () => {
    const read = readForeignHash(` ${text}\n`);
    assert.ok("hash" in read, JSON.stringify(read));
    assert.deepEqual(readForeignHash(read.hash), read);
    for (const other of ["", `${password}x`, ` ${password}`, `${password}\0`]) {
      assert.equal(await compareForeign(other, read.hash), false, JSON.stringify(other));
    }
    assert.equal(await compareForeign(password, read.hash), true);
  });
}

const UNKNOWN = /^the hash is none of/;
const KEY = "A".repeat(43);
const REFUSED: readonly (readonly [what: string, text: string, fault: RegExp])[] = [
  ["an empty text", "", UNKNOWN],
  ["a password", "correct horse battery staple", UNKNOWN],
  ["MD5", "5f4dcc3b5aa765d61d8327deb882cf99", UNKNOWN],
  ["Unix's MD5", "$1$O3JMY.Tw$AdLnLjQ/5jXF9.MTp3gHv/", UNKNOWN],
  ["argon2d", `$argon2d$v=19$m=64,t=2,p=1$c29tZXNhbHQ$${KEY}`, /^argon2d is not supported$/],
  ["Firebase's scrypt", `${"A-_/".repeat(21)}AA==`, /^Firebase's scrypt is not supported$/],
  ["Kratos' form of it", "$firescrypt$ln=14,r=8,p=1$c2Fs$a2V5$Bw==$c2lnbg==", /^Firebase's scrypt is not/],
  ["costly passlib", `$pbkdf2-sha512$2000001$c2Fs$${KEY}`, /rounds must be 1 to 2000000/],
  ["costly bcrypt behind SHA-256", `bcrypt_sha256$$2b$15$${"C".repeat(53)}`, /cost must be 4 to 14/],
  [
    "costly bcrypt of passlib",
    `$bcrypt-sha256$v=2,t=2b,r=15$${"C".repeat(22)}$${"C".repeat(31)}`,
    /cost must be/,
  ],
  ["costly scrypt of Kratos", `$scrypt$ln=262144,r=8,p=1$c2Fs$${KEY}`, /at most 131072 KiB/],
  ["scrypt of an odd N", `$scrypt$ln=1000,r=8,p=1$c2Fs$${KEY}`, UNKNOWN],
  ["broken bcrypt", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", UNKNOWN],
  ["bcrypt that is cut short", "$2b$12$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe", UNKNOWN],
  ["costly bcrypt", "$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", /cost must be 4 to 14/],
  ["costly PBKDF2", `$pbkdf2-sha256$i=2000001$c2Fs$${KEY}`, /rounds must be 1 to 2000000/],
  ["PBKDF2 without rounds", `$pbkdf2-sha256$i=0$c2Fs$${KEY}`, /rounds must be/],
  ["PBKDF2 of a short key", "$pbkdf2-sha256$i=1000$c2Fs$QUJD", /16 to 64 bytes/],
  ["costly scrypt", `$scrypt$ln=18,r=8,p=1$c2Fs$${KEY}`, /at most 131072 KiB/],
  ["scrypt of no work", `$scrypt$ln=0,r=8,p=1$c2Fs$${KEY}`, /invalid/],
  ["Django's scrypt of an odd cost", `scrypt$16383$salt$8$1$${KEY}=`, UNKNOWN],
  ["argon2 of much memory", `$argon2id$v=19$m=131073,t=1,p=1$c29tZXNhbHQ$${KEY}`, /at most 131072 KiB/],
  ["argon2 of many passes", `$argon2id$v=19$m=131072,t=11,p=1$c29tZXNhbHQ$${KEY}`, /memory times passes/],
  ["argon2 of a short salt", `$argon2id$v=19$m=64,t=2,p=1$c2Fs$${KEY}`, /8 to 1024 bytes/],
  ["argon2 with a zero before the memory", `$argon2id$v=19$m=064,t=2,p=1$c29tZXNhbHQ$${KEY}`, UNKNOWN],
  ["argon2 of two memories", `$argon2id$v=19$m=64,m=64,t=2,p=1$c29tZXNhbHQ$${KEY}`, UNKNOWN],
  ["argon2 of less than nothing", `$argon2id$v=19$m=-64,t=2,p=1$c29tZXNhbHQ$${KEY}`, UNKNOWN],
  ["PBKDF2 of a long salt", `$pbkdf2-sha256$i=1000$${"AAAA".repeat(342)}$${KEY}`, /1 to 1024 bytes/],
  ["PBKDF2 of no salt", `$pbkdf2-sha256$i=1000$A$${KEY}`, UNKNOWN],
  ["PBKDF2 with more behind it", `$pbkdf2-sha256$i=1000$c2Fs$${KEY}$`, UNKNOWN],
  [
    "Keycloak's PBKDF2 of a salt in another code",
    keycloak("pbkdf2", 1000, SHA1, { salt: "c2Fs_-" }),
    UNKNOWN,
  ],
  ["scrypt of much parallel work", `$scrypt$ln=1,r=8,p=16384$c2Fs$${KEY}`, /at most 256/],
  ["scrypt of a large block", `$scrypt$ln=1,r=131072,p=1$c2Fs$${KEY}`, /at most 256/],
  ["argon2 of a short key", "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQ$QUJD", /16 to 64 bytes/],
  ["scrypt of a small block", `$scrypt$ln=16,r=1,p=1$c2Fs$${KEY}`, /invalid/],
  ["argon2 without lanes", `$argon2id$v=19$m=64,t=2,p=0$c29tZXNhbHQ$${KEY}`, /invalid/],
  ["Keycloak's Argon2 without its parameters", keycloak("argon2", 5, SHA1), UNKNOWN],
  ["JSON of another kind", '{"credentialData":"{}","secretData":1}', UNKNOWN],
  ["JSON that is none", '{"credentialData', UNKNOWN],
];

Deno.test("a hash of unknown form or absurd cost is refused, and never compared", async () => {
  for (const [what, text, fault] of REFUSED) {
    const read = readForeignHash(text);
    assert.ok("fault" in read, what);
    assert.match(read.fault, fault, what);
    assert.equal(await compareForeign("password", text), undefined, what);
  }
});

/** Cheap hashes with one character more, less, or other. */
function variants(): string[] {
  const cheap = [
    ...["$2b$04$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", `$scrypt$ln=1,r=8,p=1$c2Fs$${KEY}`],
    ...[`argon2$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$${KEY}=`, `pbkdf2_sha1$10$salt$${KEY}=`],
    ...[`$argon2i$v=16$m=64,t=1,p=2$c29tZXNhbHQ$${KEY}`, `$pbkdf2-sha512$i=10$c2Fs$${KEY}`],
  ];
  return cheap.flatMap((hash) =>
    Array.from(hash).flatMap((_, i) => {
      const [before, after] = [hash.slice(0, i), hash.slice(i + 1)];
      return [
        ...["", "0", "B", "="].map((other) => `${before}${other}${after}`),
        `${before}0${hash.slice(i)}`,
      ];
    })
  );
}

Deno.test("whatever is read can be compared, and is read again as the same", async () => {
  let compared = 0;
  for (const text of variants()) {
    const read = readForeignHash(text);
    if (!("hash" in read)) continue;
    assert.deepEqual(readForeignHash(read.hash), read, text);
    // Some have become costly.
    if (costsOfForeign(read.hash).some(({ work }) => work > 1000)) continue;
    assert.equal(await compareForeign("password", read.hash), false, text);
    compared++;
  }
  assert.ok(compared > 500, `${compared}`);
});

Deno.test("each form has a dummy of the same cost, which fits no password", async () => {
  for (const [form, text, password] of READ) {
    const read = readForeignHash(text);
    assert.ok("hash" in read, form);
    const costs = costsOfForeign(read.hash);
    const [dummy = "", ...others] = dummiesFor(costs);
    assert.deepEqual([costsOfForeign(dummy), others], [costs, []], form);
    assert.ok(costs.every(({ work }) => work > 0), form);
    assert.equal(await compareForeign(password, dummy), false, form);
  }
  assert.deepEqual(costsOfForeign(makeUnmatchableHash()), []);
});

Deno.test("Argon2's dummy has the most memory and at least the most work of all hashes", () => {
  const argon2 = (memory: number, passes: number): string =>
    `$argon2i$v=19$m=${memory},t=${passes},p=1$c29tZXNhbHQ$${KEY}`;
  const costliest = (hashes: string[]): ForeignCost[] => {
    const costs = hashes.flatMap(costsOfForeign).toSorted((a, b) => b.work - a.work);
    return ["argon2", "argon2-memory"].flatMap((kind) => costs.find((cost) => cost.kind === kind) ?? []);
  };
  const cases: [hashes: string[], parameters: string][] = [
    [[argon2(65536, 1), argon2(19456, 4), argon2(7168, 5)], "m=65536,t=2,p=1"],
    [[argon2(65536, 3), argon2(19456, 4)], "m=65536,t=3,p=1"],
    [[argon2(131072, 1), argon2(8, 163840)], "m=131072,t=10,p=1"],
    [[argon2(131071, 1), argon2(8, 163840)], "m=131071,t=10,p=1"],
  ];
  for (const [hashes, parameters] of cases) {
    const [dummy = "", ...others] = dummiesFor(costliest(hashes));
    assert.deepEqual(others, []);
    assert.equal(dummy.split("$")[3], parameters);
    assert.equal(costsOfForeign(dummy).length, 2);
  }
});

Deno.test("an empty password fits no hash, even one of an empty password", async () => {
  const hashes = [
    "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy",
    `$pbkdf2-sha256$i=1$c2Fs$${pbkdf2Sync("", "sal", 1, 32, "sha256").toString("base64").replace("=", "")}`,
  ];
  for (const hash of hashes) {
    assert.equal("hash" in readForeignHash(hash), true, hash);
    assert.equal(await compareForeign("", hash), false, hash);
  }
});

Deno.test("other systems may have hashed a password as typed, in NFC or in NFKC", () => {
  const cases = [
    ["plain"],
    ["caf\u00e9"],
    ["cafe\u0301", "caf\u00e9"],
    ["\uff43e\u0301\u3000", "\uff43\u00e9\u3000", "c\u00e9 "],
  ];
  for (const spellings of cases) assert.deepEqual([...spellingsOf(spellings[0] ?? "")], spellings);
});

Deno.test("only the first digest of a long key of PBKDF2 is kept: it tells as much, and each further one costs as much", async () => {
  const key = pbkdf2Sync("password", "sal", 10, 64, "sha1").toString("base64").replace(/=+$/, "");
  const read = readForeignHash(`$pbkdf2-sha1$i=10$c2Fs$${key}`);
  assert.ok("hash" in read);
  assert.deepEqual(costsOfForeign(read.hash).map(({ work }) => work), [10]);
  assert.equal(await compareForeign("password", read.hash), true);
  assert.equal(await compareForeign("passwort", read.hash), false);
});

Deno.test("the work grows with what a comparison takes", () => {
  const ofSha1 = (rounds: number, bytes: number): string =>
    `$pbkdf2-sha1$i=${rounds}$c2Fs$${Buffer.alloc(bytes).toString("base64").replace(/=+$/, "")}`;
  const pairs = [
    [`$2b$10$${".".repeat(53)}`, `$2y$11$${".".repeat(53)}`],
    [`$scrypt$ln=14,r=8,p=1$c2Fs$${KEY}`, `$scrypt$ln=14,r=8,p=2$c2Fs$${KEY}`],
    [`$argon2i$v=19$m=8192,t=3,p=1$c29tZXNhbHQ$${KEY}`, `$argon2id$v=19$m=16384,t=2,p=1$c29tZXNhbHQ$${KEY}`],
    [ofSha1(1000, 64), ofSha1(5000, 20)],
    [ofSha1(1000, 20), ofSha1(1000, 21)],
  ] as const;
  for (const [less, more] of pairs) {
    const [[one], [other]] = [costsOfForeign(less), costsOfForeign(more)];
    assert.equal(one?.kind, other?.kind);
    assert.ok((one?.work ?? 0) < (other?.work ?? 0), `${less} and ${more}`);
  }
});
