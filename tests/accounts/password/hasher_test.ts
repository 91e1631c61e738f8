/** Hashing: parameters, two implementations that agree, equal costs of failures, and fair queues. */
import assert from "node:assert/strict";
import { argon2id } from "hash-wasm";
import { AppError } from "../../../src/core/errors.ts";
import {
  type Argon2,
  isOutdatedHash,
  loadArgon2,
  loadNativeArgon2,
  loadWasmArgon2,
  makeUnmatchableHash,
} from "../../../src/accounts/password/argon2.ts";
import {
  createPasswordHasher,
  type PasswordHasher,
  type PasswordVerdict,
} from "../../../src/accounts/password/hasher.ts";
import { asCaller, asStranger } from "../../helpers/callers.ts";

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
/** The hash of "U*U" by another system. */
const FOREIGN = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const right = { ok: true, needsRehash: false, isUnreadable: false };
const wrong = { ok: false, needsRehash: false, isUnreadable: false };

Deno.test("a hash is a PHC string of Argon2id with 19 MiB, two passes, one lane and a fresh salt", async () => {
  for (const load of [loadNativeArgon2, loadWasmArgon2]) {
    const hasher = createPasswordHasher({ loadArgon2: load });
    const first = await hasher.hash("a heron at dusk");
    assert.match(first, PHC);
    assert.notEqual(await hasher.hash("a heron at dusk"), first);
  }
});

Deno.test("the native and the WebAssembly implementation verify each other's hashes", async () => {
  const native = createPasswordHasher({ loadArgon2: loadNativeArgon2 });
  const wasm = createPasswordHasher({ loadArgon2: loadWasmArgon2 });
  for (const password of ["a heron at dusk", "žluťoučký kůň 🐎", "\ud800 is half a character"]) {
    const nativeHash = await native.hash(password);
    const wasmHash = await wasm.hash(password);
    for (const hasher of [native, wasm]) {
      assert.deepEqual(await hasher.verify(password, nativeHash), right);
      assert.deepEqual(await hasher.verify(password, wasmHash), right);
      assert.deepEqual(await hasher.verify(`${password} `, nativeHash), wrong);
      assert.deepEqual(await hasher.verify(`${password} `, wasmHash), wrong);
    }
  }
});

Deno.test("the empty password matches no hash and throws no error", async () => {
  for (const load of [loadNativeArgon2, loadWasmArgon2]) {
    const hasher = createPasswordHasher({ loadArgon2: load });
    const phc = await hasher.hash("\0");
    assert.deepEqual(await hasher.verify("", phc), wrong);
  }
});

Deno.test("the native implementation is used if it loads, and WebAssembly otherwise", async () => {
  assert.equal((await loadArgon2()).name, "native");
  assert.equal((await loadArgon2(() => Promise.reject(new Error("no add-on")))).name, "wasm");
});

Deno.test("a password matches in any Unicode composition", async () => {
  const hasher = createPasswordHasher();
  const phc = await hasher.hash("cafe\u0301 au lait");
  assert.deepEqual(await hasher.verify("caf\u00e9 au lait", phc), right);
});

Deno.test("a right password under a weaker hash asks for a rehash, a wrong password does not", async () => {
  const weak = { salt: "sixteen bytes ab", parallelism: 1, hashLength: 32, outputType: "encoded" } as const;
  const fewerPasses = await argon2id({ ...weak, password: "a heron", memorySize: 19456, iterations: 1 });
  const lessMemory = await argon2id({ ...weak, password: "a heron", memorySize: 4096, iterations: 3 });
  const foreignCosts = { covering: () => Promise.resolve([lessMemory]) };
  const hasher = createPasswordHasher({ foreignCosts });
  for (const phc of [fewerPasses, lessMemory]) {
    assert.deepEqual(await hasher.verify("a heron", phc), { ...right, needsRehash: true });
    assert.deepEqual(await hasher.verify("a hero", phc), wrong);
  }
});

Deno.test("every hash but those with the form and cost of new ones is outdated", () => {
  const parts = `$${"A".repeat(22)}$${"A".repeat(43)}`;
  assert.equal(isOutdatedHash(makeUnmatchableHash()), false);
  assert.equal(isOutdatedHash(`$argon2id$v=19$m=19456,t=2,p=1${parts}`), false);
  const outdated = [
    `$argon2id$v=19$m=65536,t=3,p=4${parts}`,
    `$argon2id$v=16$m=19456,t=2,p=1${parts}`,
    `$argon2i$v=19$m=19456,t=2,p=1${parts}`,
    `$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA`,
    // No bytes have this text.
    `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"z".repeat(43)}`,
    "$2b$12$abc",
  ];
  for (const hash of outdated) assert.equal(isOutdatedHash(hash), true, hash);
});

/** Options for a hasher, and the hashes that it compared. */
async function watchArgon2() {
  const verified: string[] = [];
  const native = await loadNativeArgon2();
  const argon2: Argon2 = {
    ...native,
    verify: (password, phc) => {
      verified.push(phc);
      return native.verify(password, phc);
    },
  };
  return { watched: { loadArgon2: () => Promise.resolve(argon2) }, verified };
}

Deno.test("an unknown account costs one verification with today's parameters and never matches", async () => {
  const { watched, verified } = await watchArgon2();
  const hasher = createPasswordHasher(watched);
  assert.deepEqual(await hasher.verifyDummy("a heron at dusk"), wrong);
  assert.deepEqual(await hasher.verifyDummy(""), wrong);
  assert.equal(verified.length, 2);
  assert.match(verified[0] ?? "", PHC);
  assert.match(makeUnmatchableHash(), PHC);
});

