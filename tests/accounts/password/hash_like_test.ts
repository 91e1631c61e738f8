/** `hashLike` repeats the salt and the parameters of another hash. */
import assert from "node:assert/strict";
import { argon2id } from "hash-wasm";
import { loadNativeArgon2, loadWasmArgon2 } from "../../../src/accounts/password/argon2.ts";
import { createPasswordHasher } from "../../../src/accounts/password/hasher.ts";

const LOADERS = [loadNativeArgon2, loadWasmArgon2];

Deno.test("hashLike returns the same hash exactly for the same text", async () => {
  for (const load of LOADERS) {
    const hasher = createPasswordHasher({ loadArgon2: load });
    const phc = await hasher.hash("0123456789ABCDEF");
    for (const again of LOADERS) {
      const { hashLike } = createPasswordHasher({ loadArgon2: again });
      assert.equal(await hashLike("0123456789ABCDEF", phc), phc);
      const other = await hashLike("0123456789ABCDEG", phc);
      assert.notEqual(other, phc);
      assert.equal(other.slice(0, 54), phc.slice(0, 54), "salt and parameters");
    }
  }
});

Deno.test("hashLike uses the parameters of the other hash, not today's", async () => {
  const phc = await argon2id({
    password: "0123456789ABCDEF",
    salt: new Uint8Array(16).fill(3),
    memorySize: 1024,
    iterations: 3,
    parallelism: 1,
    hashLength: 24,
    outputType: "encoded",
  });
  for (const load of LOADERS) {
    const { hashLike } = createPasswordHasher({ loadArgon2: load });
    assert.equal(await hashLike("0123456789ABCDEF", phc), phc);
  }
});

Deno.test("hashLike throws for a hash that is not Argon2id", async () => {
  for (const load of LOADERS) {
    const { hashLike } = createPasswordHasher({ loadArgon2: load });
    for (const phc of ["", "plain", "$argon2i$v=19$m=1024,t=3,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAA"]) {
      await assert.rejects(async () => await hashLike("text", phc), TypeError);
    }
  }
});
