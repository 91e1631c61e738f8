/** Which passwords the rules refuse, and why. */
import assert from "node:assert/strict";
import { isCommonPassword } from "../../../src/accounts/password/common_passwords.ts";
import {
  checkPassword,
  checkPasswordItself,
  checkPasswordName,
  normalizePassword,
} from "../../../src/accounts/password/rules.ts";

const issuerName = "Rolegrid";

Deno.test("a password of 8 to 256 code points of any script is accepted", async () => {
  for (const password of ["zq4!Lm0x", "        ", "ключ от дома", "🔑🚪🏠🌧️🌲🦊🧊", "x".repeat(255) + "é"]) {
    assert.equal(await checkPasswordItself(password), undefined, password);
  }
});

Deno.test("length is counted in code points of the normalized form", async () => {
  assert.equal(await checkPasswordItself("zq4!Lm0"), "PASSWORD_TOO_SHORT");
  assert.equal(await checkPasswordItself(""), "PASSWORD_TOO_SHORT");
  assert.equal(await checkPasswordItself("🦊".repeat(7)), "PASSWORD_TOO_SHORT");
  assert.equal(await checkPasswordItself("e\u0301".repeat(7)), "PASSWORD_TOO_SHORT");
  assert.equal(await checkPasswordItself("🦊".repeat(256)), undefined);
  assert.equal(await checkPasswordItself("e\u0301".repeat(256)), undefined);
  assert.equal(await checkPasswordItself("🦊".repeat(257)), "PASSWORD_TOO_LONG");
});

Deno.test("a decomposed password is measured in its normalized form, and one beyond any limit is refused", async () => {
  // Each code point decomposes into four, 1024 in all.
  assert.equal(await checkPasswordItself("\u1F82".normalize("NFD").repeat(256)), undefined);
  assert.equal(await checkPasswordItself("x".repeat(2049)), "PASSWORD_TOO_LONG");
});

Deno.test("spaces around a password count and are not trimmed", async () => {
  assert.equal(await checkPasswordItself(" zq4!Lm "), undefined);
  assert.notEqual(normalizePassword(" a "), normalizePassword("a"));
});

Deno.test("the most common passwords are refused in any case", async () => {
  for (const password of ["password", "12345678", "Password", "QWERTYUIOP", "iloveyou1", "!qaz2wsx"]) {
    assert.equal(await checkPasswordItself(password), "PASSWORD_TOO_COMMON", password);
  }
});

Deno.test("a password that only contains a common one is accepted", async () => {
  assert.equal(await isCommonPassword("password and a heron"), false);
  assert.equal(await isCommonPassword("toString"), false);
  assert.equal(await isCommonPassword(""), false);
});

Deno.test("the address, its local part and the service's name are refused, ignoring case and width", async () => {
  const names = { email: "anna.bell@example.com", issuerName: "Rolegrid Service" };
  for (const password of ["Anna.Bell@Example.com", "ANNA.BELL", "rolegrid SERVICE", "ａｎｎａ．ｂｅｌｌ"]) {
    assert.equal(checkPasswordName(password, names), "PASSWORD_EQUALS_NAME", password);
    assert.equal(await checkPassword(password, names), "PASSWORD_EQUALS_NAME", password);
  }
  for (const password of ["anna.bell1", "example.com", "anna.bell@example.org", " anna.bell"]) {
    assert.equal(checkPasswordName(password, names), undefined, password);
  }
});

Deno.test("without an account, only the service's name is compared", async () => {
  assert.equal(await checkPassword("anna.bell", { issuerName }), undefined);
  assert.equal(await checkPassword("ROLEGRID", { issuerName }), "PASSWORD_EQUALS_NAME");
});

Deno.test("a password that breaks several rules is refused by those that need no account", async () => {
  assert.equal(await checkPassword("anna", { email: "anna@example.com", issuerName }), "PASSWORD_TOO_SHORT");
  assert.equal(
    await checkPassword("password", { email: "password@x.nl", issuerName }),
    "PASSWORD_TOO_COMMON",
  );
});
