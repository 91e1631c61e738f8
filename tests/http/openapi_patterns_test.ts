/** Every pattern of the document uses only syntax that all languages share. */
import assert from "node:assert/strict";
import { readPatterns } from "./openapi_patterns.ts";

/**
 * What means the same in ECMA-262 (without a flag), RE2 and Go, Java, .NET, Python and PCRE: ASCII literals, escapes of
 * two hexadecimal digits, classes of these, anchors at both ends, and bounded repetition.
 */
const CHARACTER = String.raw`(?:[A-Za-z0-9 _:@%,/-]|\\x[0-9a-f]{2})`;
const ATOM = String.raw`(?:${CHARACTER}|\\\.|\[\^?(?:${CHARACTER}(?:-${CHARACTER})?)+\])`;
const PORTABLE = new RegExp(String.raw`^\^(?:${ATOM}(?:[*+?]|\{\d{1,3}(?:,\d{1,3})?\})?)+\$$`);

Deno.test("every pattern of the document uses only syntax that all languages share", async () => {
  const patterns = await readPatterns();
  assert.ok(patterns.length >= 7, patterns.join(" "));
  for (const pattern of patterns) {
    assert.match(pattern, PORTABLE);
    new RegExp(pattern);
    new RegExp(pattern, "u");
  }
});

Deno.test("a pattern with the syntax of one language is not portable", () => {
  for (
    const pattern of ["^[^\\p{Cc}]$", "^\\d$", "^(?=a)b$", "a", "^\\u0000$", "^a{1,1001}$", "^[\\w]$", "^ä$"]
  ) {
    assert.doesNotMatch(pattern, PORTABLE);
  }
});
