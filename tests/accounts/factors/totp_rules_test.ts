/** Time-based codes, base32 and setup URLs follow their RFCs, and a code fits its own and the neighbouring steps. */
import assert from "node:assert/strict";
import { toBase32 } from "../../../src/core/encoding.ts";
import { codeOfStep, findStep, otpauthUrl, stepAt } from "../../../src/accounts/factors/totp/rules.ts";
import { fromBase32, totpOf } from "../../helpers/second_factors.ts";

const SECRET = new TextEncoder().encode("12345678901234567890");

Deno.test("codes of steps equal those of RFC 4226, appendix D", () => {
  const expected = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ");
  assert.deepEqual(expected.map((_, step) => codeOfStep(SECRET, step)), expected);
});

Deno.test("codes of times equal the last six digits of RFC 6238, appendix B", () => {
  const vectors: Readonly<Record<number, string>> = {
    59: "94287082",
    1111111109: "07081804",
    1111111111: "14050471",
    1234567890: "89005924",
    2000000000: "69279037",
    20000000000: "65353130",
  };
  for (const [seconds, code] of Object.entries(vectors)) {
    const nowMs = Number(seconds) * 1000;
    assert.equal(codeOfStep(SECRET, stepAt(nowMs)), code.slice(2), seconds);
    assert.equal(findStep(SECRET, code.slice(2), nowMs), Math.floor(Number(seconds) / 30), seconds);
    assert.equal(totpOf(SECRET, nowMs, 8), code, "the tests' own implementation");
  }
});

Deno.test("a code is accepted one step early or late, and no further", () => {
  const nowMs = 1_700_000_010_000;
  const step = stepAt(nowMs);
  for (const [distance, found] of [[-2, false], [-1, true], [0, true], [1, true], [2, false]] as const) {
    const expected = found ? step + distance : undefined;
    assert.equal(findStep(SECRET, codeOfStep(SECRET, step + distance), nowMs), expected, `${distance}`);
  }
});

Deno.test("a text other than six digits matches no step", () => {
  const code = codeOfStep(SECRET, 1);
  const fullWidth = Array.from(code, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join("");
  const cut = [code.slice(1), `${code.slice(0, 5)} `, `${code}9`, ` ${code}`];
  for (const text of ["", " ", ...cut, fullWidth, "😀😀😀", "\0\0\0\0\0\0"]) {
    assert.equal(findStep(SECRET, text, 30_000), undefined, text);
  }
});

Deno.test("base32 follows RFC 4648, without padding", () => {
  const vectors = ["", "MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"];
  for (const [length, expected] of vectors.entries()) {
    const bytes = new TextEncoder().encode("foobar".slice(0, length));
    assert.equal(toBase32(bytes), expected);
    assert.deepEqual(fromBase32(expected), bytes);
  }
});

Deno.test("the otpauth URL escapes names and writes spaces as %20", () => {
  assert.equal(
    otpauthUrl(SECRET, { issuer: "Energy & Sons: 1+1", email: "a+b&c?d@example.com" }),
    "otpauth://totp/Energy%20%26%20Sons%3A%201%2B1:a%2Bb%26c%3Fd%40example.com" +
      "?issuer=Energy%20%26%20Sons%3A%201%2B1&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" +
      "&algorithm=SHA1&digits=6&period=30",
  );
});
