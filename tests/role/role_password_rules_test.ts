/** Which texts a role's password may be, and how a header carries one. */
import assert from "node:assert/strict";
import { isRolePassword, readHeaderText } from "../../src/role/password/role_password.ts";

Deno.test("a role's password has 12 to 128 code points of its normalized form", () => {
  for (const unit of ["x", "🦊", "e\u0301"]) {
    assert.equal(isRolePassword(unit.repeat(11)), false);
    assert.equal(isRolePassword(unit.repeat(12)), true);
    assert.equal(isRolePassword(unit.repeat(128)), true);
    assert.equal(isRolePassword(unit.repeat(129)), false);
  }
});

Deno.test("a text that decomposes furthest is counted in its normalized form", () => {
  // One code point, which decomposes into four.
  assert.equal(isRolePassword("\u1F82".normalize("NFD").repeat(128)), true);
});

Deno.test("a text too long for any normalization is refused", () => {
  assert.equal(isRolePassword("x".repeat(1025)), false);
});

Deno.test("a header's bytes are read as UTF-8, or else as ISO 8859-1", () => {
  assert.equal(readHeaderText("plain"), "plain");
  assert.equal(readHeaderText("gr\u00C3\u00BCn"), "grün");
  assert.equal(readHeaderText("gr\u00FCn"), "gr\u00FCn");
});
