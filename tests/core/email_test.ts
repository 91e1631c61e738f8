/** Addresses of email have one normal spelling, and what is no plain address is refused. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { domainToASCII, domainToUnicode } from "node:url";
import { toAce, toShown } from "../../src/core/domain.ts";
import { isEmail, normalizeEmail, toDeliverable } from "../../src/core/email.ts";

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
    "anna@0x7f.1.example",
    "anna@1.1a",
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
    "anna@127.0.0.1",
    "anna@0x7f.1",
    "anna@0x7f。1",
    "anna@1。2。3.4",
    "anna@bücher.1",
    "anna@xn--bcher-kva.0X7F",
    "anna@example.0x",
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

/** Empty for a domain that the standard refuses. Older runtimes throw. */
function acceptedAce(domain: string): string {
  try {
    return domainToASCII(domain);
  } catch {
    return "";
  }
}

Deno.test("a domain has one form in ASCII and one in Unicode, by UTS 46, non-transitional", () => {
  const letters = fc.constantFrom(..."abz09-.ßςüéẞİıاب日本กल्ЖжǅΣ\u0301\u3002");
  fc.assert(fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 12 }), (label) => {
    const domain = `${label}x.example`.normalize("NFKC").toLowerCase();
    const ace = acceptedAce(domain);
    fc.pre(ace !== "");
    assert.equal(toAce(domain), ace);
    const shown = toShown(domain);
    assert.equal(shown, domainToUnicode(ace));
    assert.deepEqual([toShown(ace), toShown(shown), toAce(shown)], [shown, shown, ace]);
  }));
  assert.notEqual(toAce("faß.example"), toAce("fass.example"));
  for (
    const wrong of [
      "0x7f。1",
      "1。2。3.4",
      "xn--a.example",
      "xn--99999999.example",
      `xn--${"z".repeat(400)}.example`,
      "a\u200db.example",
    ]
  ) {
    assert.equal(toShown(wrong), wrong);
  }
});

Deno.test("each form of such a domain has one normal spelling, and one for delivery", () => {
  const [shown, ace] = ["anna@bücher.example", "anna@xn--bcher-kva.example"];
  for (const text of [shown.toUpperCase(), ace]) assert.equal(normalizeEmail(text), shown);
  assert.deepEqual([toDeliverable(shown), toDeliverable("a@b.c")], [ace, "a@b.c"]);
});
