import assert from "node:assert/strict";
import fc from "fast-check";
import { isEmail, normalizeEmail } from "../../src/core/email.ts";

Deno.test("normalizing an address ignores case, width and surrounding space", () => {
  const spellings = [
    "anna@example.com",
    "Anna@Example.COM",
    "  anna@example.com\n",
    "ａｎｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ",
  ];
  for (const spelling of spellings) assert.equal(normalizeEmail(spelling), "anna@example.com");
  assert.equal(normalizeEmail("jose\u0301@example.com"), normalizeEmail("JOSÉ@example.com"));
});

Deno.test("normalizing an address twice changes nothing", () => {
  assert.equal(normalizeEmail(normalizeEmail("İ\u0323@x.nl")), normalizeEmail("İ\u0323@x.nl"));
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.equal(normalizeEmail(normalizeEmail(text)), normalizeEmail(text));
  }));
});

Deno.test("usual and international addresses are accepted", () => {
  const addresses = [
    "anna@example.com",
    "anna.b+tag@mail.example.co.uk",
    "o'brien_1@example-site.org",
    "admin@localhost",
    "jörg@münchen.example",
    "用户@例子.公司",
    " Anna@Example.com ",
    `${"a".repeat(244)}@example.com`,
  ];
  for (const address of addresses) assert.ok(isEmail(address), address);
});

Deno.test("text other than one plain address is refused", () => {
  const texts = [
    "",
    "anna",
    "@example.com",
    "anna@",
    "anna@example",
    "anna@@example.com",
    "anna@example.com@evil.example",
    "anna@.example.com",
    "anna@example..com",
    "anna@example.com.",
    "anna@-example.com",
    "anna b@example.com",
    "anna@exam ple.com",
    '"anna"@example.com',
    "Anna <anna@example.com>",
    "anna@example.com,bob@example.com",
    "anna@[127.0.0.1]",
    "anna@exam\u00ADple.com",
    "anna\u200B@example.com",
    "anna\u0000@example.com",
    "anna@example.com\r\nBcc: bob@example.com",
    "anna\nb@example.com",
    "anna@example.com\u2028b",
    "\ud800anna@example.com",
  ];
  for (const text of texts) assert.ok(!isEmail(text), JSON.stringify(text));
});

Deno.test("the limit of length applies after normalization", () => {
  assert.ok(isEmail(`${"a".repeat(256 - 12)}@example.com`));
  assert.ok(!isEmail(`${"a".repeat(257 - 12)}@example.com`));
  // One character that is written as 18.
  assert.ok(!isEmail(`${"\uFDFA".repeat(20)}@example.com`));
  assert.ok(isEmail(`${"e\u0301".repeat(240)}@example.com`));
});

Deno.test("no accepted address contains a line break, a space or a separator of addresses", () => {
  const unit = fc.constantFrom(
    "a",
    "@",
    ".",
    "\r",
    "\n",
    " ",
    ",",
    ";",
    "<",
    ">",
    '"',
    "\u00a0",
    "\u2028",
    "\u0000",
  );
  fc.assert(fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
    if (isEmail(text)) assert.match(normalizeEmail(text), /^[a.]+@[a.]+$/);
  }));
  fc.assert(fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 3 }), (text) => {
    const email = `a${text}b@example.com`;
    if (isEmail(email)) assert.doesNotMatch(normalizeEmail(email), /[\p{Cc}\p{Cf}\p{Z},;:<>"()[\]\\]/u);
  }));
});