Deno.test("a stored hash that cannot be compared costs as much as one that can, and matches nothing", async () => {
  const { watched, verified } = await watchArgon2();
  const hasher = createPasswordHasher(watched);
  const costly = `$argon2id$v=19$m=9999999,t=9,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
  for (const hash of ["", "a heron", costly]) {
    assert.deepEqual(await hasher.verify("a heron", hash), { ...wrong, isUnreadable: true });
  }
  assert.equal(verified.length, 3);
  for (const hash of verified) assert.match(hash, PHC);
});

Deno.test("with hashes of other systems, each comparison costs one of ours, and strangers leave room", async () => {
  const { watched, verified } = await watchArgon2();
  const foreignCosts = { covering: () => Promise.resolve([`$2b$04$${".".repeat(53)}`]) };
  const hasher = createPasswordHasher({ ...watched, foreignCosts });
  const own = await hasher.hash("a heron");
  const compareWrong = (i: number): Promise<PasswordVerdict> => {
    const hash = [FOREIGN, own, "unreadable"][i % 3] as string;
    return asStranger(`198.18.${i}.0`, () => hasher.verify("a hero", hash));
  };
  // They hold as much as they leave free; the others wait.
  const runs = Array.from({ length: 21 }, (_, i) => compareWrong(i));
  runs.push(verifyFor(hasher, 1));
  const verdicts = await Promise.all(runs);
  assert.deepEqual(new Set(verdicts.map(({ ok }) => ok)), new Set([false]));
  assert.equal(verdicts.filter(({ isUnreadable }) => isUnreadable).length, 7);
  assert.equal(verified.length, 22);
  assert.deepEqual(await hasher.verify("U*U", FOREIGN), { ...right, needsRehash: true });
});

Deno.test("a role's password costs one of ours, whatever hashes of other systems there are", async () => {
  const { watched, verified } = await watchArgon2();
  const foreignCosts = { covering: () => Promise.reject(new Error("asked for their costs")) };
  const hasher = createPasswordHasher({ ...watched, foreignCosts });
  const own = await hasher.hash("a heron");
  const tries = [["a heron", own], ["a hero", own], ["a heron", null], ["", null], ["U*U", FOREIGN]] as const;
  const fit = await Promise.all(tries.map(([password, hash]) => hasher.verifyOwn(password, hash)));
  assert.deepEqual(fit, [true, false, false, false, false]);
  assert.equal(verified.length, tries.length);
});

/** An Argon2 whose verifications wait until `release` is called. */
function createHeldArgon2(): { argon2: Argon2; release: () => void; running: () => number } {
  const held = Promise.withResolvers<void>();
  let running = 0;
  return {
    release: held.resolve,
    running: () => running,
    argon2: {
      name: "native",
      hash: () => Promise.resolve("unused"),
      hashLike: () => Promise.resolve("unused"),
      async verify(): Promise<boolean> {
        running++;
        await held.promise;
        return true;
      },
    },
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "UNAVAILABLE" && error.retryAfterSeconds === 1;
}

/** Compares a password on behalf of a user. */
function verifyFor(hasher: PasswordHasher, userId: number): Promise<PasswordVerdict> {
  return asCaller(`1:${userId}`, () => hasher.verifyDummy("a heron"));
}

function verifyFrom(hasher: PasswordHasher, network: string): Promise<PasswordVerdict> {
  return asStranger(network, () => hasher.verifyDummy("a heron"));
}

Deno.test("hashing leaves one core to requests; 36 hashes run or wait, and the next is refused", async () => {
  const { argon2, release, running } = createHeldArgon2();
  const hasher = createPasswordHasher({ loadArgon2: () => Promise.resolve(argon2) });
  const runs = Array.from({ length: 36 }, (_, i) => verifyFor(hasher, i));
  await assert.rejects(verifyFor(hasher, 36), isUnavailable);
  assert.equal(running(), Math.min(Math.max(navigator.hardwareConcurrency - 1, 1), 4));
  release();
  assert.equal((await Promise.all(runs)).length, 36);
  assert.equal(await hasher.hash("a heron"), "unused");
});

const CROWDS: [string, (hasher: PasswordHasher, i: number) => Promise<PasswordVerdict>][] = [
  ["one user", (hasher) => verifyFor(hasher, 1)],
  ["one client", (hasher) => verifyFrom(hasher, "192.0.2.1")],
  ["strangers from everywhere", (hasher, i) => verifyFrom(hasher, `198.18.${i}.0`)],
];

for (const [name, verify] of CROWDS) {
  Deno.test(`however many hashes of ${name} wait, others get in and are next`, async () => {
    const { argon2, release } = createHeldArgon2();
    const hasher = createPasswordHasher({ loadArgon2: () => Promise.resolve(argon2) });
    const ended: string[] = [];
    const crowd = Array.from({ length: 36 }, async (_, i) => {
      await verify(hasher, i);
      ended.push("crowd");
    });
    const refused = Promise.allSettled(crowd);
    await assert.rejects(verify(hasher, 36), isUnavailable);
    const others = [2, 3, 4].map(async (userId) => {
      await verifyFor(hasher, userId);
      ended.push("other");
    });
    release();
    await Promise.all(others);
    assert.equal((await refused).filter(({ status }) => status === "rejected").length, 3);
    assert.ok(ended.lastIndexOf("other") < 12, ended.join());
  });
}
