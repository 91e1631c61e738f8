/** MACs of mailed codes, and sets of recovery codes. */
import assert from "node:assert/strict";
import { createSecrets } from "../../src/core/secrets.ts";
import { codeMacs } from "../../src/identity/factor/one_time_code.ts";
import { passwordLinkMacs } from "../../src/identity/password_link.ts";
import type { PasswordVerifier } from "../../src/identity/deps.ts";
import { makeRecoverySet } from "../../src/identity/factor/recovery_set.ts";

const secrets = await createSecrets([{ id: "a", bytes: new Uint8Array(32) }]);

Deno.test("a code's MAC depends on its purpose, its subject and its digits", async () => {
  const all = await Promise.all([
    codeMacs(secrets, "email_otp.challenge", "7", "123456"),
    codeMacs(secrets, "email_otp.challenge", "7", "123457"),
    codeMacs(secrets, "email_otp.challenge", "8", "123456"),
    codeMacs(secrets, "email_transfer", "7", "123456"),
    passwordLinkMacs(secrets, "123456"),
    secrets.macs("", "email_otp.challenge", "7", "123456"),
    secrets.macs("", "123456"),
  ]);
  assert.equal(new Set(all.map(([mac]) => mac)).size, all.length);
  assert.deepEqual(all[0], await codeMacs(secrets, "email_otp.challenge", "7", "123456"));
  assert.deepEqual(all[4], await passwordLinkMacs(secrets, "123456"));
});

Deno.test("a recovery set is ten codes of four groups, hashed without hyphens under one salt", async () => {
  const calls: string[][] = [];
  const passwords = {
    hash: (...args: string[]): Promise<string> => {
      calls.push(["hash", ...args]);
      return Promise.resolve("first hash");
    },
    hashLike: (...args: string[]): Promise<string> => {
      calls.push(["like", ...args]);
      return Promise.resolve(`hash of ${args[0]}`);
    },
  } as unknown as PasswordVerifier;
  const { codes, hashes } = await makeRecoverySet(passwords);
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  const [first = "", ...others] = codes.map((code) => code.replaceAll("-", ""));
  assert.deepEqual(calls, [
    ["hash", first],
    ...others.map((code) => ["like", code, "first hash"]),
  ]);
  assert.deepEqual(hashes, ["first hash", ...others.map((code) => `hash of ${code}`)]);
});
